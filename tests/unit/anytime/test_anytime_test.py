"""The test itself and what repeated tests reduce to."""

import math

import numpy as np
import pytest

from aiq.errors import InputError
from aiq.wings.anytime.equations import (
    AgentError,
    AgentStopped,
    Clock,
    ManualClock,
    RandomAgent,
    SlowAgent,
    TabularQ,
)
from aiq.wings.anytime.equations.administer import (
    AnytimeRun,
    TraceRow,
    administer_interactions,
    administer_seconds,
    at_budget,
    diminishing_mean,
    reward_by_complexity,
)
from aiq.wings.anytime.equations.automata import Table, plan
from aiq.wings.anytime.equations.classes import BlackCup, CupsClass, GridClass

ANY = GridClass()


class Always(RandomAgent):
    """Plays one action, or whatever it is given."""

    name = "always"

    def __init__(self, action):
        self.action = action

    def act(self):
        return self.action


def timed(agent, seconds, budget):
    clock = ManualClock()
    return administer_seconds(SlowAgent(agent, seconds, clock), ANY, budget, root=0, clock=clock)


def test_the_allowance_grows_as_in_definition_19():
    run = administer_interactions(RandomAgent(), ANY, 100, root=0)
    assert [row.interactions for row in run.rows] == [1, 2, 3, 5, 8, 12, 18, 27]
    assert [row.spent for row in run.rows] == np.cumsum([1, 2, 3, 5, 8, 12, 18, 27]).tolist()
    assert run.status == "budget"
    assert run.interruption.allowance == 41
    assert run.interruption.interactions == 100 - 76
    assert abs(run.interruption.reward) < 1


def test_the_level_follows_the_rewards():
    run = administer_interactions(RandomAgent(), ANY, 1000, root=3)
    before = 1.0
    for row in run.rows:
        assert row.level >= before
        assert float(row.level - before).is_integer()
        assert row.level - 1 <= row.complexity <= row.level
        assert row.next_level == pytest.approx(row.level * (1 + row.reward / 2))
        before = row.next_level
    assert run.upsilon == pytest.approx(np.mean([row.reward for row in run.rows]))
    assert run.level == before


def test_a_finished_environment_at_the_end_of_the_budget_counts():
    run = administer_interactions(RandomAgent(), ANY, 6, root=0)
    assert (len(run.rows), run.interruption) == (3, None)


def test_shorter_budgets_are_prefixes_and_repetitions_differ():
    long, again, other, seeded, short = (
        administer_interactions(TabularQ(), ANY, budget, root=root, repetition=repetition)
        for budget, root, repetition in ((500, 1, 4), (500, 1, 4), (500, 1, 5), (500, 2, 4), (50, 1, 4))
    )
    assert long.rows[: len(short.rows)] == short.rows
    assert again == long
    assert long.rows not in (other.rows, seeded.rows)


def test_a_small_class_is_exhausted():
    run = administer_interactions(RandomAgent(), CupsClass(largest=4), 10**6, root=0)
    assert run.status == "exhausted"
    assert len(run.rows) <= 12
    assert run.interruption is None


@pytest.mark.parametrize(
    "nonsense", ["left", 5, -1, 1.0, None, True, np.array([1, 2]), np.array(1.0), np.array(True), math.nan]
)
def test_nonsense_is_refused_in_one_sentence(nonsense):
    with pytest.raises(AgentError, match="whole numbers 0 to 4"):
        administer_interactions(Always(nonsense), ANY, 100, root=0)


def test_a_test_can_be_stopped_at_any_time():
    class Leaving(RandomAgent):
        calls = 0

        def act(self):
            self.calls += 1
            if self.calls > 20:
                raise AgentStopped
            return super().act()

    run = administer_interactions(Leaving(), ANY, 100, root=0)
    assert run.status == "stopped"
    assert [row.interactions for row in run.rows] == [1, 2, 3, 5, 8]
    assert run.interruption.interactions == 1
    assert timed(Leaving(), 1e-7, 1.0).status == "stopped"


@pytest.mark.parametrize(
    ("rewards", "time", "mean"),
    [([1.0, -1.0, 1.0, 1.0], 1.0, 0.5), ([1.0, -1.0, 1.0, 1.0], 0.5, 0), ([1.0] * 2, 0.6, 1), ([1.0] * 2, 0.4, 0),
     ([], 0.0, 0)],
)  # fmt: skip
def test_diminishing_history(rewards, time, mean):
    assert diminishing_mean(rewards, time, 1.0) == mean


def test_the_time_grows_as_in_definition_18():
    run = timed(RandomAgent(), 2.0**-22, 64e-6)
    allowances = [row.allowance for row in run.rows]
    np.testing.assert_allclose(allowances, 1e-6 * 1.5 ** np.arange(len(allowances)))
    for row in run.rows:
        assert row.interactions == math.floor(row.allowance / 2.0**-22)
    assert run.status == "budget"
    assert run.interruption is not None
    assert run.rows[-1].spent <= 64e-6


def test_resting_on_first_gains_does_not_pay():
    """An agent that is lucky once and then sleeps for the rest of its time has no reward counted."""

    class Resting(RandomAgent):
        name = "resting"

        def __init__(self, clock):
            self.clock = clock

        def observe(self, observation, reward):
            self.happy = reward > 0

        def act(self):
            self.clock.sleep(1000.0 if self.happy else 1e-7)
            return super().act()

    clock = ManualClock()
    run = administer_seconds(Resting(clock), ANY, 16000.0, root=0, clock=clock, first=1.0)
    assert len(run.rows) > 5
    assert [row.reward for row in run.rows] == [0.0] * len(run.rows)
    assert all(row.interactions > 0 for row in run.rows)


def test_the_clock_must_move():
    with pytest.raises(InputError, match="stood still"):
        administer_seconds(Always(0), CupsClass(3), 1.0, root=0, clock=ManualClock())


def test_the_wall_clock_works():
    run = administer_seconds(RandomAgent(), ANY, 0.02, root=0, clock=Clock())
    assert run.rows
    spent = [row.spent for row in run.rows]
    assert spent == sorted(spent)
    assert spent[0] > 0
    assert spent[-1] <= 0.02 + 1.0  # a busy machine may hold up the last action; no clock can take it back


def test_the_black_cup_policy_presses_black_cups():
    agent = BlackCup()
    agent.begin(4, np.random.default_rng(0))
    agent.observe((1, 0, 1, 0), 0.0)
    assert {agent.act() for _ in range(50)} == {1, 3}
    agent.observe((1, 1, 1, 1), 0.0)
    assert {agent.act() for _ in range(100)} == {0, 1, 2, 3}


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


def test_plans_follow_the_best_cycle():
    following = np.array([[0, 1], [2, 1], [0, 0]])
    table = Table(following, np.array([0.1, -1.0, 1.0]), np.array([1.0, 0, 0]))
    assert plan(table).tolist()[0] == 0
    table = Table(following, np.array([0.1, -0.2, 1.0]), np.array([1.0, 0, 0]))
    assert plan(table)[[0, 1]].tolist() == [1, 0]
    assert plan(table, sign=-1)[1] == 1
