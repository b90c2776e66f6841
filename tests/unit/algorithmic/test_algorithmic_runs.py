"""Programs as text, settings and refusals; runs of agents on programs: known truth, sharding, failures, factories."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiq.errors import InputError
from aiq.wings.algorithmic.equations import (
    Population,
    Program,
    agents,
    estimation,
    machine,
    parse,
    render,
    runs,
)
from aiq.wings.algorithmic.equations.agents import MCAIXI, Freq, Outside, QLearning, Random
from aiq.wings.algorithmic.equations.machine import sample_programs
from aiq.wings.algorithmic.equations.runs import Block, PairOutcomes, merge, run_adaptive, run_blocks
from aiq.wings.algorithmic.equations.trials import Episode, Experiment

CODES = st.text("<>+-,.%", max_size=20).map(lambda body: body + "#")


@given(st.lists(st.tuples(st.integers(1, 20), CODES), min_size=1, max_size=10))
def test_text_is_read_back_and_empty_lines_are_skipped(rows):
    sample = tuple(Program(*row) for row in rows)
    assert parse(["", *render(sample).splitlines(), "  "]) == sample


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "sample is empty"),
        (["1 ,.#", "one ,.#"], "line 2"),
        (["21 ,.#"], "stratum 21"),
        (["1 ,.x#"], "'x' at position 2"),
        (["1 ,.]#"], "closes a loop at position 2"),
        (["1 ,[.#"], "1 loop(s) open"),
        (["1 ,."], "does not end in #"),
    ],
)
def test_bad_samples_are_refused_in_one_sentence(lines, words):
    with pytest.raises(InputError) as refusal:
        parse(lines)
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "parameters", "words"),
    [
        ("frek", {}, "did you mean 'freq'"),
        ("freq", {"epsilom": 0.1}, "did you mean 'epsilon'"),
        ("freq", {}, "lacks parameters"),
        ("freq", {"epsilon": "much"}, "give a number"),
        ("freq", {"epsilon": 1.5}, "allowed is [0, 1]"),
        ("freq", {"epsilon": float("nan")}, "allowed is [0, 1]"),
        ("hlq", {"initial": 0, "trace": 0.5, "epsilon": 0.1, "discount": 1.0}, "[0, 1)"),
        ("sarsa", {"initial": float("inf"), "trace": 0, "rate": 0.5, "epsilon": 0, "discount": 0}, "finite"),
        ("mc-aixi", {"simulations": 0, "depth": 4, "horizon": 2}, "simulations"),
    ],
)
def test_bad_agents_are_refused(name, parameters, words):
    with pytest.raises(InputError) as refusal:
        agents.make_agent(name, parameters)
    assert words in str(refusal.value)


@pytest.mark.parametrize(
    ("make", "values"),
    [
        (machine.MachineSettings, [(1,), (65,), (5, 0), (10, 7)]),
        (Episode, [(0,), (-3,), (10, 0.0), (10, 1.1), (10, float("nan"))]),
        (lambda word: sample_programs(0, 0, 0, simplification=word), [("one-pas",)]),
    ],
)
def test_settings_outside_their_range_are_refused(make, values):
    for arguments in values:
        with pytest.raises(InputError):
            make(*arguments)


def test_population_draws_in_the_order_of_the_sample_and_starts_again():
    population = Population([Program(2, ",.#"), Program(1, ".,#"), Program(2, ",,.#")])
    assert population.strata == (1, 2)
    assert population.probability(2) == pytest.approx(2 / 3)
    assert list(population.drawn(2, np.arange(5))) == [0, 2, 0, 2, 0]
    pooled = Population(population.programs, stratified=False)
    assert pooled.strata == (0,)
    assert list(pooled.drawn(0, np.arange(4))) == [0, 1, 2, 0]
    with pytest.raises(InputError):
        population.members(7)


Q = QLearning(0.0, 0.5, 0.5, 0.05, 0.6)
ALWAYS_FAILS = "+[]#"


@pytest.fixture(scope="module")
def population():
    return Population(sample_programs(6, 0, 10).programs)


def play(agent, length, pairs=1, code=",.#"):
    """Pairs of trials on one program; the default one pays the action, so a random agent has 0 on average."""
    episode = length if isinstance(length, Episode) else Episode(length)
    population = Population([Program(1, code)])
    return run_blocks(Experiment(agent, episode, 3), population, [Block(1, 0, pairs)])


@pytest.mark.parametrize(("depth", "factored", "learns"), [(16, False, True), (4, False, False), (4, True, True)])
def test_one_context_tree_needs_a_context_longer_than_a_cycle(depth, factored, learns):
    value = play(MCAIXI(20, depth, 2, factored=factored, common_random_numbers=False), 400).value.min()
    assert value > 70 if learns else value < 30


def test_epsilon_is_the_share_of_random_actions():
    """So a trained agent has 1 − ε of its best."""
    values = [play(MCAIXI(50, 4, 2, epsilon=epsilon), 1500, 2).value for epsilon in (0.0, 0.5, 1.0)]
    assert values[0].min() > 85
    assert np.abs(values[1] - values[0] / 2).max() < 6
    assert np.abs(values[2]).max() < 6


def test_common_random_numbers_draw_the_same_action_again_and_again():
    """One simulation finds no action better than another, so the plan is a draw."""
    scores = {}
    for common in (True, False):
        outcomes = play(MCAIXI(1, 0, 1, epsilon=0.0, common_random_numbers=common), 1000, 10)
        scores[common] = np.abs(np.concatenate([outcomes.plus, outcomes.minus]))
    assert np.abs(scores[True] - 50 * np.round(scores[True] / 50)).max() < 3
    assert set(np.round(scores[True] / 50)) == {0, 1, 2}
    assert scores[False].max() < 10


def test_discounting_weights_the_first_cycle_most():
    """The action two cycles before pays nothing in two cycles; one that always pays 50 cancels in a pair."""
    np.testing.assert_array_equal(play(Random(), Episode(2, 0.5), 5, ",,,.#").plus, 0)
    plain, legacy = (play(Random(), Episode(4, 0.5, legacy), 5, ">+.-<,#") for legacy in (False, True))
    assert plain.plus == pytest.approx(50)
    assert plain.minus == pytest.approx(-50)
    assert legacy.plus == pytest.approx(50 * 1.875 / 1.9375)


def test_failed_pairs_are_kept_counted_and_replaced_and_a_stratum_that_always_fails_is_given_up():
    population = Population([Program(11, ALWAYS_FAILS), Program(11, ",.#"), Program(11, ",.+#")])
    outcomes = run_adaptive(Experiment(Random(), Episode(20), 1), population, 40)
    assert outcomes.pairs == 20
    assert outcomes.failures >= 9
    result = estimation.quotient(outcomes, population)
    assert (result.failures, result.runs, result.reused) == (outcomes.failures, 40, 18)
    population = Population([Program(11, ALWAYS_FAILS), Program(1, ",.#"), Program(1, ",.#")])
    outcomes = run_adaptive(Experiment(Freq(0.05), Episode(20), 1), population, 40)
    result = estimation.quotient(outcomes, population)
    assert (result.dropped, result.strata[0].probability, outcomes.failures) == ((11,), 1, 100)
    with pytest.raises(InputError, match="zero strata left"):
        estimation.quotient(merge([]), Population([Program(11, ALWAYS_FAILS)]))


def test_plain_monte_carlo_agrees_with_stratification(population):
    plain_population = Population(population.programs, stratified=False)
    experiment = Experiment(Q, Episode(200), 1)
    plain = estimation.quotient(run_adaptive(experiment, plain_population, 1800), plain_population)
    stratified = estimation.quotient(run_adaptive(experiment, population, 1800), population)
    assert plain.half_weights == 0
    assert "plain Monte Carlo" in plain.estimate.method
    assert stratified.half_sampling < plain.half_sampling
    assert abs(plain.estimate.value - stratified.estimate.value) < 1.5 * plain.half_sampling


def test_values_by_length_and_stratum_add_up(population):
    outcomes = run_adaptive(Experiment(Q, Episode(100), 1), population, 1200)
    result = estimation.quotient(outcomes, population)
    total = sum(item.probability * item.estimate.value for item in result.strata)
    assert total == pytest.approx(result.estimate.value)
    assert sum(item.estimate.n for item in result.strata) == outcomes.pairs
    bins = estimation.by_length(outcomes, population)
    assert sum(item.estimate.n for item in bins) == outcomes.pairs
    assert sum(item.share for item in bins) == pytest.approx(1)
    (everything,) = estimation.by_length(outcomes, population, bounds=())
    assert everything.estimate.value == pytest.approx(result.estimate.value)
    half = everything.estimate.interval[1] - everything.estimate.value
    assert half == pytest.approx(estimation.quotient(outcomes, population, "realised").half_sampling)


def test_unknown_interval_and_foreign_outcomes_are_refused(population):
    experiment = Experiment(Random(), Episode(20), 1)
    one, elsewhere = (run_blocks(experiment, population, [Block(1, first, 4)]) for first in (0, 10))
    with pytest.raises(InputError, match="interval is 'exact'"):
        estimation.quotient(one, population, "exact")
    with pytest.raises(InputError, match="no draw in common"):
        estimation.difference(one, elsewhere, population)


@given(st.integers(0, 500), st.lists(st.floats(0.001, 1), min_size=1, max_size=20))
def test_allocation_gives_every_pair_and_every_stratum_one(pairs, shares):
    counts = runs.allocate(pairs, np.array(shares))
    assert counts.sum() == pairs
    if pairs >= len(shares):
        assert counts.min() >= 1
        ideal = 1 + (pairs - len(shares)) * np.array(shares) / sum(shares)
        assert np.abs(counts - ideal).max() <= 1 + 1e-6


def test_stages_end_where_the_source_says():
    assert runs.stage_pairs(20, 10_000) == [30, 60, 100, 200, 300, 500, 700, 1000, 2500, 5000]
    assert runs.stage_pairs(1, 1700)[-4:] == [500, 625, 750, 850]


def test_outcomes_out_of_order_or_range_are_refused():
    one, two = np.array([1, 1]), np.array([0, 0])
    with pytest.raises(ValueError, match="not sorted"):
        PairOutcomes(one, two, two, one, np.zeros(2), np.zeros(2))
    with pytest.raises(ValueError, match="outside"):
        PairOutcomes(one, np.array([0, 1]), two, one, np.full(2, 300.0), np.zeros(2))


class Copycat:
    """Takes the action that it was given as seed."""

    def __init__(self, actions, observations, seed, action=4):
        self.action = action

    def act(self, observation, reward):
        return self.action


class Broken(Copycat):
    def act(self, observation, reward):
        raise RuntimeError("out of ideas")


def test_an_agent_from_outside_plays():
    outcomes = play(Outside(f"{__name__}:Copycat", {"action": 3}), 30, 2)
    np.testing.assert_allclose(outcomes.plus, 50)
    np.testing.assert_allclose(outcomes.minus, -50)


@pytest.mark.parametrize(
    ("factory", "parameters", "words"),
    [
        ("Copycat", {"action": 5}, "returned the action 5; allowed are integers from 0 to 4"),
        ("Copycat", {"action": True}, "returned the action True"),
        ("Copycat", {"speed": 1}, "raised TypeError"),
        ("Broken", {}, "raised RuntimeError (out of ideas)"),
        ("Missing", {}, "not a callable"),
    ],
)
def test_agents_from_outside_that_misbehave_are_named(factory, parameters, words):
    with pytest.raises(InputError) as refusal:
        play(Outside(f"{__name__}:{factory}", parameters), 30)
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


UNCOMPILED = """
import warnings
warnings.simplefilter("ignore", RuntimeWarning)
from aiq.wings.algorithmic.equations.agents import MCAIXI
from tests.unit.algorithmic.test_algorithmic_runs import planned
for flags in ((True, True), (False, False)):
    print(*[value.hex() for value in planned(*flags)])
"""


def planned(factored, common):
    agent = MCAIXI(8, 5, 2, factored=factored, epsilon=0.3, common_random_numbers=common)
    outcomes = play(agent, 12, 2, ",>+.<[.+]>,-#")
    return [*outcomes.plus.tolist(), *outcomes.minus.tolist()]


def test_compiled_planner_equals_the_same_source_uncompiled(root):
    how = {"env": {**os.environ, "NUMBA_DISABLE_JIT": "1"}, "cwd": root, "check": True, "capture_output": True}
    done = subprocess.run([sys.executable, "-c", UNCOMPILED], text=True, **how)
    for flags, line in zip(((True, True), (False, False)), done.stdout.splitlines(), strict=True):
        values = [float.fromhex(word) for word in line.split()]
        np.testing.assert_allclose(planned(*flags), values, rtol=1e-12)
        assert len(set(values)) > 1
