"""What every pipeline beside that of suites promises: products as planned, the same numbers again, growth that adds."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tiny
import tiny_algorithmic
import tiny_anytime
import tiny_collectives
import tiny_similarity
import yaml

from aiq.cli.main import main
from aiq.plans.run import PIPELINES, Run
from aiq.run.costing import estimate
from aiq.run.upkeep.audit import audit
from aiq.storage import hdf5
from changes import changed


@dataclass(frozen=True)
class Pipeline:
    """A tiny configuration, the same work cut otherwise, more work, and what makes every unit another one."""

    raw: Mapping[str, Any]
    cut: Mapping[str, Any]
    grown: Mapping[str, Any]
    others: Sequence[Mapping[str, Any]]


_CUT = [{**agent, "jobs": 3} for agent in tiny_algorithmic.TINY["agents"]]
_MORE = [*tiny_algorithmic.TINY["agents"], {"name": "random", "agent": "random", "lengths": [30]}]
_GRID = {"grid": {"family": "grid"}}
TINY: Mapping[str, Pipeline] = {
    "algorithmic": Pipeline(
        tiny_algorithmic.TINY,
        {"agents": _CUT, "jobs__programs_per_job": 100},
        {"agents": _MORE},
        [{"machine__symbols": 3}],
    ),
    "anytime": Pipeline(
        changed(tiny_anytime.TINY, classes=_GRID),
        {"jobs__repetitions_per_job": 2},
        {"repetitions": 4},
        [{"test__budget": 41}],
    ),
    "collectives": Pipeline(
        tiny_collectives.TINY,
        {"jobs__kinds_per_job": 1},
        {"by_side__sides": [5, 7, 10]},
        [{"test__agents": 3}],
    ),
    "similarity": Pipeline(
        changed(tiny_similarity.TINY, jobs__units_per_job=12),
        {"jobs__units_per_job": 3},
        {"repetitions": 3},
        [{"agent__epochs": 4}],
    ),
}
SILENT = "Building DAG|Using profile|workflow specific profile|Provided cores|more than 0 s"
EACH = pytest.mark.parametrize("name", TINY)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Give the folder of a run of a pipeline that was made in this process; not to be changed."""

    @cache
    def folder(name: str) -> Path:
        place = tmp_path_factory.mktemp(name)
        made_here(place, name)
        return place

    return folder


def made_here(folder: Path, name: str, **changes: Any) -> dict[str, Any]:
    """Make a run in a folder and return path -> the numbers of every result."""
    run = Run.of(changed(TINY[name].raw, **changes))
    with tiny.inside(folder):
        for work in tiny.jobs(run).values():
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
def test_a_run_through_snakemake_makes_its_products_repeats_and_grows(name: str, made, tmp_path: Path):
    """From an empty folder, by ``aiq run``."""
    raw, folder = changed(TINY[name].raw), tmp_path / "snakemake"
    run, root = Run.of(raw), Run.of(raw).layout.root
    tiny.command(folder, raw)  # writes the configuration
    done = tiny.aiq(folder, "tiny.yaml", "--cores", "2", "--no-report")
    assert done.returncode == 0, done.stderr
    assert re.search(r"(\d+) of \1 jobs done, in ", done.stderr)
    assert not re.search(SILENT, done.stderr)
    assert f"page: {root}/index.html" in done.stdout
    for job in run.plan.products():
        for figure in job.figure_names(run.plan):
            for suffix in ("png", "svg", "csv", "txt"):
                assert (folder / run.layout.figure(figure, suffix)).stat().st_size > 20
        for table in job.table_names(run.plan):
            assert (folder / run.layout.table(table)).stat().st_size > 20
    assert tiny.same(results(folder, run), results(made(name), run))  # of another process, elsewhere
    again = tiny.aiq(folder, "tiny.yaml", "--json", "--no-report")
    assert "Nothing to be done" in again.stderr
    found = json.loads(again.stdout)
    assert (found["results"], found["report"]) == (str(root), None)
    if name == "anytime":
        assert "oracle" in done.stdout
        assert {row["agent"] for row in found["agents"]} == {"oracle", "random"}
    before = tiny.files(folder)
    more = changed(raw, name="grown", **TINY[name].grown)
    planned = set().union(*tiny.planned(folder, more).values())
    shards = set(Run.of(more).plan.shards())
    assert shards & planned == shards - {path for path in shards if (folder / path).exists()} != set()
    assert set(Run.of(more).plan.results()) <= planned
    assert tiny.files(folder) == before


@EACH
def test_no_number_depends_on_the_cut_nor_on_work_taken_over(name: str, made, tmp_path: Path):
    whole = results(shutil.copytree(made(name), tmp_path / "whole"), Run.of(TINY[name].raw))
    assert tiny.same(made_here(tmp_path / "cut", name, **TINY[name].cut), whole)
    assert tiny.same(made_here(tmp_path / "whole", name, **TINY[name].cut), whole)  # finished units are taken over
    grown = made_here(tmp_path / "whole", name, **TINY[name].grown)
    assert tiny.same(made_here(tmp_path / "grown", name, **TINY[name].grown), grown)


def units(raw: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """Return folder and name -> fingerprint of every unit of a configuration."""
    plan, found = Run.of(raw).plan, {}
    for step in plan.steps:
        for job in step.jobs(plan) if step.units is not None else ():
            folder = str(Path(step.place(job)).parent)
            found |= {(folder, unit): str(mark) for unit, mark in step.units(plan, job).items()}
    return found


@EACH
def test_a_unit_hangs_on_what_determines_its_numbers_and_on_nothing_else(name: str):
    raw = TINY[name].raw
    before = units(raw)
    assert before
    for same in ({"name": "another", "results": "elsewhere"}, TINY[name].cut, TINY[name].grown):
        assert before.items() <= units(changed(raw, **same)).items()
    for other in ({"seed": 99}, *TINY[name].others):
        assert not before.items() & units(changed(raw, **other)).items(), other


@EACH
def test_a_killed_job_leaves_nothing_and_damage_is_found_and_made_again(name: str, made, tmp_path: Path, monkeypatch):
    shutil.copytree(made(name), tmp_path, dirs_exist_ok=True)
    run = Run.of(TINY[name].raw)
    before = results(tmp_path, run)
    steps, kept = tiny.jobs(run), tiny.files(tmp_path)
    killed, damaged = [*run.plan.shards()][-1], next(iter(run.plan.shards()))
    monkeypatch.chdir(tmp_path)

    def dies(*told: Any, **how: Any) -> None:
        raise KeyboardInterrupt

    Path(killed).unlink()
    with monkeypatch.context() as patched:
        patched.setattr("aiq.storage.files.os.replace", dies)
        with pytest.raises(KeyboardInterrupt):
            steps[killed]()
    assert not Path(killed).exists()
    whole = Path(damaged).read_bytes()
    Path(damaged).write_bytes(whole[: len(whole) // 2])
    assert set(audit(run).bad) == {killed, damaged}
    for path in (damaged, killed):
        steps[path]()
    assert audit(run).bad == ()
    for path in run.plan.results():
        steps[path]()
    assert tiny.same(results(tmp_path, run), before)
    assert {path for path, text in tiny.files(tmp_path).items() if kept[path] != text} <= {
        killed, damaged, *run.plan.results()
    }  # fmt: skip


@pytest.mark.workflow
@pytest.mark.slow
@EACH
def test_a_run_is_told_what_it_costs_and_found(name: str, made, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    raw = TINY[name].raw
    Path("c.yaml").write_text(yaml.safe_dump(dict(raw), sort_keys=False))
    cost, jobs = estimate(raw), tiny.asked(tmp_path, raw)
    assert not Path(Run.of(raw).layout.root).exists()
    assert sorted(Run.of(raw).plan.requests()) == sorted(jobs)
    assert cost.jobs == len(jobs)
    assert (cost.asked.megabytes, cost.asked.minutes) == tuple(max(job[at] for job in jobs) for at in (1, 2))
    assert cost.outputs > len(jobs)
    assert min(cost.trials, cost.core_hours, cost.disk_bytes) > 0
    assert all(0.001 < factor < 1000 for factor in cost.factors.values())
    assert main(["summary", "c.yaml"]) == 2
    assert "does not exist" in capsys.readouterr().err
    shutil.copytree(made(name), tmp_path, dirs_exist_ok=True)
    stage = Path(next(iter(Run.of(raw).plan.shards()))).parts[len(Run.of(raw).layout.root.parts)]
    for word, seconds in ((f"{stage}/a", 1800), (f"{stage}/b", 1800), ("draw", 360)):
        path = Path(Run.of(raw).layout.benchmark(*word.split("/")))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"s\th:m:s\tmax_rss\n7\t0:00:07\t1\n{seconds}\t0:00:01\t1\n")  # the last run counts
    assert main(["summary", "c.yaml", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    spent = {row["stage"]: row for row in found["cost"]}
    assert (spent[stage]["jobs"], spent[stage]["core_hours_held"]) == (2, 1.0)
    assert spent["total"]["core_hours_held"] == pytest.approx(1.1)
    assert found["results"]
    assert main(["summary", "c.yaml", "--all"]) == 0
    assert "3 jobs held their cores for 1.10 core-hours (wall time times cores)" in capsys.readouterr().out
    assert main(["shards", "c.yaml"]) == 0
