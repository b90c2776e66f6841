import numpy as np
import pytest

from aiq.errors import InputError
from aiq.wings.anytime.equations.administer import AnytimeRun, TraceRow, administer_interactions
from aiq.wings.anytime.equations.agents import RandomAgent, TabularQ
from aiq.wings.anytime.equations.grid import GridClass
from aiq.wings.anytime.equations.protocol import Table, plan
from aiq.wings.anytime.equations.reduction import at_budget, reward_by_complexity


def run(rewards, repetition=0):
    rows = tuple(TraceRow(str(i), i + 1.0, 1.0, 2.0 + i, 1, 1, r, i + 1.0) for i, r in enumerate(rewards))
    return AnytimeRun("a", "made", "interactions", 9.0, 0, repetition, "budget", rows, None, 1.0)


def test_upsilon_is_the_mean_over_tests():
    runs = [run([0.2, 0.4]), run([0.8, 0.0, -0.2], 1), run([], 2)]
    point = at_budget(runs, 2)
    assert point.upsilon.value == pytest.approx((0.3 + 0.4) / 2)
    assert (point.upsilon.n, point.unfinished) == (2, 1)
    assert point.level.value == pytest.approx((3 + 3 + 1) / 3)
    low, high = point.upsilon.interval
    assert low < point.upsilon.value < high
    assert at_budget(runs, 3).upsilon.value == pytest.approx((0.3 + 0.2) / 2)


def test_one_test_still_has_an_interval_over_environments():
    low, high = at_budget([run([0.2, 0.4, 0.9, -0.5])], 9).upsilon.interval
    assert low < 0.25 < high
    assert at_budget([run([0.2, 0.4])], 9).level.interval is None


def test_the_order_of_tests_does_not_matter_and_the_seed_does():
    runs, again = (
        [administer_interactions(TabularQ(), GridClass(), 100, root=0, repetition=r) for r in order]
        for order in (range(6), (5, 3, 1, 0, 2, 4))
    )
    again.sort(key=lambda r: r.repetition)
    assert again == runs
    one, other, seeded = (at_budget(r, 100, resamples=50, seed=s) for r, s in ((runs, 0), (again, 0), (runs, 1)))
    assert one == other
    assert one.upsilon.interval != seeded.upsilon.interval


def test_the_interval_covers():
    """95 % intervals of the random agent's Υ = 0 over 40 groups of 20 tests: 32 or fewer has probability below 1e-3."""
    cls = GridClass()
    runs = [administer_interactions(RandomAgent(), cls, 30, root=0, repetition=r) for r in range(800)]
    hits = 0
    for group in range(40):
        low, high = at_budget(runs[20 * group : 20 * group + 20], 30, resamples=100).upsilon.interval
        hits += low <= 0 <= high
    assert hits > 32


def test_reward_by_complexity():
    runs = [run([0.2, 0.4, 0.6]), run([0.4, 0.8, -0.4], 1)]
    rows = reward_by_complexity(runs, [1, 2, 4, 9])
    assert [(row.low, row.high) for row in rows] == [(1, 2), (2, 4)]
    assert rows[0].estimate.value == pytest.approx(0.3)
    assert rows[1].estimate.value == pytest.approx(0.35)
    assert rows[1].estimate.interval[0] < 0.35 < rows[1].estimate.interval[1]
    with pytest.raises(InputError, match="no test of 'a' had finished"):
        at_budget([run([0.1])], 0.5)


def test_impossible_records_are_refused():
    for reward in (1.2, float("nan")):
        with pytest.raises(ValueError, match="outside"):
            TraceRow("x", 1.0, 1.0, 1.0, 1, 1, reward, 1.0)
    row = TraceRow("x", 1.0, 1.0, 1.0, 1, 1, 0.1, 1.0)
    for status, rows, words in (("budget", (row, row), "twice"), ("over", (), "unknown")):
        with pytest.raises(ValueError, match=words):
            AnytimeRun("a", "made", "interactions", 9.0, 0, 0, status, rows, None, 1.0)


def test_plans_follow_the_best_cycle():
    following = np.array([[0, 1], [2, 1], [0, 0]])
    table = Table(following, np.array([0.1, -1.0, 1.0]), np.array([1.0, 0, 0]))
    assert plan(table).tolist()[0] == 0
    table = Table(following, np.array([0.1, -0.2, 1.0]), np.array([1.0, 0, 0]))
    assert plan(table)[[0, 1]].tolist() == [1, 0]
    assert plan(table, sign=-1)[1] == 1
