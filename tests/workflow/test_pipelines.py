"""What every pipeline beside that of suites promises: products as planned, the same numbers again, growth that adds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import tiny
import tiny_algorithmic
import tiny_anytime
import tiny_collectives
import tiny_similarity

from aiq.plans.registry import PIPELINES
from aiq.plans.run import Run
from aiq.storage import hdf5
from changes import changed


@dataclass(frozen=True)
class Pipeline:
    """A tiny configuration, how its files are made in this process, the same work cut otherwise, and more work."""

    raw: Mapping[str, Any]
    jobs: Callable[[Any], Mapping[str, Callable[[], object]]]
    cut: Mapping[str, Any]
    grown: Mapping[str, Any]


_CUT = [{**agent, "jobs": 3} for agent in tiny_algorithmic.TINY["agents"]]
_MORE = [*tiny_algorithmic.TINY["agents"], {"name": "random", "agent": "random", "lengths": [30]}]
_GRID = {"grid": {"family": "grid"}}
TINY: Mapping[str, Pipeline] = {
    "algorithmic": Pipeline(
        tiny_algorithmic.TINY, tiny_algorithmic.jobs, {"agents": _CUT, "jobs__programs_per_job": 100}, {"agents": _MORE}
    ),
    "anytime": Pipeline(
        changed(tiny_anytime.TINY, classes=_GRID),
        tiny_anytime.jobs,
        {"jobs__repetitions_per_job": 2},
        {"repetitions": 4},
    ),
    "collectives": Pipeline(
        tiny_collectives.TINY, tiny_collectives.jobs, {"jobs__blocks_per_job": 1}, {"by_side__sides": [5, 7, 10]}
    ),
    "similarity": Pipeline(
        tiny_similarity.TINY, tiny_similarity.jobs, {"jobs__units_per_job": 3}, {"repetitions": 3}
    ),
}  # fmt: skip
EACH = pytest.mark.parametrize("name", TINY)


def made_here(folder: Path, name: str, **changes: Any) -> dict[str, Any]:
    """Make a run in a folder and return path -> the numbers of every result."""
    run = Run.of(changed(TINY[name].raw, **changes))
    with tiny.inside(folder):
        for work in TINY[name].jobs(run).values():
            work()
    return results(folder, run)


def results(folder: Path, run: Run) -> dict[str, Any]:
    """Return path -> the numbers of every result."""
    kinds = run.plan.results().items()
    return {path: tiny.numbers(hdf5.read(folder / path, kind, mark)[1]) for path, (kind, mark) in kinds}


def test_every_pipeline_is_here():
    assert set(TINY) | {"aiq"} == set(PIPELINES)  # suites have files of tests of their own


@pytest.mark.workflow
@pytest.mark.slow
@EACH
def test_a_run_through_snakemake_makes_its_products_repeats_and_grows(name: str, tmp_path: Path):
    raw = changed(TINY[name].raw)
    folder, run = tmp_path / "snakemake", Run.of(raw)
    done = tiny.snakemake(folder, raw, "--cores", "2")
    assert done.returncode == 0, done.stdout
    for job in run.plan.products():
        for figure in job.figure_names(run.plan):
            for suffix in ("png", "svg", "csv", "txt"):
                assert (folder / run.layout.figure(figure, suffix)).stat().st_size > 20
        for table in job.table_names(run.plan):
            assert (folder / run.layout.table(table)).stat().st_size > 20
    assert tiny.same(results(folder, run), made_here(tmp_path / "here", name))  # of another process, elsewhere
    assert tiny.planned(folder, raw) == {}
    before = tiny.files(folder)
    more = changed(raw, name="grown", **TINY[name].grown)
    planned = set().union(*tiny.planned(folder, more).values())
    shards = set(Run.of(more).plan.shards())
    assert shards & planned == shards - {path for path in shards if (folder / path).exists()} != set()
    assert set(Run.of(more).plan.results()) <= planned
    assert tiny.files(folder) == before


@EACH
def test_no_number_depends_on_the_cut_nor_on_work_taken_over(name: str, tmp_path: Path):
    whole = made_here(tmp_path / "whole", name)
    assert tiny.same(made_here(tmp_path / "cut", name, **TINY[name].cut), whole)
    assert tiny.same(made_here(tmp_path / "whole", name, **TINY[name].cut), whole)  # finished units are taken over
    grown = made_here(tmp_path / "whole", name, **TINY[name].grown)
    assert tiny.same(made_here(tmp_path / "grown", name, **TINY[name].grown), grown)
