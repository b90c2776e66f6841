"""Closed forms and invariants of the quotient (specification section 7)."""

import json
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from placed import names, scattered
from scipy.spatial import ConvexHull

from aiq.errors import InputError
from aiq.measures import quotient, space
from aiq.measures.quotient.hull import Budget


def orthogonal(c, **options):
    return space.build(names(len(c)), c, 1 - np.eye(len(c)), **options)


def random_space(rng, n, kept):
    d = scattered(rng, n, 0.4)
    return space.build(names(n), rng.uniform(0.3, 1, n), d, dimensions=kept)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 9])
def test_orthogonal_axes_have_the_product_over_the_factorial(n):
    rng = np.random.default_rng(n)
    c, v = rng.uniform(0.2, 1, n), rng.uniform(0.1, 1, n)
    c[0] = 1
    whole = quotient.score(orthogonal(c), ["x"], v[None])
    (found,) = whole.agents
    assert (whole.order_probabilities, found.volume.interval) == (None, None)
    assert "no replicates" in whole.method
    assert found.volume.value == pytest.approx(np.prod(c * v) / math.factorial(n), rel=1e-10)
    assert found.relative.value == pytest.approx(np.prod(v), rel=1e-10)
    assert found.per_dimension.value == pytest.approx(np.prod(v) ** (1 / n), rel=1e-10)
    assert found.mean.value == pytest.approx(v.mean())
    assert set(found.vertices) == set(names(n))
    np.testing.assert_allclose(found.losses, found.volume.value)


def test_the_papers_example_of_a_test_inside_another_changes_nothing():
    # A = (0, 1), B = (1, 0), C = (.5, 0): C is a subset of B
    d = np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    with_c = quotient.score(space.build(["A", "B", "C"], [1, 1, 0.5], d), ["x"], [[1, 1, 1]])
    without = quotient.score(space.build(["A", "B"], [1, 1], 1 - np.eye(2)), ["x"], [[1, 1]])
    assert with_c.dimensions == 2
    assert with_c.suite.volume == pytest.approx(without.suite.volume) == pytest.approx(0.5)
    assert set(with_c.agents[0].vertices) == {"A", "B"}
    assert with_c.suite_losses == pytest.approx((0.5, 0.25, 0.0))
    weak_b = quotient.score(space.build(["A", "B", "C"], [1, 1, 0.5], d), ["x"], [[1, 0.2, 1]])
    assert set(weak_b.agents[0].vertices) == {"A", "C"}


def test_doubling_every_test_changes_nothing():
    rng = np.random.default_rng(0)
    d = scattered(rng, 4, 0.5)
    c, v = rng.uniform(0.3, 1, 4), rng.uniform(0.2, 1, (2, 4))
    index = np.repeat(np.arange(4), 2)
    once = quotient.score(space.build(names(4), c, d), ["x", "y"], v)
    twice = quotient.score(space.build(names(8), c[index], d[np.ix_(index, index)]), ["x", "y"], v[:, index])
    assert twice.dimensions == once.dimensions
    for a, b in zip(once.agents, twice.agents, strict=True):
        assert b.volume.value == pytest.approx(a.volume.value, rel=1e-9)
        assert b.losses == pytest.approx([0] * 8, abs=1e-12)


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), n=st.integers(3, 8), kept=st.integers(1, 3), t=st.floats(0.01, 1))
def test_volume_never_falls_when_a_performance_rises_and_scales_with_its_power(seed, n, kept, t):
    rng = np.random.default_rng(seed)
    try:
        where = random_space(rng, n, kept)
    except InputError as error:  # random dissimilarities may span fewer dimensions than asked for
        assume("span only" not in str(error))
        raise
    v = rng.uniform(0, 1, n)
    better = v.copy()
    i = int(rng.integers(n))
    better[i] += rng.uniform() * (1 - v[i])
    found = {a.agent: a for a in quotient.score(where, ["v", "better", "tv"], [v, better, t * v]).agents}
    assert found["better"].volume.value >= found["v"].volume.value * (1 - 1e-9)
    assert found["tv"].volume.value == pytest.approx(t**kept * found["v"].volume.value, rel=1e-9, abs=1e-300)
    assert 0 <= found["v"].relative.value <= 1 + 1e-9
    assert found["better"].rank <= found["v"].rank <= found["tv"].rank


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_relabelling_and_reordering_domains_and_agents_changes_nothing(seed):
    rng = np.random.default_rng(seed)
    n = 6
    d = scattered(rng, n, 0.4)
    c, v = rng.uniform(0.3, 1, n), rng.uniform(0, 1, (3, n))
    order, agents = rng.permutation(n), rng.permutation(3)
    plain = quotient.score(space.build(names(n), c, d), ["a", "b", "c"], v)
    where = space.build([f"z{99 - i}" for i in range(n)], c[order], d[np.ix_(order, order)])
    other = quotient.score(where, ["abc"[i] for i in agents], v[agents][:, order])
    assert [a.agent for a in other.agents] == [a.agent for a in plain.agents]
    for one, two in zip(plain.agents, other.agents, strict=True):
        assert two.volume.value == pytest.approx(one.volume.value, rel=1e-9)


def test_an_agent_of_lower_rank_has_no_volume_and_a_labelled_area():
    found = quotient.score(orthogonal([1, 0.8, 0.5]), ["flat", "none", "full"], [[1, 1, 0], [0, 0, 0], [0.1, 0.1, 0.1]])
    full, flat, none = found.agents
    assert [a.agent for a in found.agents] == ["full", "flat", "none"]
    assert (full.rank, flat.rank, none.rank) == (1, 2, 2)
    assert flat.volume.value == 0 == flat.per_dimension.value
    assert flat.hull.rank == 2
    assert flat.hull.span_volume == pytest.approx(0.4)
    assert none.hull.rank == 0
    assert none.as_dict()["span_dimension"] == 0


def noisy(c, seed, replicates=200):
    rng = np.random.default_rng(seed)
    n = len(c)
    d = 0.8 * (1 - np.eye(n))
    boot_d = d * (1 + 0.05 * rng.normal(size=(replicates, n, n)))
    boot_d = (boot_d + boot_d.transpose(0, 2, 1)) / 2
    boot_c = np.asarray(c) * (1 + 0.05 * rng.normal(size=(replicates, n)))
    return space.build(names(n), c, d, complexity_replicates=boot_c, dissimilarity_replicates=boot_d, null="propagated")


def test_relative_scores_use_each_replicates_own_suite():
    where = noisy([1, 0.8, 0.6], 0)
    assert where.dimensions == 3
    found = quotient.score(where, ["x"], [[0.5, 0.6, 0.7]]).agents[0]
    # as many tests as dimensions: relative is the product of performances in every replicate
    np.testing.assert_allclose(found.relative.interval, 0.21, rtol=1e-9)
    low, high = found.volume.interval
    assert low < found.volume.value * 1.05
    assert high - low > 0.05 * found.volume.value


def test_the_agents_own_repetitions_move_interval_and_order():
    rng = np.random.default_rng(1)
    v = np.array([[0.62, 0.6, 0.6], [0.6, 0.6, 0.6], [0.2, 0.2, 0.2]])
    boot = np.clip(v + 0.05 * rng.normal(size=(300, 3, 3)), 0, 1)
    found = quotient.score(orthogonal([1, 0.9, 0.8]), ["x", "y", "z"], v, boot, seed=4)
    table = found.order_probabilities
    np.testing.assert_allclose(table + table.T, 1)
    assert 0.5 < table[0, 1] < 0.9
    assert table[0, 2] > 0.99
    first = found.agents[0]
    expected = np.quantile(boot[:, 0].prod(axis=1), [0.025, 0.975])
    np.testing.assert_allclose(first.relative.interval, expected, rtol=1e-9)
    assert first.mean.interval[0] < first.mean.value < first.mean.interval[1]
    assert found.replicates == 300


def test_sources_with_different_numbers_of_replicates_are_paired():
    v = np.full((1, 3), 0.5)
    found = quotient.score(noisy([1, 0.8, 0.6], 0, replicates=50), ["x"], v, np.full((120, 1, 3), 0.5))
    assert found.replicates == found.replicates_given == 120


def test_equal_agents_are_tied_everywhere():
    where = noisy([1, 0.8, 0.6], 0, replicates=40)
    found = quotient.score(where, ["x", "y"], np.full((2, 3), 0.5))
    assert [a.rank for a in found.agents] == [1, 1]
    np.testing.assert_array_equal(found.order_probabilities, 0.5)


def test_the_total_budget_cuts_the_bootstrap_and_says_so():
    where = noisy([1, 0.8, 0.6], 0, replicates=60)
    cut = quotient.score(where, ["x"], [[0.5, 0.5, 0.5]], budget=Budget(total=30 * 2 * 100))
    assert (cut.replicates, cut.replicates_given) == (30, 60)
    assert "30 replicates of 60" in cut.method
    few = quotient.score(where, ["x"], [[0.5, 0.5, 0.5]], budget=Budget(total=5 * 2 * 100))
    assert few.agents[0].volume.interval is None
    assert "too few for intervals" in few.method
    none = quotient.score(where, ["x"], [[0.5, 0.5, 0.5]], budget=Budget(total=1))
    assert none.replicates == 0
    assert none.agents[0].volume.value == few.agents[0].volume.value
    json.dumps(none.as_dict(), allow_nan=False)


def test_a_suite_that_collapses_in_a_replicate_is_counted():
    boot = np.tile(1 - np.eye(2), (40, 1, 1))
    boot[:10] = 0  # ten resamples in which the two tests are the same
    where = space.build(names(2), [1, 1], 1 - 0.9 * np.eye(2), dissimilarity_replicates=boot)
    assert where.dimensions == 2
    found = quotient.score(where, ["x"], [[0.5, 0.5]])
    assert found.replicates_flat == 10
    assert found.agents[0].volume.interval == pytest.approx((0, 0.125))
    assert found.agents[0].relative.interval == pytest.approx((0.25, 0.25))


def test_above_the_facet_budget_the_approximation_agrees_and_is_named():
    rng = np.random.default_rng(3)
    where = random_space(rng, 8, 3)
    v = rng.uniform(0.4, 1, (2, 8))
    exact = quotient.score(where, ["x", "y"], v)
    found = quotient.score(where, ["x", "y"], v, budget=Budget(facets=1, work=1, groups=4))
    assert found.suite.method == "sampled"
    assert found.suite_losses is None
    assert any("volumes are sampled, with standard errors" in sentence for sentence in found.warnings)
    for a in found.agents:
        b = next(b for b in exact.agents if b.agent == a.agent)
        assert a.as_dict()["method"] in {"sampled", "determinant"}
        assert abs(a.volume.value - b.volume.value) <= 4 * a.hull.error + 1e-12


def test_losses_are_those_of_the_suite_without_the_domain():
    rng = np.random.default_rng(5)
    where = random_space(rng, 7, 2)
    found = quotient.score(where, ["x"], np.ones((1, 7)))
    for i, loss in enumerate(found.suite_losses):
        rest = np.vstack([np.delete(where.coordinates, i, axis=0), [0, 0]])
        assert loss == pytest.approx(found.suite.volume - ConvexHull(rest).volume, abs=1e-12)
        assert (loss > 1e-12) == (where.domains[i] in found.suite_vertices)


GOOD = {"agents": ["x", "y"], "performance": np.full((2, 3), 0.5)}


def spoiled(value):
    table = np.full((2, 3), 0.5)
    table[1, 2] = value
    return table


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"performance": spoiled(1.5)}, r"agent 'y' on domain 'd2' is 1\.5; it must lie within \[0, 1\]"),
        ({"performance": spoiled(np.nan)}, r"agent 'y' on domain 'd2' is nan"),
        ({"performance": np.ones((2, 2))}, r"performance has shape \(2, 2\), expected \(2 agents, 3 domains\)"),
        ({"performance_replicates": np.ones((2, 3))}, r"performance_replicates has shape \(2, 3\), expected \(rep"),
        ({"agents": ["x", "x"]}, r"agent 'x' is named 2 times"),
        ({"agents": [], "performance": np.ones((0, 3))}, r"at least one agent"),
        ({"confidence": 0}, r"confidence is 0"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(change, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        quotient.score(orthogonal([1, 1, 1]), **(GOOD | change))
    assert "\n" not in str(caught.value)


def test_a_value_outside_its_interval_is_said():
    table = np.array([[0.5, 0.6], [0.3, 0.2]])
    draws = np.clip(table + np.random.default_rng(0).normal(0, 0.02, (200, 2, 2)), 0, 1)
    made = quotient.score(orthogonal([1, 0.8]), ["x", "y"], table, draws)
    assert not any("outside its interval" in sentence for sentence in made.warnings)
    moved = replace(made.agents[0], per_dimension=replace(made.agents[0].per_dimension, interval=(0.8, 0.9)))
    boot = SimpleNamespace(used=100, flat=np.zeros(100, dtype=bool))
    found = quotient._sentences(orthogonal([1, 0.8]), [moved, made.agents[1]], boot, True, (), made.suite)
    assert [s for s in found if "outside its interval" in s and "x" in s and "fewer than 2 dimensions" in s]
