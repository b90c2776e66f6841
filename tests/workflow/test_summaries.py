"""What finished runs of the other measures found and cost, told by one verb."""

import json
from pathlib import Path

import pytest
import yaml
from test_anytime import TINY as ANYTIME
from test_collectives import TINY as COLLECTIVES

from aiq.cli.main import main
from aiq.plans.run import Run
from aiq.wings.anytime.work.jobs import administer_tests, reduce_tests
from aiq.wings.collectives.work.jobs import reduce_episodes, run_episodes

pytestmark = pytest.mark.workflow
HEAD = "s\th:m:s\tmax_rss\n"


def make_anytime() -> Run:
    run = Run.of(ANYTIME)
    for job in run.plan.jobs:
        administer_tests(run, job.environments, job.agent, job.first, job.last, run.layout.job(job))
    for name in run.plan.classes:
        reduce_tests(run, name, [run.layout.job(job) for job in run.plan.of_class(name)], run.layout.result(name))
    return run


def make_collectives() -> Run:
    run = Run.of(COLLECTIVES)
    for job in run.plan.jobs:
        run_episodes(run, job.test, job.block, run.layout.job(job))
    reduce_episodes(run, [run.layout.job(job) for job in run.plan.jobs], run.layout.result)
    return run


@pytest.mark.parametrize(
    ("raw", "make", "stage", "column"),
    [(ANYTIME, make_anytime, "tests", "agent"), (COLLECTIVES, make_collectives, "episodes", "kind")],
    ids=["anytime", "collectives"],
)
def test_a_summary_tells_results_and_core_hours(tmp_path: Path, monkeypatch, capsys, raw, make, stage, column):
    monkeypatch.chdir(tmp_path)
    Path("c.yaml").write_text(yaml.safe_dump(raw, sort_keys=False))
    assert main(["summary", "c.yaml"]) == 2
    assert "does not exist" in capsys.readouterr().err
    run = make()
    for name, seconds in ((f"{stage}/a", 1800), (f"{stage}/b", 1800), ("draw", 360)):
        path = Path(run.layout.benchmark(*name.split("/")))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{HEAD}7\t0:00:07\t1\n{seconds}\t0:00:01\t1\n")  # the last run counts
    assert main(["summary", "c.yaml", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    spent = {row["stage"]: row for row in found["cost"]}
    assert (spent[stage]["jobs"], spent[stage]["core_hours_held"]) == (2, 1.0)
    assert spent["total"]["core_hours_held"] == pytest.approx(1.1)
    assert {row[column] for row in found["results"]}
    assert all(row["low"] is None or row["low"] <= row["upsilon"] <= row["high"] for row in found["results"])
    assert main(["summary", "c.yaml"]) == 0
    out = capsys.readouterr().out
    assert "core-hours" not in out
    assert "all of it: aiq summary c.yaml --all" in out
    assert main(["summary", "c.yaml", "--all"]) == 0
    out = capsys.readouterr().out
    assert "3 jobs held their cores for 1.10 core-hours (wall time times cores)" in out
    assert main(["shards", "c.yaml"]) == 0
