"""The table of agents: ranks, means of means, kept cells, the verb; kernel agents through the one protocol."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from command_line import Aiq, record, refused
from hypothesis import given
from hypothesis import strategies as st

from aiq.agents.players import Pool
from aiq.agents.protocol import Agent, CannotPlay, Task, task_of
from aiq.agents.table import Entry, agreement, compared, ranked
from aiq.cli import agents as work
from aiq.errors import InputError
from aiq.records.comparison import AgentScore
from aiq.records.estimate import Estimate
from aiq.stats import geometric_mean_of_means, mean_of_means
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


def scored(value, half):
    return Estimate(value, None if half is None else (value - half, value + half), 5, "m")


def test_ranks_by_hand():
    """Errors of 1; six comparisons need a difference of 2.64 * sqrt 2 = 3.73."""
    found = ranked("m", {name: scored(v, 1.96) for name, v in {"a": 10.0, "b": 7.0, "c": 6.0, "d": 0.0}.items()})
    assert [(one.rank, one.interval) for one in found] == [(1, (1, 2)), (2, (1, 3)), (3, (2, 3)), (4, (4, 4))]
    assert {one.of for one in found} == {4}


def test_scores_without_interval_leave_all_ranks_open():
    found = ranked("m", {"a": scored(1.0, None), "b": scored(0.0, 0.1), "c": scored(5.0, 0.1)})
    assert [one.interval for one in found] == [(1, 3), (2, 3), (1, 2)]


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=6, unique=True))
def test_exact_scores_have_exact_ranks(values):
    found = ranked("m", {str(k): scored(v, 0.0) for k, v in enumerate(values)})
    truth = [1 + sorted(values, reverse=True).index(v) for v in values]
    assert [(one.rank, one.interval) for one in found] == [(rank, (rank, rank)) for rank in truth]


def test_agreement_counts_pairs_of_shared_agents():
    one = {"a": scored(0, 0.1), "b": scored(5, 0.1), "c": scored(9, 0.1), "x": scored(1, 0.1)}
    two = {"a": scored(0, 0.1), "b": scored(5, 0.1), "c": scored(2, 0.1), "d": scored(2, 0.1)}
    found = agreement(("m", "n"), one, two)
    assert (found.alike, found.opposite, found.undecided) == (2, 1, 0)
    two["c"] = scored(5, 2.0)
    found = agreement(("m", "n"), one, two)
    assert (found.alike, found.opposite, found.undecided) == (2, 0, 1)


def test_ranges_of_ranks_hold_all_true_ranks_at_once():
    """Normal scores of five agents with five repetitions each, Student's intervals: 95 % are promised."""
    rng, truth, held = np.random.default_rng(5), np.array([0.0, 0.5, 1.0, 1.5, 4.0]), 0
    ranks = {str(k): 5 - k for k in range(5)}
    for _ in range(400):
        drawn = truth[:, None] + rng.normal(size=(5, 5))
        found = ranked("m", {str(k): mean_of_means(row[None]) for k, row in enumerate(drawn)})
        held += all(one.interval[0] <= ranks[one.agent] <= one.interval[1] for one in found)
    assert held / 400 >= 0.95


def test_means_of_means_by_hand():
    values = [[1.0, 3.0], [4.0, 4.0]]
    found = mean_of_means(values)
    assert found.value == 3.0
    assert found.interval[1] - 3 == pytest.approx(12.706 * 0.5, rel=1e-4)  # error 1 of a mean, over 2; 1 degree
    both = geometric_mean_of_means(values)
    assert both.value == pytest.approx(8**0.5)
    assert np.log(both.interval[1] / both.value) == pytest.approx(12.706 * 0.25, rel=1e-4)
    assert mean_of_means([[1.0], [2.0]]).interval is None
    assert mean_of_means([[1.0, 1.0]]).interval is None
    assert geometric_mean_of_means([[0.0, 0.0], [1.0, 2.0]]).interval is None


@pytest.mark.parametrize(("samples", "n"), [(3, 4), (7, 5), (16, 8)])
def test_intervals_of_the_geometric_mean_cover(samples, n):
    """Performances like those of trials: beta of different means and spreads."""
    rng = np.random.default_rng(samples)
    means = np.linspace(0.2, 0.9, samples)
    true, held = np.exp(np.log(means).mean()), 0
    for _ in range(1000):
        drawn = rng.beta(20 * means[:, None], 20 * (1 - means[:, None]), size=(samples, n))
        low, high = geometric_mean_of_means(drawn).interval
        held += low <= true <= high
    assert 0.93 <= held / 1000 <= 0.985


def test_cells_have_a_score_or_a_reason():
    for what in ((None,), (scored(1, 1), "why")):
        with pytest.raises(ValueError, match="a score or a reason"):
            AgentScore("a", "m", *what)
    with pytest.raises(ValueError, match="lacks cells"):
        compared(("a", "b"), ("m",), (AgentScore("a", "m", scored(1, 1)),), 0)


def test_a_dash_stands_where_there_is_no_score_and_the_reason_below():
    names, measures = ("a", "b"), ("m", "n")
    cells = [AgentScore(a, m, scored(1.0, 0.5)) for a, m in itertools.product(names, measures)]
    cells[3] = AgentScore("b", "n", None, "it is blind")
    tables = work._displays(compared(names, measures, tuple(cells), 0), {"m": "one", "n": "two"})
    assert tables[0].rows == (("a", "1 [0.5, 1.5]", "1 [0.5, 1.5]"), ("b", "1 [0.5, 1.5]", None))
    assert "b, n: cannot: it is blind" in tables[0].sentences
    assert tables[1].rows == (("a", "1 [1, 2]", "1 [1, 1]"), ("b", "1 [1, 2]", None))


# ---- the verb

SMALL = ("--tests", "2", "--budget", "20", "--measure", "anytime-grid")


def test_the_verb_prints_one_object(aiq: Aiq):
    told = record(aiq("agents", "random", "planner", *SMALL, "--json"))
    assert {"agents", "measures", "scores", "ranks", "agreements", "sizes", "seed"} <= set(told)
    assert told["scores"][1]["score"]["value"] > 0.1


def test_the_verb_lists_what_it_knows(aiq: Aiq):
    told = record(aiq("agents", "--json"))
    assert {"random", "q", "hlq", "mc-aixi", "dqn", "planner", "lookout"} <= set(told["agents"])
    assert {"algorithmic", "anytime-grid", "collectives", "games", "suite", "novelty"} <= set(told["measures"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("randon", *SMALL), "did you mean 'random'"),
        (("random", "--measure", "algoritmic"), "did you mean 'algorithmic'"),
        (("random", "random", *SMALL), "each once"),
        (("random", *SMALL, "--budget", "0"), "budget"),
        (("random", *SMALL, "--network", "none.npz"), "none.npz is no NPZ file"),
    ],
)
def test_bad_input_is_one_sentence(aiq: Aiq, arguments, words):
    refused(aiq("agents", *arguments), words)


def test_cells_are_kept_and_taken_again(aiq: Aiq, monkeypatch):
    keep = ("--keep", "cells")
    verb = ("agents", "random", "dqn", *SMALL[:4], "--measure", "anytime-cups", *keep, "--json")
    first = record(aiq(*verb))
    monkeypatch.setattr("aiq.agents.table.cell", None)  # whatever is computed anew now fails
    assert record(aiq(*verb)) == first
    assert first["scores"][1]["cannot"].startswith("environments differ")
    refused(aiq("agents", "random", "--measure", "anytime-cups", "--tests", "3", *keep), "give another folder")


def test_performances_are_a_table_for_aiq_score():
    named = (("t", (0.5, 0.25)), ("u", (1.0, 0.5)))
    cells = (AgentScore("a", "m", scored(1, 1), "", 0.0, named), AgentScore("a", "n", scored(1, 1), "", 0.0, named[:1]))
    table = work._performances(compared(("a",), ("m", "n"), cells, 0))
    assert table.columns == ("agent", "domain", "performance", "repetition")
    assert table.rows == (("a", "t", 0.5, 0), ("a", "t", 0.25, 1), ("a", "u", 1.0, 0), ("a", "u", 0.5, 1))


def test_a_network_must_fit_the_cart_pole(tmp_path):
    np.savez(tmp_path / "n.npz", a=np.zeros((3, 4)), b=np.zeros(5))
    with pytest.raises(InputError, match="no network of 10 inputs"):
        work._network(tmp_path / "n.npz")


# ---- kernel agents through the protocol: the very scores of the compiled loops on the same draws ---


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
