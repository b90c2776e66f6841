"""Rounds that grow a suite: run to the goal, cut off and gone on with, planned alike by Snakemake alone."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tiny
import yaml

from aiq.cli.main import main
from aiq.config.measures import Precision
from aiq.errors import InputError
from aiq.explain import rounds as running
from aiq.explain.rounds import Goal
from aiq.explain.sensitivity import hours_by_kind
from aiq.explain.spending import prices
from aiq.plans import growth
from aiq.plans.run import Run
from aiq.records.variance import Growth
from aiq.run.call import Snakemake
from aiq.run.start import Start

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

START = {"pool": 8, "ends": 6, "mixtures": 2, "agents": 2}


def goal_of(half: float, budget: str = "10 core-hours") -> dict[str, Any]:
    """The tiny suite with a goal."""
    return tiny.tiny(precision={"per_dimension": half, "budget": budget})


class Calls:
    """Stands for Snakemake without memory: makes what is missing and what is named; can be cut off before a call."""

    def __init__(self, raw: dict[str, Any], cut: int | None = None) -> None:
        self.raw, self.cut, self.words, self.numbers = raw, cut, [], []

    def __call__(self, start: Start, forced, lock, child) -> int:
        if len(self.words) == self.cut:
            return 1
        self.words.append(start.snakemake.arguments)
        self.numbers.append(growth.numbers(start.run.configuration))
        run = Run.of(self.raw)
        missing = [path for path in tiny.jobs(run) if not Path(path).exists()]
        tiny.make(Path.cwd(), self.raw, only={*missing, *forced})
        bench = Path(run.layout.benchmark("trials", "all"))
        bench.parent.mkdir(parents=True, exist_ok=True)
        bench.write_text("s\n36.0\n", encoding="utf-8")
        return 0


@pytest.fixture
def started(alone: Path, tmp_path: Path, monkeypatch):
    """A finished start in a folder of its own, and what runs it by rounds; returns status, goal and calls."""
    shutil.copytree(alone, tmp_path / "run")
    monkeypatch.chdir(tmp_path / "run")

    def run(raw, cut=None, words=()) -> tuple[int, Goal, Calls, list[str]]:
        said: list[str] = []
        calls, goal = Calls(raw, cut), Goal(raw)
        monkeypatch.setattr(running, "called", calls)
        snakemake = Snakemake("tiny.yaml", arguments=words)
        start = Start(Run.of(raw), snakemake, False, False, True, said.append)
        return running.in_rounds(goal)(start, (), None, []), goal, calls, said  # type: ignore[arg-type]

    return run


def test_rounds_grow_until_the_goal_and_a_round_that_was_cut_off_goes_on(started, capsys):
    status, goal, calls, _ = started(goal_of(1e-4), cut=1)  # the start is there; the first round is cut off
    assert status == 1
    assert [one.half is None for one in goal.rounds.rounds] == [False, True]
    asked = goal.rounds.rounds[1]
    half = goal.rounds.rounds[0].half
    assert growth.numbers(Run.of(goal_of(1e-4)).configuration) == asked.numbers
    assert "goes on with it" in goal.ahead()
    wide = goal_of(0.999 * half)  # a goal that one round reaches, or none; the round that was begun is finished first
    status, goal, calls, said = started(wide)
    assert status == 0
    assert calls.numbers[0] == asked.numbers
    assert calls.words[0] == ("--", "results/tiny/scores.h5")
    assert calls.words[-1] == ()
    rounds = goal.rounds
    assert rounds.rounds[1].begun == asked.begun
    assert rounds.stop
    assert rounds.says in said[-1]
    for one, other in zip(rounds.rounds, rounds.rounds[1:], strict=False):
        assert all(other.numbers[name] >= number for name, number in one.numbers.items())
        assert other.numbers != one.numbers
        assert other.predicted < one.half
        assert sum(one.parts.values()) == pytest.approx(1)
    assert [one.core_hours for one in rounds.finished] == pytest.approx([0.01] * len(rounds.rounds))
    assert dict(rounds.rounds[0].numbers) == START
    Path("tiny.yaml").write_text(yaml.safe_dump(wide), encoding="utf-8")
    assert main(["summary", "tiny.yaml", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["precision"]["stop"] == rounds.stop
    assert main(["precision", "tiny.yaml"]) == 0
    out = capsys.readouterr().out
    assert "where the variance of AIQ per dimension comes from" in out
    assert "no further round" in out
    assert "somewhat too small" in out


def test_a_reached_goal_runs_no_round(started):
    status, goal, calls, said = started(goal_of(0.49))
    assert (status, len(calls.words)) == (0, 2)
    assert (goal.rounds.stop, dict(goal.rounds.rounds[-1].numbers)) == ("goal", START)
    assert "the goal is reached" in said[-1]
    assert "no further round: the goal is reached" in goal.ahead()


def test_a_budget_that_is_used_runs_no_round_and_a_larger_one_goes_on(started):
    status, goal, calls, _ = started(goal_of(1e-3, "36 core-seconds"))
    assert (status, goal.rounds.stop, len(calls.words)) == (0, "budget", 2)
    assert "the budget is used" in goal.rounds.says
    more = Goal(goal_of(1e-3, "10 core-hours"))
    assert "next is round 1: " in more.ahead()
    assert len(more.rounds.rounds) == 1


def test_there_are_no_more_rounds_than_allowed_and_all_is_made_anew_in_the_first_call_alone(started, monkeypatch):
    monkeypatch.setattr(Precision, "rounds", 1)
    status, goal, calls, _ = started(goal_of(1e-4), words=("--forceall", "--keep-going"))
    assert (status, goal.rounds.stop, len(goal.rounds.rounds)) == (0, "rounds", 2)
    assert "there have been 1 rounds, the most that there are" in goal.ahead()
    first, *rest = calls.words
    assert first == ("--forceall", "--keep-going", "--", "results/tiny/scores.h5")
    assert rest == [("--keep-going", "--", "results/tiny/scores.h5"), ("--keep-going",)]


def test_a_damaged_result_is_made_again_before_the_rounds_go_on(started):
    path = Path("results/tiny/complexity/wine.h5")
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    assert running.outgrown(Run.of(goal_of(0.49))) == (str(path),)
    status, goal, _, _ = started(goal_of(0.49))
    assert (status, goal.rounds.stop) == (0, "goal")
    assert len(path.read_bytes()) == len(whole)


def test_a_store_makes_nothing_look_cheap(monkeypatch, tmp_path):
    """Jobs that took finished trainings from a store last no time; new trainings cost what the model says."""
    raw, run = goal_of(0.1), Run.of(goal_of(0.1))
    model = hours_by_kind(None, run)
    quick = {kind: hours / 50 for kind, hours in model.items()}
    usual, cheap = prices(raw, run, model), prices(raw, run, quick)
    assert all(cheap[name] == pytest.approx(usual[name] / 50) for name in ("pool", "mixtures", "ends"))
    monkeypatch.setenv("AIQ_STORE", str(tmp_path))
    assert prices(raw, run, quick) == pytest.approx(usual)


def test_parts_of_a_suite_are_made_without_rounds_and_a_storage_is_refused():
    run = Run.of(goal_of(0.1))
    call = Snakemake("tiny.yaml")
    assert running.has_rounds(run, call)
    assert not running.has_rounds(Run.of(tiny.TINY), call)
    assert not running.has_rounds(run, replace(call, arguments=("results/tiny/space.h5",)))
    assert not running.has_rounds(run, replace(call, arguments=("--until", "build_space")))
    with pytest.raises(InputError, match="they lie in the storage s3://bucket; keep results in a folder"):
        running.has_rounds(run, replace(call, arguments=("--default-storage-prefix", "s3://bucket")))


def test_snakemake_alone_plans_what_the_rounds_have_grown_and_nothing_else(alone: Path, tmp_path: Path):
    """The record names more repetitions of agents: their trainings are planned, nobody else's."""
    raw, folder = goal_of(0.01), tmp_path / "run"
    shutil.copytree(alone, folder)
    with tiny.inside(folder):
        goal = Goal(raw)
        goal.begin()
        goal.begin(Growth({**START, "agents": 5}, 0.1, 0.1))
    (folder / Run.of(raw).layout.scores).unlink()
    jobs = tiny.planned(folder, raw, "--", Run.of(raw).layout.scores)
    assert len(jobs["train_agents"]) == 3
    assert not {"train_trials", "train_mixtures", "train_alone", "reduce_complexity"} & set(jobs)
    assert "score_agents" in jobs
