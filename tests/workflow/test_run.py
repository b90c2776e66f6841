"""A tiny run that Snakemake finished: what it leaves, and what is redone with something changed."""

import csv
import json
import re
import shutil
from pathlib import Path

import pytest
import tiny

from aiq.config import parse
from aiq.plans.run import Run
from aiq.plans.suite import COMPLEXITY, SuitePlan

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

TRIALS = "results/tiny/trials/noisy/chunks-0000-0001.h5"


def agent_shard(raw, domain: str) -> str:
    run = Run.of(raw)
    (job,) = (job for job in run.plan.agent_jobs if job.domain == domain)
    return run.layout.agent_job(job)


def test_a_run_leaves_figures_tables_logs_and_times(finished: Path):
    run = Run.of(tiny.TINY)
    for name in ("complexity-panel", "mixture-digits+noisy", "dissimilarity-matrix", "space-plane", "agents"):
        for suffix in ("png", "svg", "csv", "txt"):
            assert (finished / run.layout.figure(name, suffix)).stat().st_size > 20
    assert "Where the variance of the scores comes from" in (finished / run.layout.page).read_text(encoding="utf-8")
    with (finished / run.layout.table("agents")).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["agent"] for row in rows} == {"large", "small"}
    assert [row["rank"] for row in rows] == ["1–2", "1–2"]  # two chunks of a pool are too few for an order
    assert float(rows[0]["relative"]) >= float(rows[1]["relative"]) > 0
    log = (finished / run.layout.log("scores")).read_text(encoding="utf-8")
    assert re.search(r"INFO finished in [\d.]+ s", log)
    with (finished / run.layout.benchmark("scores")).open(encoding="utf-8") as file:
        assert float(next(csv.DictReader(file, delimiter="\t"))["s"]) > 0
    assert not list(finished.rglob("*.part"))


def test_a_changed_parameter_of_one_domain_redoes_only_what_depends_on_it(finished: Path, copied: Path):
    plan = tiny.planned(copied, tiny.tiny(domains__noisy__noise=0.6))
    assert plan.pop("prepare_domain") == {"results/tiny/domains/noisy.h5"}
    assert plan.pop("train_trials") == {TRIALS}
    assert plan.pop("reduce_complexity") == {"results/tiny/complexity/noisy.h5"}
    assert plan.pop("measure_entropy") == {"results/tiny/entropy/noisy.h5"}
    assert plan.pop("measure_known_baselines") == {"results/tiny/known-baselines.h5"}
    assert plan.pop("train_agents") == {agent_shard(tiny.TINY, "noisy")}
    assert plan.pop("measure_interface") == {"results/tiny/interface.h5"}
    for rule in ("train_mixtures", "train_alone"):  # jobs look at the interface again; their units are taken over
        assert {Path(path).parent.name for path in plan.pop(rule)} == {"digits", "noisy", "wine"}
    whole = {"reduce_dissimilarity", "build_space", "score_agents", "explain_variance", "write_tables"}
    whole.add("compare_known_baselines")
    assert set(plan) == whole | {"draw_complexity", "draw_dissimilarity", "draw_space", "write_page"}


@pytest.mark.parametrize(
    ("changes", "redone"),
    [
        (
            {"value": "volume"},
            {"score_agents", "draw_space", "explain_variance", "write_tables", "write_page"},
        ),
        (
            {"complexity": {"resamples": 40, "bins": 20}},
            {
                *("reduce_complexity", "draw_complexity", "build_space", "score_agents", "draw_space"),
                *("explain_variance", "compare_known_baselines", "write_tables", "write_page"),
            },
        ),
        (
            {"name": "renamed", "similarity": {"absolute": True}},
            {"draw_dissimilarity", "write_tables", "write_page"},
        ),
    ],
)
def test_changed_settings_of_a_measure_train_nothing(copied: Path, changes, redone):
    assert set(tiny.planned(copied, tiny.tiny(**changes))) == redone


# ---- a raised version redoes its own stage and what follows, nothing before ------------------------

PARTS = ("workflow", "scripts", "envs", "profiles")
FOLLOWERS = {
    "complexity": {
        *("reduce_complexity", "build_space", "score_agents", "compare_known_baselines"),
        *("draw_complexity", "draw_space", "explain_variance", "write_tables", "write_page"),
    },
    "mixtures": {
        *("train_mixtures", "reduce_dissimilarity", "build_space", "score_agents", "compare_known_baselines"),
        *("draw_dissimilarity", "draw_space", "explain_variance", "write_tables", "write_page"),
    },
}


def checkout(folder: Path) -> Path:
    """Copy the workflow, so that its text may be changed, and return the folder."""
    for part in PARTS:
        source, target = tiny.ROOT / part, folder / part
        if source.is_dir():
            shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    return folder


@pytest.mark.parametrize("stage", ["", *FOLLOWERS])
def test_a_raised_version_redoes_its_stage_and_what_follows(stage: str, copied: Path, tmp_path: Path, monkeypatch):
    code = checkout(tmp_path / "code")
    if stage:
        plan = code / "workflow" / "aiq" / "plans" / "suite.py"
        text = plan.read_text(encoding="utf-8")
        raised, count = re.subn(rf'(Stage\("{stage}", )(\d+)', lambda found: f"{found[1]}{int(found[2]) + 1}", text)
        assert count == 1
        plan.write_text(raised, encoding="utf-8")
    monkeypatch.setattr(tiny, "ROOT", code)
    monkeypatch.setenv("PYTHONPATH", str(code / "workflow"))
    assert set(tiny.planned(copied, tiny.TINY)) - {"all"} == FOLLOWERS.get(stage, set())


def test_provenance_names_the_stages_behind(copied: Path):
    record = json.loads((copied / "results/tiny/tables/provenance/agents.json").read_text(encoding="utf-8"))
    plan = SuitePlan(parse(tiny.TINY))
    behind = {name: version for name, version in plan.versions().items() if name != "apti"}
    assert record["stages"] == behind
    assert {"agents", "alone", "complexity", "dissimilarity", "domain", "entropy", "mixtures", "scores"} <= set(behind)
    with tiny.inside(copied):
        header = tiny.hdf5.read_header("results/tiny/complexity/digits.h5", "complexity")
    assert header.provenance["stages"] == f"complexity {COMPLEXITY.version}, domain 1, trials 1"
