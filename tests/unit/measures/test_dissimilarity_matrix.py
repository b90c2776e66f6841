"""Symmetry and triangle inequality of a suite's dissimilarities."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from aiq.errors import InputError
from aiq.measures import dissimilarity

squares = st.integers(1, 6).flatmap(lambda n: hnp.arrays(np.float64, (n, n), elements=st.integers(0, 20).map(float)))


def symmetric(matrix):
    return np.tril(matrix, -1) + np.tril(matrix, -1).T


@given(squares)
@settings(deadline=None)
def test_triangle_report_equals_a_loop_over_triples(matrix):
    matrix = symmetric(matrix)
    n = len(matrix)
    excesses = [matrix[i, k] - matrix[i, j] - matrix[j, k] for i, j, k in permutations(range(n), 3) if i < k]
    positive = [excess for excess in excesses if excess > 0]
    report = dissimilarity.matrix_report(matrix, 2.0).triangle
    assert report.triples == n * (n - 1) * (n - 2) // 6
    assert report.violations == len(positive)
    assert report.above_floor == sum(excess > 2 for excess in positive)
    assert report.largest_excess == max(positive, default=0)
    assert report.mean_excess == pytest.approx(np.mean(positive) if positive else 0)
    if report.worst:
        i, j, k = report.worst
        assert matrix[i, k] - matrix[i, j] - matrix[j, k] == report.largest_excess
    else:
        assert not positive


@given(hnp.arrays(np.float64, st.tuples(st.integers(3, 8), st.integers(1, 3)), elements=st.floats(-9, 9)))
@settings(deadline=None)
def test_distances_of_points_violate_nothing(points):
    matrix = np.linalg.norm(points[:, None] - points[None], axis=-1)
    assert dissimilarity.matrix_report(matrix).triangle.violations == 0


def test_by_hand_with_a_pair_not_measured():
    matrix = np.array([[0, 1, 5, 1], [1, 0, 2, np.nan], [5, 2, 0, 1], [1, np.nan, 1, 0]])
    report = dissimilarity.matrix_report(matrix, 2.5)
    assert (report.triangle.triples, report.triangle.incomplete) == (2, 2)
    assert report.triangle.violations == 2
    assert report.triangle.above_floor == 1
    assert report.triangle.largest_excess == 3
    assert report.triangle.worst == (0, 3, 2)
    assert report.symmetry is None


def test_symmetry_of_two_orders_measured_apart():
    ordered = np.array([[9, 1, 4], [2, 9, np.nan], [3.5, 6, 9]])
    report = dissimilarity.matrix_report(np.zeros((3, 3)), 0.7, ordered).symmetry
    assert (report.pairs, report.above_floor) == (2, 1)
    assert report.mean == pytest.approx(0.75)
    assert report.largest == 1
    assert dissimilarity.matrix_report(np.zeros((3, 3)), None, ordered).symmetry.above_floor is None
    assert (
        dissimilarity.matrix_report(np.zeros((3, 3)), None, np.triu(ordered) + np.tril(ordered * np.nan)).symmetry
        is None
    )


def test_equal_orders_correlate_perfectly_and_the_floor_may_be_a_record():
    rng = np.random.default_rng(0)
    matrix = symmetric(rng.uniform(size=(5, 5)))
    p = np.arange(11) / 10
    floor = dissimilarity.noise_floor([dissimilarity.measure(p, 0.5 + 0.01 * rng.uniform(size=(2, 11)))])
    report = dissimilarity.matrix_report(matrix, floor, matrix)
    assert report.noise_floor == floor.largest > 0
    assert report.symmetry.correlation == pytest.approx(1)
    assert report.symmetry.above_floor == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((np.zeros((2, 3)),), r"shape \(2, 3\); needed is \(n, n\)"),
        ((np.zeros((0, 0)),), "needed is"),
        (([[0, -1], [-1, 0]],), "holds -1"),
        (([[0, np.inf], [np.inf, 0]],), "holds inf"),
        (([[0, 1], [2, 0]],), "between domains"),
        ((np.zeros((2, 2)), -0.1), "noise floor is -0.1"),
        ((np.zeros((2, 2)), None, np.zeros((3, 3))), "cover one suite"),
    ],
)
def test_bad_input_is_refused(arguments, sentence):
    with pytest.raises(InputError, match=sentence):
        dissimilarity.matrix_report(*arguments)
