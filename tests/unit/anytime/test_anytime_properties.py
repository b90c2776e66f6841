"""What must hold of the test whoever is examined (properties of the anytime test).

The seeds are fixed, so a test passes always or never; the probabilities say how likely a faithful
program would have failed with a seed drawn at random.
"""

from functools import cache

import numpy as np
import pytest
from scipy import stats

from aiq.wings.anytime.equations import ManualClock, RandomAgent, SandbaggingAgent, SlowAgent, TabularQ
from aiq.wings.anytime.equations.administer import administer_interactions, administer_seconds
from aiq.wings.anytime.equations.automata import AutomatonClass
from aiq.wings.anytime.equations.classes import BlackCup, CupsClass, FollowGood, Grid, GridClass, ways

CLASSES = {"cups": CupsClass(), "automata": AutomatonClass(), "grid": GridClass()}
REPETITIONS = 30


AGENTS = {
    "random": lambda cls: RandomAgent(),
    "q": lambda cls: TabularQ(),
    "black cup": lambda cls: BlackCup(),
    "follow good": lambda cls: FollowGood(),
    "oracle": lambda cls: cls.oracle(),
    "failing": lambda cls: SandbaggingAgent(cls.oracle(), cls.oracle(-1)),
    "guessing": lambda cls: SandbaggingAgent(cls.oracle(), RandomAgent()),
}


@cache
def examined(agent, name, budget, repetitions=REPETITIONS):
    """Tests of an agent, by the word of ``AGENTS``, on a class."""
    cls = CLASSES[name]
    return [administer_interactions(AGENTS[agent](cls), cls, budget, root=7, repetition=r) for r in range(repetitions)]


def upsilons(runs):
    return np.array([run.upsilon for run in runs])


def p_value(values):
    """Two-sided probability of a mean so far from 0 if the expected value is 0."""
    return stats.ttest_1samp(values, 0.0).pvalue


def above(values, others=0.0):
    """One-sided probability of a mean so far above, paired by repetition, if there is no difference."""
    return stats.ttest_1samp(np.asarray(values) - np.asarray(others), 0.0, alternative="greater").pvalue


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("budget", [20, 100, 400])
def test_a_random_agent_has_zero_at_every_budget(name, budget):
    """A fair test fails one of the nine cases with probability 9e-3.

    ξ grows by vain choices alone: the median stays within a small factor of the easiest environments.
    """
    runs = examined("random", name, budget, 60)
    assert p_value(upsilons(runs)) > 1e-3
    assert upsilons(runs).std() > 0
    easiest = {"cups": 3, "automata": 16, "grid": 2}[name]
    assert np.median([run.level for run in runs]) < 3 * easiest


@pytest.mark.parametrize("name", CLASSES)
def test_a_competent_agent_rises_with_the_budget(name):
    """ξ and R of the later environments are above those of the earlier (each wrong with probability 1e-3)."""
    competent = {"cups": "black cup", "automata": "q", "grid": "oracle"}[name]
    runs = examined(competent, name, 500)
    levels = np.array([[run.rows[2].next_level, run.rows[-1].next_level] for run in runs])
    assert above(levels[:, 1], levels[:, 0]) < 1e-3
    assert above(upsilons(runs)) < 1e-3
    if name == "grid":
        early, late = (
            [np.mean([row.reward for row in run.rows[part]]) for run in runs] for part in (slice(3), slice(-3, None))
        )
        assert above(late, early) < 1e-3


@pytest.mark.parametrize("name", CLASSES)
def test_the_oracle_is_highest_and_failing_on_purpose_does_not_pay(name):
    """Above every other agent of its class, and every cheat below it (each wrong with probability 1e-3)."""
    own = {"cups": ["black cup"], "automata": [], "grid": ["follow good"]}[name]
    others = ["random", "q", "failing", "guessing", *own]
    best = examined("oracle", name, 200)
    for other in others:
        assert above(upsilons(best), upsilons(examined(other, name, 200))) < 1e-3, other
    assert np.mean([run.level for run in examined("failing", name, 200)]) < np.mean([run.level for run in best])


def timed(agent, seconds, budget, cls, repetition):
    clock = ManualClock()
    slow = SlowAgent(agent, seconds, clock)
    return administer_seconds(slow, cls, budget, root=7, repetition=repetition, clock=clock)


@pytest.mark.parametrize("name", CLASSES)
def test_a_slow_agent_has_zero_under_a_small_time_budget(name):
    """An oracle that takes a second per action gets exactly 0 in a millisecond; with time it is good."""
    cls = CLASSES[name]
    runs = [timed(cls.oracle(), 1.0, 1e-3, cls, r) for r in range(3)]
    assert all(run.upsilon == 0.0 for run in runs)
    assert all(row.interactions == 0 for run in runs for row in run.rows)
    later = [timed(cls.oracle(), 1.0, 1000.0, cls, r) for r in range(12)]
    last = [np.mean([row.reward for row in run.rows if row.interactions > 10]) for run in later]
    assert above(last) < 1e-3


def test_a_random_agent_has_zero_in_physical_time():
    """Wrong with probability 1e-3."""
    values = [timed(RandomAgent(), 1e-6, 2e-4, CLASSES["grid"], r).upsilon for r in range(60)]
    assert p_value(values) > 1e-3


def test_following_good_tends_to_what_goods_cell_pays():
    """Once it knows the path, the policy is on Good's cell: the reward is 1 − 1/(d_Evil + 1)."""
    for seed, paths in enumerate([("R", "L"), ("RDLU", "S"), ("UULRDD", "DR"), ("S", "U")]):
        grid = Grid(*paths, (4, 4), (7, 1))
        agent = FollowGood()
        rng = np.random.default_rng(seed)
        first = grid.reset(rng)
        agent.begin(5, rng)
        agent.observe(first, 0.0)
        on, gained = [], []
        for _ in range(2000):
            reward, observation = grid.step(agent.act())
            agent.observe(observation, reward)
            on.append(ways(grid.agent, grid.good) == (0, 0))
            gained.append(reward)
        assert np.mean(on[-700:]) > 0.8
        assert np.mean(gained[-700:]) > 0.5
