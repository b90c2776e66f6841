"""Kernel agents through the protocol: the very scores of the compiled loops on the same draws."""

from dataclasses import replace

import numpy as np
import pytest

from aiq.agents.players import Pool
from aiq.agents.protocol import Agent, CannotPlay, Task, task_of
from aiq.agents.table import Entry
from aiq.errors import InputError
from aiq.wings.algorithmic import environment as bf
from aiq.wings.algorithmic.domain import BF
from aiq.wings.algorithmic.environment import Algorithmic, Pairs, sample
from aiq.wings.algorithmic.equations import base, start
from aiq.wings.algorithmic.equations.agents import HLQ, MCAIXI, Freq, QLearning, Random, Sarsa
from aiq.wings.algorithmic.equations.runs import run_adaptive
from aiq.wings.algorithmic.equations.trials import Episode, Experiment
from aiq.wings.algorithmic.players import Aixi, Tabular
from aiq.wings.anytime.environments import Anytime, Examinee, FromAnytime
from aiq.wings.anytime.equations import RandomAgent, TabularQ
from aiq.wings.anytime.equations.administer import administer_interactions
from aiq.wings.anytime.equations.classes import FollowGood, GridClass
from aiq.wings.collectives.environment import Collectives, Moves
from aiq.wings.collectives.equations import kind_code, seeded
from aiq.wings.collectives.equations.simulation import episodes_seed, simulate
from aiq.wings.novelty.networks import Frozen
from aiq.wings.novelty.protocol import Arena, Plan, play_trial

LEARNERS = {
    "random": Random(),
    "freq": Freq(0.1),
    "q": QLearning(0.0, 0.5, 0.5, 0.1, 0.6),
    "hlq": HLQ(0.0, 0.95, 0.1, 0.7),
    "sarsa": Sarsa(0.0, 0.5, 0.5, 0.1, 0.6),
}
BF_TASK = task_of(bf.kernel(BF(source="bf", program=",.#", steps=60)), "bf", 60)
AIXI = MCAIXI(6, 12, 2)


class OnStreams(Pairs):
    """Pairs whose agents have the random numbers of the compiled loop."""

    def _told(self, seed, stratum, draw, sign):
        agent = super()._told(seed, stratum, draw, sign)
        own, search = np.zeros((2, 4), np.uint64)
        start(own, base(seed, "trial"), stratum, draw, 2 * sign + 1)
        start(search, base(seed, "trial"), stratum, draw, 4 + sign)
        agent.stream[:] = own
        if isinstance(agent, Aixi):
            agent._search_start[:] = agent.searching[:] = search
        return agent


def outcomes(agent, length, runs):
    return run_adaptive(Experiment(agent, Episode(length), 3), sample(120, 5), runs)


@pytest.mark.parametrize("name", LEARNERS)
def test_learners_through_the_protocol_have_the_compiled_scores(name):
    made = OnStreams(lambda: Tabular(LEARNERS[name]), BF_TASK)
    own, found = outcomes(LEARNERS[name], 60, 120), outcomes(made, 60, 120)
    for column in ("stratum", "draw", "program", "plus", "minus"):
        assert np.array_equal(getattr(own, column), getattr(found, column), equal_nan=True)
    assert np.isfinite(own.plus).sum() >= 60


@pytest.mark.parametrize("settings", [AIXI, MCAIXI(6, 12, 2, factored=False, common_random_numbers=False)], ids=str)
def test_mc_aixi_through_the_protocol_has_the_compiled_scores(settings):
    own, found = outcomes(settings, 20, 110), outcomes(OnStreams(lambda: Aixi(settings), BF_TASK), 20, 110)
    assert np.array_equal(own.plus, found.plus, equal_nan=True)
    assert np.array_equal(own.minus, found.minus, equal_nan=True)


@pytest.mark.parametrize("kind", ["random", "local_search"])
def test_single_agents_of_lambda_star_have_the_kernels_scores(kind):
    measure = Collectives(side=6, episodes=40, steps=20)
    (own,) = simulate([kind], measure.settings, 11, 0, 40)
    seed, task, agents = episodes_seed(measure.settings, 11), measure.task(11), []
    for episode in range(40):
        agent = Moves(kind)
        agent.begin(task)
        seeded(agent.stream, seed, episode, kind_code(kind))
        agents.append(agent)
    found = measure.block(agents, 11)
    assert np.array_equal(found.complexities, own.complexities)
    assert found.scores == pytest.approx(own.scores, abs=1e-12)


@pytest.mark.parametrize("make", [RandomAgent, TabularQ, FollowGood])
def test_an_examinee_adapted_twice_has_its_own_test(make):
    class Seeded(make):
        """Draws its generator as the adapter does."""

        def begin(self, actions, rng):
            super().begin(actions, np.random.default_rng(int(rng.integers(2**63))))

    task = Anytime("grid").task
    own = administer_interactions(Seeded(), GridClass(), 150, root=2)
    found = administer_interactions(Examinee(FromAnytime(make()), task), GridClass(), 150, root=2)
    assert [row.reward for row in own.rows] == [row.reward for row in found.rows]


def test_an_agent_of_the_table_has_the_trial_of_the_evaluations_own_with_the_same_network():
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=shape).astype(np.float32) for shape in ((8, 10), (8,), (5, 8), (5,))]
    arena, plan, pool = Arena(), Plan(episodes=4, earliest=1, latest=2), Pool()
    pool.take("novelty", weights)
    own, other = (play_trial(arena, agent, plan, 14, "easy", 0, 0) for agent in (Frozen(weights), pool))
    arena.close()
    assert own.performance == other.performance
    assert 0 < max(own.performance) < 1


def test_what_cannot_be_played_is_said():
    real = Task("pole", 2, 4, None, (0.0, 1.0), 10)
    for agent, task, words in (
        (Tabular(LEARNERS["q"]), real, "observations are 4 real numbers"),
        (Aixi(AIXI), real, "observations are 4 real numbers"),
        (Aixi(AIXI), replace(BF_TASK, horizon=5001), "too slow"),
        (Moves("local_search"), BF_TASK, "Lambda\\* alone"),
    ):
        with pytest.raises(CannotPlay, match=words):
            agent.begin(task)
    with pytest.raises(InputError, match="leave legacy out"):
        Tabular(QLearning(0.0, 0.5, 0.5, 0.1, 0.6, legacy=True))
    Tabular(Random()).begin(real)


def test_agents_have_the_protocol():
    made = [Tabular(Random()), Aixi(AIXI), Moves("random"), FromAnytime(RandomAgent()), Pool(), Frozen([])]
    assert all(isinstance(agent, Agent) for agent in made)
    assert not isinstance(RandomAgent(), Agent)


def test_a_learner_in_a_task_that_ends_learns_the_last_reward_and_stops_when_told():
    """Action 1 leads to the end with reward 1, action 0 with 0: once both were tried it is known."""
    task = Task("door", 2, 1, (0.0, 1.0), (0.0, 1.0), 5, 100, seed=4)
    agent, paid = Tabular(QLearning(0.0, 0.0, 0.5, 0.5, 0.9)), []
    agent.begin(task)
    for episode in range(100):
        agent.learning = episode < 60
        agent.start(np.array([0]))
        paid.append(agent.act())
        agent.observe(float(paid[-1]), np.array([1]), True)
    assert np.mean(paid[:60]) < 0.95
    assert paid[60:] == [1] * 40


def test_more_learning_gives_a_higher_quotient_than_none():
    measure = Algorithmic(programs=300, length=80, runs=300)
    learner, lost = (measure.score(Entry(n, lambda n=n: Tabular(LEARNERS[n])), 1).estimate for n in ("q", "random"))
    assert learner.interval[0] > lost.interval[1]
