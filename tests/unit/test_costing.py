"""How an estimate is made from timings, what it says, and how it becomes a calibration."""

import json
from pathlib import Path

import numpy as np
import pytest

from aiq.config.base import BUILT_IN, read_calibration, render_calibration
from aiq.config.training import Reinforcement
from aiq.run.costing import Cost, StageCost, shard_bytes
from aiq.run.playing import REPEATS, extrapolated, shorter
from aiq.storage import shards


class Clock:
    """A clock that goes on by what the work says."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


@pytest.mark.parametrize(("fixed", "each"), [(0.0, 10.0), (2.0, 5.0), (3.0, 0.0)])
def test_a_line_through_two_shares_gives_the_whole(fixed, each):
    clock, calls = Clock(), []

    def work(share: float) -> None:
        calls.append(share)
        clock.time += fixed + each * share

    assert extrapolated(work, 0.1, 0.3, clock) == pytest.approx(fixed + each)
    assert calls == [0.1, *([0.1, 0.3] * REPEATS)]


def test_a_machine_that_slows_down_in_between_shifts_an_estimate_little():
    clock, speed = Clock(), iter((1.0, 1.0, 1.0, 2.0, 2.0))

    def work(share: float) -> None:
        clock.time += 10 * share * next(speed)

    assert extrapolated(work, 0.1, 0.3, clock) == pytest.approx(15)  # the mean of both speeds


def test_the_bytes_of_shards_are_those_of_shards(tmp_path: Path):
    tree = {"x": np.arange(50), "words": np.array(["a", "bc"] * 9, dtype=object)}
    told = shard_bytes("trials", [tree], 12, 2)
    for k in range(2):
        units = {f"unit-{i:06d}": shards.Unit("0" * 16, tree) for i in range(6)}
        shards.write(tmp_path / f"{k}.h5", "trials", "0" * 16, 1, units)
    real = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert told == pytest.approx(real, rel=0.15)


def test_short_trainings_have_a_share_of_the_steps_and_one_evaluation_of_one_episode():
    settings = Reinforcement(
        algorithm="dqn", steps=10_000, optimizer={"name": "adam", "learning_rate": 0.001}, evaluation={"every": 500}
    )
    least, half, whole = (shorter(settings, share) for share in (0.0, 0.5, 1.0))
    assert least.steps > max(settings.learning_starts, settings.batch_size)
    assert whole.steps == settings.steps
    assert half.steps == pytest.approx((least.steps + whole.steps) / 2, abs=1)
    for short in (least, half, whole):
        looked = short.evaluation
        assert (looked.every, looked.episodes, looked.final_episodes) == (short.steps, 1, 1)
        assert short.optimizer == settings.optimizer


def test_a_cost_adds_its_stages_and_becomes_a_calibration(tmp_path: Path):
    stages = (StageCost("domains", 2, 0, 10.0, 0.0, 100.0), StageCost("trials", 4, 64, 80.0, 60.0, 1000.0))
    cost = Cost(stages, 2.5, factors={"trials": 3.0, "agents": 0.5})
    found = json.loads(json.dumps(cost.as_dict()))
    assert (found["jobs"], found["trials"], found["disk_bytes"]) == (6, 64, 1100.0)
    assert found["core_hours"] == pytest.approx(90 / 3600)
    assert [row["stage"] for row in found["stages"]] == ["domains", "trials"]
    made = cost.calibration()
    assert (made.factors.trials, made.factors.agents, made.factors.mixtures) == (3.0, 0.5, 1.0)
    assert made.start == 5.0
    assert cost.calibration(made).factors.trials == 9.0  # on top of what was known
    (tmp_path / "c.json").write_text(render_calibration(made))
    assert read_calibration(tmp_path / "c.json") == made
    assert made.step == BUILT_IN.step
