"""Figures and tables are declared once: what draws them, their captions and their names in files follow."""

import subprocess
import sys
from pathlib import Path

import pytest

from aiq import wing
from aiq.config.load import configurations, read
from aiq.figures import FIGURES
from aiq.plans.__main__ import page
from aiq.plans.run import PIPELINES, SUITE, Run
from aiq.plans.workflow import captions
from aiq.report.suite import MAKERS
from aiq.run.products import make_products

ROOT = Path(__file__).resolve().parents[2]
CONFIGURATIONS = sorted((ROOT / "config").glob("*.yaml"))
DECLARED = [products for plan in PIPELINES.values() for products in plan.declared]
BY_VERBS = {
    *("run-comparison", "sensitivity"),
    *("suite-leaderboard", "suite-beats", "suite-tests", "suite-agreement", "suite-fewer"),
}  # of verbs: no run of a measure has them
OF_PAPERS = {"variants", "complexity-apart", "normalised"}


def test_every_figure_is_declared_and_every_declared_one_can_be_drawn():
    own = {name for measure in wing.measures().values() if measure.figures for name in measure.part("figures")}
    assert {figure.entry for products in DECLARED for figure in products.figures} == (
        set(FIGURES) | own
    ) - BY_VERBS - OF_PAPERS


def test_no_measure_takes_the_name_of_a_common_figure():
    """Asked of a process that has loaded the common figures alone, since every figure enters one registry."""
    code = "import aiq.figures; print(*aiq.figures.FIGURES)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    common = set(done.stdout.split())
    assert common >= BY_VERBS
    for measure in wing.measures().values():
        assert not measure.figures or not common & set(measure.part("figures"))


def test_every_configuration_has_a_pipeline_and_every_job_of_a_suite_what_draws_it():
    assert list(PIPELINES) == list(configurations())
    assert set(MAKERS) == {products.name for products in PIPELINES["aiq"].declared}


@pytest.mark.parametrize("part", ["show", "main_table", "opening", "checks", "estimate", "expected"])
def test_a_suite_has_the_parts_of_a_measure(part: str):
    assert callable(SUITE.part(part))


def test_every_caption_is_there_and_none_is_left_over():
    wanted = {figure.caption_file for products in DECLARED for figure in products.figures}
    wanted |= {table.caption for products in DECLARED for table in products.tables}
    wanted |= {f"measure-{measure}" for measure in PIPELINES} | {"measure"}  # the last stands for a measure without one
    folders = [captions(), *(measure.captions for measure in wing.measures().values())]
    lying = [path.stem for folder in folders for path in folder.glob("*.rst")]
    assert sorted(lying) == sorted(wanted)


@pytest.mark.parametrize("path", CONFIGURATIONS, ids=lambda path: path.stem)
def test_names_of_files_are_different(path: Path, monkeypatch):
    monkeypatch.chdir(ROOT)
    plan = Run.of(read(path)).plan
    figures = [name for products in plan.products() for name in products.figure_names(plan)]
    tables = [name for products in plan.products() for name in products.table_names(plan)]
    assert len(figures) > 1
    assert len({name.lower() for name in figures}) == len(figures)
    assert len({name.lower() for name in tables}) == len(tables)
    written = set(plan.results()) | set(plan.shards())
    assert all(file in written for job in plan.products() for files in job.needs(plan).values() for file in files)


def test_the_page_of_figures_is_up_to_date():
    assert (ROOT / "docs" / "reference" / "figures.md").read_text(encoding="utf-8") == page()
    done = subprocess.run([sys.executable, "-m", "aiq.plans"], capture_output=True, text=True, check=True)
    assert done.stdout == page()


def test_a_job_that_the_plan_lacks_is_a_defect():
    with pytest.raises(ValueError, match="not enough values"):
        make_products(Run.of(read(ROOT / "config" / "quickstart.yaml")), "report_baseline")
