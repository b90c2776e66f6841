"""Volumes of hulls: closed forms, Qhull, the budget and the approximation above it."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from aiq.errors import InputError
from aiq.measures import quotient, space
from aiq.measures.quotient import hull, hull_sampling
from aiq.measures.quotient.hull import Budget, cost, facet_bound


def sphere(n, d, seed=0):
    points = np.random.default_rng(seed).normal(size=(n, d))
    return points / np.linalg.norm(points, axis=1)[:, None]


@pytest.mark.parametrize("d", [1, 2, 3, 5, 8])
def test_simplex_has_the_product_of_its_sides_over_the_factorial(d):
    sides = np.linspace(0.1, 1, d)
    found = hull.volume(np.diag(sides))
    assert found.volume == pytest.approx(np.prod(sides) / math.factorial(d), rel=1e-12)
    assert found.vertices == tuple(range(d))
    assert found.method == ("length" if d == 1 else "determinant")


@pytest.mark.parametrize("d", [2, 3, 4, 6])
def test_cube_and_cross_polytope(d):
    corners = np.array(np.meshgrid(*[[0.0, 2.0]] * d)).reshape(d, -1).T
    assert hull.volume(corners).volume == pytest.approx(2.0**d, rel=1e-10)
    cross = np.vstack([np.eye(d), -np.eye(d)])
    assert hull.volume(cross).volume == pytest.approx(2**d / math.factorial(d), rel=1e-10)


def test_one_dimension_is_a_length_that_contains_the_origin():
    assert hull.volume([[0.5], [0.2]]).volume == pytest.approx(0.5)
    both = hull.volume([[0.5], [-0.25], [0.1]])
    assert both.volume == pytest.approx(0.75)
    assert both.vertices == (0, 1)


def test_a_thin_direction_costs_no_accuracy():
    points = sphere(12, 3)
    thin = points * np.array([1, 1, 1e-8])
    assert hull.volume(thin).volume == pytest.approx(1e-8 * hull.volume(points).volume, rel=1e-7)


def test_lower_rank_has_no_volume_and_says_what_it_spans():
    flat = np.array([[1.0, 0, 0], [0, 2.0, 0], [1.0, 2.0, 0]])
    found = hull.volume(flat)
    assert (found.volume, found.rank, found.dimension) == (0.0, 2, 3)
    assert found.span_volume == pytest.approx(2.0)
    nothing = hull.volume(np.zeros((3, 2)))
    assert (nothing.volume, nothing.rank, nothing.span_volume, nothing.vertices) == (0.0, 0, 0.0, ())
    barely = flat + np.array([0, 0, 1e-11]) * np.arange(3)[:, None]
    assert hull.volume(barely).rank == 2
    assert hull.volume(flat + np.array([0, 0, 1e-6]) * (np.arange(3) == 2)[:, None]).rank == 3


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), d=st.integers(2, 4), n=st.integers(4, 9), t=st.floats(0.05, 3))
def test_rotation_relabelling_doubling_inner_points_and_scaling(seed, d, n, t):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, d))
    whole = hull.volume(points).volume
    rotation = np.linalg.qr(rng.normal(size=(d, d)))[0]
    inner = rng.dirichlet(np.ones(n + 1))[:n] @ points
    again = np.vstack([points, points])
    for other in (points @ rotation, points[rng.permutation(n)], again, np.vstack([points, inner])):
        assert hull.volume(other).volume == pytest.approx(whole, rel=1e-9)
    assert hull.volume(t * points).volume == pytest.approx(t**d * whole, rel=1e-9)


@pytest.mark.parametrize(("points", "d", "facets"), [(5, 2, 5), (10, 3, 16), (8, 4, 20), (21, 20, 21), (7, 6, 7)])
def test_facet_bound_is_that_of_cyclic_polytopes(points, d, facets):
    assert facet_bound(points, d) == facets
    if 2 < d < 5:
        moments = np.linspace(-1, 1, points)[:, None] ** np.arange(1, d + 1)
        assert len(ConvexHull(moments).simplices) == facets


def test_known_limits_of_qhull_fall_on_the_right_side_of_the_budget():
    assert facet_bound(61, 10) <= Budget().facets  # two seconds
    assert facet_bound(61, 12) > Budget().facets  # runs out of memory
    assert cost(20, 20, Budget()) < 1000


def sampled(points, budget, rng):
    return hull_sampling.volume(points, budget.groups, budget.target, budget.work, rng)


def quick(**limits):
    return Budget(facets=1, work=1, **limits)


@pytest.mark.parametrize("shape", ["sphere", "cone"])
@pytest.mark.parametrize(("n", "d"), [(12, 3), (16, 6)])
def test_the_sampled_volume_agrees_within_its_stated_error(n, d, shape):
    points = sphere(n, d) if shape == "sphere" else np.abs(sphere(n, d))
    exact = hull.volume(points)
    found = hull.volume(points, quick(), np.random.default_rng(1))
    assert found.method == "sampled"
    assert 0 < found.error < 0.4 * exact.volume
    assert abs(found.volume - exact.volume) < 3 * found.error
    assert set(found.vertices) == set(exact.vertices)


def test_the_error_of_the_sampled_volume_covers():
    points = sphere(7, 3)
    exact = hull.volume(points).log_volume
    rng = np.random.default_rng(2)
    runs = [sampled(points, quick(groups=6), rng) for _ in range(12)]
    scores = np.array([math.expm1(run.log_volume - exact) / run.error for run in runs])
    assert abs(scores.mean()) < 3 / math.sqrt(12)
    assert (np.abs(scores) < 1.96).mean() >= 0.75  # 0.95 less three standard errors
    assert scores.std() > 0.3


def test_more_work_makes_the_error_smaller_until_the_target_is_met():
    points = sphere(10, 3)
    first = sampled(points, quick(target=0.02), np.random.default_rng(0))
    more = sampled(points, Budget(facets=1, target=0.02), np.random.default_rng(0))
    assert first.error > 0.02
    assert more.error < 0.026
    assert more.work > first.work


@pytest.mark.parametrize("d", [10, 20])
@pytest.mark.parametrize("kind", ["simplex", "cross", "free sum"])
def test_closed_forms_of_many_dimensions_are_sampled_without_error(kind, d):
    rng = np.random.default_rng(d)
    scale = rng.uniform(0.01, 1, d)
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    if kind == "free sum":
        points, expected = free_sum(d // 5, 5, d)
    else:
        corner, times = (-np.ones((1, d)), math.log(d + 1)) if kind == "simplex" else (-np.eye(d), d * math.log(2))
        points = np.vstack([np.eye(d), corner]) * scale @ turn
        expected = np.log(scale).sum() + times - math.lgamma(d + 1)
    found = sampled(points, quick(), rng)
    assert found.log_volume == pytest.approx(expected, abs=1e-5)
    assert found.error < 1e-5


def test_a_walk_that_has_not_settled_has_a_large_error():
    found = sampled(sphere(30, 12), quick(groups=2), np.random.default_rng(0))
    assert found.error > 0.1


def test_nothing_underflows_in_many_dimensions():
    d = 160
    found = hull.volume(1e-4 * np.eye(d))
    assert found.volume == 0.0  # too small for a number
    assert found.log_volume == pytest.approx(d * math.log(1e-4) - math.lgamma(d + 1), rel=1e-9)
    names = [f"d{i}" for i in range(d)]
    known = space.build(names, np.ones(d), 1 - np.eye(d), dimensions=d)
    made = quotient.score(known, ["x"], np.full((1, d), 0.5))
    assert made.agents[0].per_dimension.value == pytest.approx(0.5, rel=1e-9)
    assert made.as_dict()["agents"][0]["log_volume"] < -745  # of the smallest number above 0


def test_points_inside_are_dropped_before_the_budget_is_judged():
    rng = np.random.default_rng(3)
    outer = np.eye(4)
    points = np.vstack([outer, rng.dirichlet(np.ones(5), 30)[:, :4]])
    found = hull.volume(points, Budget(facets=10))
    assert found.method == "determinant"
    assert found.volume == pytest.approx(1 / 24)
    assert found.vertices == (0, 1, 2, 3)


def test_a_hull_above_the_budget_needs_a_generator():
    with pytest.raises(InputError, match="10 points in 4 dimensions is above the budget of 5"):
        hull.volume(sphere(10, 4), Budget(facets=5))


def free_sum(parts, dimension, seed=0):
    """Return points of simplices around the origin in subspaces of their own, turned, and their log volume."""
    rng = np.random.default_rng(seed)
    rows, logarithm = [], 0.0
    for k in range(parts):
        simplex = rng.normal(size=(dimension + 1, dimension))
        simplex -= simplex.mean(axis=0)
        logarithm += math.log(abs(np.linalg.det(simplex[1:] - simplex[0])))
        block = np.zeros((dimension + 1, parts * dimension))
        block[:, k * dimension : (k + 1) * dimension] = simplex
        rows.append(block)
    turn = rng.normal(size=(parts * dimension, parts * dimension))
    return np.vstack(rows) @ turn, logarithm - math.lgamma(parts * dimension + 1) + np.linalg.slogdet(turn)[1]


@pytest.mark.parametrize(("parts", "dimension"), [(50, 1), (2, 5), (10, 5), (5, 10)])
def test_points_in_subspaces_of_their_own_are_exact(parts, dimension):
    points, expected = free_sum(parts, dimension)
    inside = 0.5 * (points[0] + points[-1])  # in two subspaces at once, and no corner
    found = hull.volume(np.vstack([points, inside]), Budget(facets=40))
    assert found.log_volume == pytest.approx(expected, abs=1e-6)
    assert (found.method, found.error) == ("product", 0.0)
    assert found.vertices == tuple(range(len(points)))


def test_a_product_with_a_sampled_part_carries_its_error():
    points, expected = free_sum(2, 5)
    wide = np.vstack([sphere(20, 5), np.zeros((1, 5))])
    both = np.block([[wide, np.zeros((21, 10))], [np.zeros((len(points), 5)), points]])
    exact = hull.volume(wide).volume * math.exp(expected) * math.factorial(5) * math.factorial(10) / math.factorial(15)
    found = hull.volume(both, Budget(facets=300, work=1), np.random.default_rng(1))
    assert found.method == "sampled"
    assert 0 < found.error < 0.4 * exact
    assert abs(found.volume - exact) < 3 * found.error
