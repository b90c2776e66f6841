"""A suite as an instrument: closed forms, enumeration and invariants."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from aiq.measures import instrument, quotient, space
from aiq.measures.instrument import Candidate, Judges

SQUARE = np.array([[1.0, 0.0], [0.0, 1.0], [0.9, 0.9], [0.3, 0.3]])


def cloud(rng, n, d):
    """Places of n tests with all cosines at least 0."""
    return np.abs(rng.normal(size=(n, d))) + 0.05


def made(rng, n, **options):
    """A space without negative eigenvalues: two tests share nothing, and theirs is the largest dissimilarity."""
    points = cloud(rng, n, n)
    points[:2] = np.eye(n)[:2]
    units = points / np.linalg.norm(points, axis=1, keepdims=True)
    matrix = np.sqrt(np.maximum(1 - units @ units.T, 0))
    np.fill_diagonal(matrix, 0)
    return space.build([f"d{i}" for i in range(n)], rng.uniform(0.4, 1, n), matrix, **options)


def test_worths_in_the_plane_are_areas():
    """0, (1, 0), (.9, .9), (0, 1) enclose .9; without the corner .5, without an axis half of that."""
    found = instrument.worths(SQUARE[None])[0]
    np.testing.assert_allclose(found, [0.5, 0.5, 1 - 0.5 / 0.9, 0], atol=1e-7)


def test_without_a_corner_of_a_simplex_nothing_is_left():
    np.testing.assert_allclose(instrument.worths(np.diag([1.0, 0.5, 0.2])[None])[0], 1)


def test_of_two_copies_each_is_worth_nothing():
    twice = np.vstack([np.eye(2), np.eye(2)[:1]])
    np.testing.assert_allclose(instrument.worths(twice[None])[0], [0, 1, 0], atol=1e-7)


def test_tests_that_often_lie_in_one_direction_may_be_copies():
    """By enumeration: 2 of 40 replicates are often enough, 1 is not; one dimension says nothing."""
    apart, near = np.deg2rad([0.0, 90.0, 45.0]), np.deg2rad([0.0, 90.0, 8.0])  # cos 8° is .9903

    def places(angles, times):
        return np.tile(np.stack([np.cos(angles), np.sin(angles)], axis=1), (times, 1, 1))

    expected = np.zeros((3, 3), dtype=bool)
    assert np.array_equal(instrument.copies([places(apart, 39), places(near, 1)]), expected)
    expected[0, 2] = expected[2, 0] = True
    assert np.array_equal(instrument.copies([places(apart, 38), places(near, 2)]), expected)
    line = np.ones((60, 3, 1))
    assert np.array_equal(instrument.copies([places(apart, 38), places(near, 2), line]), expected)
    assert not instrument.copies([line]).any()


def test_a_test_without_a_direction_is_no_copy():
    assert not instrument.copies([np.array([[[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]])]).any()


def test_worths_are_the_losses_of_the_scores():
    rng = np.random.default_rng(1)
    known = made(rng, 6, dimensions=3)
    scores = quotient.score(known, ["x"], np.ones((1, 6)))
    np.testing.assert_allclose(
        instrument.worths(known.coordinates[None])[0], np.array(scores.suite_losses) / scores.suite.volume, atol=1e-6
    )


def test_all_tests_give_the_aiq_of_the_scores():
    rng = np.random.default_rng(2)
    known, table = made(rng, 6, dimensions=3), rng.uniform(0.1, 1, (4, 6))
    scores = quotient.score(known, list("abcd"), table)
    found = dict(zip("abcd", instrument.values(known.coordinates[None], table[None], range(6))[0], strict=True))
    for one in scores.agents:
        assert found[one.agent] == pytest.approx(one.per_dimension.value, rel=1e-6)


def test_fewer_tests_than_dimensions_are_scored_in_the_span_that_is_left():
    """Of a simplex each part is a simplex: the geometric mean of the performances on it."""
    rng = np.random.default_rng(3)
    points, table = cloud(rng, 4, 4), rng.uniform(0.1, 1, (3, 4))
    for size in (1, 2, 3, 4):
        for part in combinations(range(4), size):
            found = instrument.values(points[None], table[None], part)[0]
            np.testing.assert_allclose(found, np.exp(np.log(table[:, part]).mean(axis=1)), rtol=1e-6)


def test_a_part_at_the_origin_has_no_value():
    assert np.isnan(instrument.values(np.zeros((1, 2, 2)), np.ones((1, 1, 2)), [0, 1])).all()


def test_large_suites_are_scored_by_the_other_hull():
    """Above 3000 subsets hulls are found one by one; both ways agree on a suite that is the same with and without."""
    rng = np.random.default_rng(4)
    points, table = cloud(rng, 5, 3), rng.uniform(0.2, 1, (2, 5))
    many = np.vstack([points, 0.5 * rng.dirichlet(np.ones(5), 25) @ points])
    wide = np.hstack([table, np.zeros((2, 25))])
    np.testing.assert_allclose(
        instrument.values(many[None], wide[None], range(30)), instrument.values(points[None], table[None], range(5)),
        rtol=1e-6,
    )  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 6), d=st.integers(1, 3), copied=st.integers(0, 5))
def test_a_copy_of_a_test_moves_no_agent(seed, n, d, copied):
    assume(copied < n)
    rng = np.random.default_rng(seed)
    points, table = cloud(rng, n, d), rng.uniform(0, 1, (3, n))
    at = [*range(n), copied]
    usual = instrument.values(points[None], table[None], range(n))
    twice = instrument.values(points[at][None], table[:, at][None], range(n + 1))
    np.testing.assert_allclose(twice, usual, atol=1e-5)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 5), copied=st.integers(0, 4))
def test_a_space_built_with_a_copy_and_all_dimensions_moves_no_agent(seed, n, copied):
    assume(copied < n)
    rng = np.random.default_rng(seed)
    known, table = made(rng, n, dimensions="all", merge=False), rng.uniform(0.05, 1, (3, n))
    assume(known.spectrum[known.dimensions - 1] > 1e-4)
    twice = instrument.with_copy(known, copied)
    assert twice.dimensions == known.dimensions
    at = [*range(n), copied]
    usual = instrument.values(known.coordinates[None], table[None], range(n))
    found = instrument.values(twice.coordinates[None], table[:, at][None], range(n + 1))
    np.testing.assert_allclose(found, usual, atol=2e-4)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), more=st.integers(1, 4))
def test_agents_that_join_move_no_agent(seed, more):
    """Weak ones, copies, any: values and intervals of those who were there before stay as they are."""
    rng = np.random.default_rng(seed)
    known, table = made(rng, 4, dimensions=2, merge=False), rng.uniform(0.1, 1, (3, 4))
    drawn = np.clip(table + 0.02 * rng.standard_normal((40, 3, 4)), 0, 1)
    others = np.vstack([table[:1], 0.01 * rng.uniform(size=(more, 4))])
    later = np.concatenate([drawn, np.broadcast_to(others, (40, *others.shape))], axis=1)
    before = quotient.score(known, list("abc"), table, drawn)
    after = quotient.score(known, [*"abc", *(f"new{i}" for i in range(more + 1))], np.vstack([table, others]), later)
    found = {one.agent: one for one in after.agents}
    for one in before.agents:
        assert found[one.agent].per_dimension.value == pytest.approx(one.per_dimension.value, rel=1e-9)
        assert found[one.agent].per_dimension.interval == pytest.approx(one.per_dimension.interval, rel=1e-9)


def test_the_space_is_built_again_as_it_was():
    known = made(np.random.default_rng(5), 5, dimensions=3)
    again = instrument.rebuilt(known)
    np.testing.assert_allclose(np.abs(again.coordinates), np.abs(known.coordinates), atol=1e-9)


def test_a_new_test_halfway_between_two_axes_adds_a_triangle():
    """At 45 degrees and length 1 the area is 1 / sqrt(2) in place of 1 / 2; it counts from the chord on."""
    points = np.eye(2)
    kind = Candidate("between", 0, 1)
    direction = kind.directions(points[None])
    assert instrument.enlarging(points[None], direction)[0] == pytest.approx(math.sqrt(2) - 1, rel=1e-6)
    assert instrument.enlarging(points[None], direction, math.sqrt(0.5) - 1e-3)[0] == 0
    assert instrument.reach(points, direction[0]) == pytest.approx(math.sqrt(0.5))


def test_a_harder_test_of_a_kind_adds_in_proportion():
    points = np.diag([1.0, 0.25])
    kind = Candidate("as", 1)
    assert instrument.enlarging(points[None], kind.directions(points[None]))[0] == pytest.approx(3, rel=1e-6)
    assert instrument.reach(points, kind.directions(points[None])[0]) == pytest.approx(0.25)


def test_away_from_a_test_is_at_a_right_angle_to_it():
    points = np.array([[1.0, 0, 0], [0.6, 0.8, 0], [0, 0, 0.5]])
    away = Candidate("away", 1, 0).directions(points[None])[0]
    np.testing.assert_allclose(away, [0, 1, 0], atol=1e-12)
    np.testing.assert_allclose(instrument.likeness(points, away), [0, 0.8, 0], atol=1e-12)
    assert not Candidate("away", 0, 0).directions(points[None]).any()


def test_candidates_are_at_most_as_unlike_as_two_tests_are():
    points = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    kinds = instrument.candidates(points)
    assert Candidate("as", 0) in kinds
    assert Candidate("between", 0, 2) in kinds
    assert Candidate("away", 1, 0) in kinds
    assert Candidate("away", 0, 1) not in kinds  # it would be behind the third
    assert all((instrument.free(points, 50, np.random.default_rng(1)) @ points.T >= -1e-6).all(axis=1))


def test_a_test_at_the_origin_has_no_direction():
    points = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    kinds = instrument.candidates(points)
    assert not any(2 in (one.a, one.b) for one in kinds)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_no_named_kind_adds_more_than_the_best_of_many_directions(seed):
    rng = np.random.default_rng(seed)
    points = cloud(rng, 5, 2)
    points /= np.linalg.norm(points, axis=1).max()
    free = instrument.free(points, 3000, rng)
    most = instrument.enlarging(np.broadcast_to(points, (len(free), 5, 2)), free).max()
    named = [
        instrument.enlarging(points[None], one.directions(points[None]))[0] for one in instrument.candidates(points)
    ]
    assert max(named) <= most * 1.05 + 1e-3  # the best may lie on the edge, where random ones leave a gap


def judges(rng, agents, n, d=2):
    return Judges(cloud(rng, n, d), rng.uniform(0.1, 1, (agents, n)), ())


def test_the_first_test_to_go_keeps_the_order_best():
    rng = np.random.default_rng(7)
    known = judges(rng, 5, 5)
    found = instrument.dropping(known, np.zeros(5), 2, rng)
    whole = known.estimate(range(5))
    every = [instrument.rank_correlation(known.estimate([i for i in range(5) if i != k]), whole) for k in range(5)]
    assert found.chosen[0, 1] == pytest.approx(max(every))
    assert not found.left_out
    assert found.chosen[0, 0] == 1


def test_a_copy_goes_first_and_costs_no_order():
    rng = np.random.default_rng(8)
    points, table = np.eye(3)[[0, 1, 2, 2]], rng.uniform(0.1, 1, (8, 3))[:, [0, 1, 2, 2]]
    found = instrument.dropping(Judges(points, table, ()), instrument.worths(points[None])[0], 20, rng)
    assert found.order[0] in (2, 3)
    assert found.left_out
    np.testing.assert_allclose(found.chosen[:, 1], 1)
    assert found.random[:, 1].mean() < 1


def test_of_tests_that_keep_the_order_alike_the_one_of_least_worth_goes():
    table = np.outer(np.linspace(0.2, 0.8, 4), np.ones(4))  # one order whatever is kept
    found = instrument.dropping(Judges(np.eye(4), table, ()), np.array([3, 1, 2, 4.0]), 2, np.random.default_rng(1))
    assert found.order == (1, 2, 0, 3)


def test_choosing_agents_are_not_judged():
    """Agents that choose see only test 0; for the others only test 1 tells them apart."""
    rng = np.random.default_rng(9)
    table = rng.uniform(0.2, 0.9, (40, 5))
    known = Judges(np.eye(5), table, ())
    found = instrument.dropping(known, np.zeros(5), 40, rng)
    same = instrument.dropping(Judges(np.eye(5), table[:5], ()), np.zeros(5), 2, rng)
    assert same.chosen[0, 1] >= found.chosen[:, 1].mean()
    assert found.chosen[:, 1].mean() >= found.random[:, 1].mean() - 0.05


@given(st.lists(st.integers(0, 5), min_size=3, max_size=8), st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_rank_correlation_is_spearmans(values, seed):
    first = np.array(values, dtype=float)
    second = np.random.default_rng(seed).permutation(first)
    expected = np.nan if np.ptp(first) == 0 else spearmanr(first, second).statistic
    assert instrument.rank_correlation(first, second) == pytest.approx(expected, nan_ok=True)


def test_values_within_rounding_are_ties():
    assert math.isnan(instrument.rank_correlation(np.array([0.5, 0.5 + 1e-12]), np.array([1.0, 2.0])))


def test_draws_pair_spaces_and_agents_in_their_own_dimensions():
    rng = np.random.default_rng(10)
    known = made(rng, 5, dimensions="auto", dissimilarity_se=0.1 * (1 - np.eye(5)), draws=60)
    table = rng.uniform(0.2, 0.9, (2, 5))
    resampled = np.clip(table + 0.01 * rng.standard_normal((60, 2, 5)), 0, 1)
    found = instrument.draws(known, table, resampled, 30)
    assert sum(len(one.points) for one in found) == 30
    steps = np.linspace(0, 59, 30).astype(int)
    numbers = known.bootstrap.numbers[steps]
    for one in found:
        k = one.points.shape[2]
        assert len(one.points) == (numbers == k).sum()
        np.testing.assert_array_equal(one.performance, resampled[steps[numbers == k]])
    np.testing.assert_array_equal(instrument.within(known, 30), known.bootstrap.coordinates[steps])
    assert instrument.within(made(rng, 4), 30).shape == (0, 4, 4)
    assert instrument.draws(made(rng, 4), table[:, :4], None, 30) == ()
    alone = instrument.draws(made(rng, 5), table, resampled, 30)
    assert alone[0].points.shape[0] == 30
