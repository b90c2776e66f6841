"""What landmarks that are left out say of a completion: dimensions, errors, and draws."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiq.measures.dissimilarity import completing, landmarks


def distances(points):
    return np.linalg.norm(points[:, None] - points[None], axis=-1)


def noisy(matrix, sd, rng):
    error = np.triu(sd * rng.standard_normal(matrix.shape), 1)
    found = np.abs(matrix + error + error.T)
    np.fill_diagonal(found, 0)
    return found


@given(st.integers(0, 999), st.integers(1, 3))
@settings(max_examples=15, deadline=None)
def test_exact_distances_leave_nothing_unknown(seed, dimensions):
    points = np.random.default_rng(seed).normal(size=(14, dimensions))
    at = list(range(dimensions + 3))
    if np.linalg.cond(points[at] - points[at].mean(axis=0)) > 50:
        return
    rows = distances(points)[at]
    assert completing.left_out_error(rows, at) == pytest.approx(0, abs=1e-5)
    known = completing.unknown(rows, at)
    assert known.noise == pytest.approx(0, abs=1e-5)
    assert known.pairs == len(at) * (14 - len(at))


@pytest.mark.parametrize("dimensions", [2, 4])
def test_the_dimensions_are_those_that_were_there(dimensions):
    rng = np.random.default_rng(1)
    matrix = noisy(distances(rng.normal(size=(60, dimensions))), 0.05, rng)
    at = list(range(14))
    assert completing.left_out_dimensions(matrix[at], at) == dimensions


def test_few_landmarks_say_nothing_of_the_dimensions():
    rng = np.random.default_rng(2)
    matrix = distances(rng.normal(size=(20, 2)))
    assert completing.left_out_dimensions(matrix[:5], range(5)) is None
    assert completing.left_out_error(matrix[:2], range(2)) is None
    assert completing.unknown(matrix[:2], range(2)) == completing.Unknown(1.0, 0.0, 0)
    assert completing.left_out_error(matrix, range(20)) is None
    assert completing.unknown(matrix, range(20)).pairs == 0


def test_dimensions_that_are_noise_are_not_divided_by():
    """The spectrum of eight landmarks in five dimensions keeps some that are noise; the error was far larger."""
    worst, chosen = [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        points = np.abs(rng.normal(size=(60, 5)))
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        true = distances(points)
        matrix = noisy(true, 0.05 * np.sqrt((true**2).mean()), rng)
        at = landmarks.farthest_points(matrix, 8)
        count = completing.left_out_dimensions(matrix[list(at)], at)
        errors = [
            landmarks.completion_error(landmarks.complete(matrix[list(at)], at, dimensions=d), true).relative
            for d in (None, count)
        ]
        worst.append(errors[0])
        chosen.append(errors[1])
    assert max(chosen) < 0.2
    assert np.mean(chosen) < np.mean(worst)


@pytest.mark.parametrize("dimensions", [1, 2, 6])
def test_residuals_point_in_as_many_dimensions_as_there_are_beyond_the_landmarks(dimensions):
    """Landmarks in a plane; the others leave it in so many dimensions, and so do two of the landmarks."""
    rng = np.random.default_rng(3)
    points = np.hstack([rng.normal(size=(400, 2)), np.sqrt(0.5 / dimensions) * rng.normal(size=(400, dimensions))])
    at = list(range(4))
    known = completing.unknown(distances(points)[at], at, dimensions=2)
    assert known.cosine == pytest.approx(1 / dimensions, abs=0.45)


def test_draws_keep_what_was_measured_and_stay_within_the_bounds():
    rng = np.random.default_rng(4)
    matrix = distances(rng.normal(size=(12, 6)))
    completion = landmarks.complete(matrix[:4], range(4))
    drawn = np.array([completing.directed(completion, completing.Unknown(0.5, 0.0, 9), rng) for _ in range(50)])
    np.testing.assert_allclose(drawn[:, :4], np.broadcast_to(matrix[:4], (50, 4, 12)))
    assert (drawn >= completion.low - 1e-9).all()
    assert (drawn <= completion.high + 1e-9).all()
    np.testing.assert_array_equal(drawn, drawn.transpose(0, 2, 1))
    assert drawn[:, 5, 6].std() > 0
    np.testing.assert_allclose((drawn**2).mean(axis=0), completion.matrix**2, rtol=0.5)


def test_intervals_hold_what_was_completed_and_did_not_before():
    """95 % intervals of completed pairs, three strong and six weak dimensions: some .9 and more, with rows alone .6."""
    held = {"whole": [], "rows": []}
    for seed in range(5):
        rng = np.random.default_rng(seed)
        points = np.hstack([np.abs(rng.normal(size=(20, 3))), 0.15 * rng.normal(size=(20, 6))])
        true = distances(points / np.linalg.norm(points, axis=1, keepdims=True))
        sd = 0.05 * np.sqrt((true**2).mean())
        matrix = noisy(true, sd, rng)
        at = list(range(4))
        drawn = np.array([noisy(matrix, sd, rng) for _ in range(60)])
        whole = completing.replicates(matrix, drawn, at, rng)
        rows = np.array([landmarks.complete(one[at], at).matrix for one in drawn])
        i, j = np.triu_indices(20, 1)
        i, j = i[i >= 4], j[i >= 4]
        for name, found in (("whole", whole), ("rows", rows)):
            low, high = np.quantile(found[:, i, j], [0.025, 0.975], axis=0)
            held[name].append(((low <= true[i, j]) & (true[i, j] <= high)).mean())
    assert np.mean(held["whole"]) > 0.88
    assert np.mean(held["rows"]) < np.mean(held["whole"]) - 0.05


def test_replicates_keep_the_diagonals_that_were_drawn():
    rng = np.random.default_rng(5)
    matrix = distances(rng.normal(size=(9, 3)))
    drawn = np.array([noisy(matrix, 0.01, rng) + 0.02 * np.eye(9) for _ in range(3)])
    found = completing.replicates(matrix, drawn, [0, 3, 5, 7], rng)
    np.testing.assert_allclose(found[:, range(9), range(9)], 0.02)
    np.testing.assert_allclose(found[:, 3, 1], drawn[:, 3, 1])


def test_residuals_in_very_many_dimensions_need_no_array_of_them_all():
    """Squares are those of the places, whose differences in 1,000 dimensions would be an array of 720 MB here."""
    rng = np.random.default_rng(8)
    matrix = distances(rng.normal(size=(300, 5)))
    completion = landmarks.complete(matrix[:4], range(4))
    known = completing.Unknown(0.0, 0.0, 9)
    assert known.dimensions == 1000
    tracemalloc.start()
    drawn = completing.directed(completion, known, np.random.default_rng(5))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 40e6
    ways = np.random.default_rng(5).standard_normal((300, 1000))
    ways *= (completion.residual / np.linalg.norm(ways, axis=1))[:, None]
    places = np.hstack([completion.coordinates, ways])
    for i, j in ((10, 20), (50, 299), (4, 5)):
        assert drawn[i, j] == pytest.approx(np.linalg.norm(places[i] - places[j]), rel=1e-9)
