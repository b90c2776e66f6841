"""Programs as text, the machine's settings, agents' parameters: round trips and refusals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiq.errors import InputError
from aiq.wings.algorithmic.equations import (
    Population,
    Program,
    agents,
    machine,
    parse,
    render,
)
from aiq.wings.algorithmic.equations.machine import sample_programs
from aiq.wings.algorithmic.equations.trials import Episode
from aiq.wings.algorithmic.settings import BLOCK

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


@pytest.mark.parametrize(("symbols", "middle"), [(2, 0), (4, 1), (5, 2)])
def test_rewards_are_spread_from_minus_to_plus_100(symbols, middle):
    assert machine.MachineSettings(symbols).middle == middle
    rewards = [machine.reward_value(symbol, symbols) for symbol in range(symbols)]
    assert (rewards[0], rewards[-1]) == (-100, 100)
    np.testing.assert_allclose(np.diff(rewards), 200 / (symbols - 1))


def test_discount_weights_are_normalised_and_legacy_has_one_term_too_many():
    assert Episode(3, 0.5).normaliser == pytest.approx(1 + 0.5 + 0.25)
    assert Episode(3, 0.5, legacy=True).normaliser == pytest.approx(1 + 0.5 + 0.25 + 0.125)
    assert Episode(3).normaliser == Episode(3, legacy=True).normaliser == 3


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


def test_shards_laid_end_to_end_are_the_sample():
    whole = sample_programs(4, 0, 3)
    parts = [sample_programs(4, 0, 1), sample_programs(4, 1, 3)]
    assert parts[0].programs + parts[1].programs == whole.programs
    assert len(whole.programs) == 3 * BLOCK
    assert sum(part.candidates for part in parts) == whole.candidates
    assert sample_programs(5, 0, 3).programs != whole.programs


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
