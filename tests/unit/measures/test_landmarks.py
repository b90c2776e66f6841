"""Choice of landmarks, completion from them, its error, and what landmarks that are left out say of it."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from aiq.errors import InputError
from aiq.measures.dissimilarity import landmarks


def distances(points):
    return np.linalg.norm(points[:, None] - points[None], axis=-1)


def spread_points(seed, n, dimensions):
    return np.random.default_rng(seed).normal(size=(n, dimensions))


def test_farthest_points_on_a_line():
    matrix = distances(np.array([[0.0], [1], [2], [7], [10]]))
    assert landmarks.farthest_points(matrix, 4) == (0, 4, 3, 2)
    assert landmarks.farthest_points(matrix, 5)[-1] == 1


def test_only_the_rows_of_the_landmarks_are_needed():
    matrix = distances(spread_points(1, 9, 2))
    chosen = [0]
    for _ in range(3):
        chosen.append(landmarks.next_landmark(matrix[chosen], chosen))
    assert tuple(chosen) == landmarks.farthest_points(matrix, 4)
    assert landmarks.named(("a", "b", "c"), ["c", "a"]) == (2, 0)


@given(st.integers(0, 999), st.integers(1, 4), st.integers(0, 4))
@settings(max_examples=40)
def test_exact_where_the_suite_lies_in_the_space_of_the_landmarks(seed, dimensions, more):
    points = spread_points(seed, 12, dimensions)
    chosen = list(range(dimensions + 1 + more))
    matrix = distances(points)
    if np.linalg.cond(points[chosen] - points[chosen].mean(axis=0)) > 1e3:
        return
    completion = landmarks.complete(matrix[chosen], chosen)
    np.testing.assert_allclose(completion.matrix, matrix, atol=1e-4)
    assert completion.coordinates.shape == (12, dimensions)
    assert completion.negative_share < 1e-9


def test_error_of_a_completion_and_fewer_dimensions():
    matrix = distances(spread_points(0, 30, 3))
    chosen = landmarks.farthest_points(matrix, 6)
    completion = landmarks.complete(matrix[list(chosen)], chosen)
    error = landmarks.completion_error(completion, matrix)
    assert error.pairs == 24 * 23 // 2
    assert error.root_mean_square < 1e-10
    assert error.correlation == pytest.approx(1)
    assert landmarks.complete(matrix[list(chosen)], chosen, dimensions=2).coordinates.shape == (30, 2)
    bent = np.array([[0, 1, 5, 1], [1, 0, 1, 1], [5, 1, 0, 1], [1, 1, 1, 0]], dtype=float)
    assert landmarks.complete(bent[:3], range(3)).negative_share > 0.05


@given(st.integers(0, 999), st.integers(1, 6))
@settings(max_examples=40)
def test_bounds_hold_for_points_outside_the_space_of_the_landmarks(seed, count):
    matrix = distances(spread_points(seed, 10, 7))
    completion = landmarks.complete(matrix[:count], range(count))
    assert (completion.low <= matrix + 1e-6).all()
    assert (completion.high >= matrix - 1e-6).all()
    assert (completion.low <= completion.matrix + 1e-12).all()
    assert (completion.matrix <= completion.high + 1e-12).all()


def test_measured_entries_are_kept_and_the_rest_is_symmetric():
    rng = np.random.default_rng(3)
    matrix = rng.uniform(0.1, 1, size=(8, 8))
    matrix = (matrix + matrix.T) / 2
    np.fill_diagonal(matrix, 0)
    completion = landmarks.complete(matrix[[5, 2]], [5, 2])
    np.testing.assert_array_equal(completion.matrix[[5, 2]], matrix[[5, 2]])
    np.testing.assert_array_equal(completion.matrix, completion.matrix.T)
    assert completion.measured.sum() == 8 * 8 - 6 * 6
    np.testing.assert_array_equal(np.diag(completion.matrix), 0)


def test_domains_that_share_nothing_stay_apart():
    # All distances 1: with k landmarks the residuals give sqrt(1 + 1/k), where the published method has 0.
    matrix = 1 - np.eye(7)
    for k in (1, 2, 5):
        completion = landmarks.complete(matrix[:k], range(k))
        assert completion.matrix[5, 6] == pytest.approx(np.sqrt(1 + 1 / k))
        assert completion.low[5, 6] == pytest.approx(0, abs=1e-7)


def noisy_errors(counts, dimensions, **options):
    """Mean relative error over ten suites of 40 domains whose dissimilarities carry 2 % noise."""
    errors = np.zeros(len(counts))
    for seed in range(10):
        rng = np.random.default_rng(seed)
        matrix = distances(rng.normal(size=(40, dimensions))) * (1 + 0.02 * rng.normal(size=(40, 40)))
        matrix = np.abs(matrix + matrix.T) / 2
        for n, k in enumerate(counts):
            chosen = landmarks.farthest_points(matrix, k)
            completion = landmarks.complete(matrix[list(chosen)], chosen, **options)
            errors[n] += landmarks.completion_error(completion, matrix).relative / 10
    return errors


@pytest.mark.parametrize("dimensions", [3, 5])
def test_error_falls_to_the_noise_as_landmarks_are_added(dimensions):
    errors = noisy_errors([2, 10, 20], dimensions)
    assert errors[0] > 4 * errors[1]
    assert errors[1] > errors[2]
    assert errors[2] < 0.03


def test_error_by_hand():
    matrix = np.array([[0, 1, 1, 2], [1, 0, 1, 1], [1, 1, 0, np.nan], [2, 1, np.nan, 0]])
    completion = landmarks.complete(matrix[:1], [0])
    # Residuals 1, 1, 2: completed distances sqrt 2 and sqrt 5 where 1 and 1 were measured.
    error = landmarks.completion_error(completion, matrix)
    wrong = np.array([np.sqrt(2) - 1, np.sqrt(5) - 1])
    assert error.pairs == 2
    assert error.root_mean_square == pytest.approx(np.sqrt(np.mean(wrong**2)))
    assert error.relative == error.root_mean_square
    assert error.largest == pytest.approx(wrong[1])
    assert error.correlation is None


@given(hnp.arrays(np.float64, (3, 6), elements=st.floats(0, 1)))
def test_any_rows_give_a_valid_matrix(rows):
    completion = landmarks.complete(rows, [0, 2, 5])
    assert np.isfinite(completion.matrix).all()
    assert (completion.low <= completion.high).all()


MATRIX = 1 - np.eye(3)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: landmarks.named(["MNIST", "CIFAR10"], ["MNIS"]), "did you mean 'MNIST'"),
        (lambda: landmarks.named(["a"], ["a", "a"]), "named 2 times"),
        (lambda: landmarks.farthest_points(MATRIX * np.nan, 2), "landmark is nan"),
        (lambda: landmarks.next_landmark(MATRIX, [0, 1, 2]), "landmarks already"),
        (lambda: landmarks.complete(-MATRIX[:2], [0, 1]), "landmark is -1"),
    ],
)
def test_bad_input_is_one_sentence(call, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        call()
    assert "\n" not in str(caught.value)


# ---- what landmarks that are left out say


def noisy(matrix, sd, rng):
    error = np.triu(sd * rng.standard_normal(matrix.shape), 1)
    found = np.abs(matrix + error + error.T)
    np.fill_diagonal(found, 0)
    return found


@given(st.integers(0, 999), st.integers(1, 3))
@settings(max_examples=15)
def test_exact_distances_leave_nothing_unknown(seed, dimensions):
    points = np.random.default_rng(seed).normal(size=(14, dimensions))
    at = list(range(dimensions + 3))
    if np.linalg.cond(points[at] - points[at].mean(axis=0)) > 50:
        return
    rows = distances(points)[at]
    assert landmarks.left_out_error(rows, at) == pytest.approx(0, abs=1e-5)
    assert landmarks.unknown(rows, at).noise == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("dimensions", [2, 4])
def test_the_dimensions_are_those_that_were_there(dimensions):
    rng = np.random.default_rng(1)
    matrix = noisy(distances(rng.normal(size=(60, dimensions))), 0.05, rng)
    at = list(range(14))
    assert landmarks.left_out_dimensions(matrix[at], at) == dimensions


def test_few_landmarks_say_nothing_of_the_dimensions():
    rng = np.random.default_rng(2)
    matrix = distances(rng.normal(size=(20, 2)))
    assert landmarks.left_out_dimensions(matrix[:5], range(5)) is None
    assert landmarks.left_out_error(matrix[:2], range(2)) is None
    assert landmarks.unknown(matrix[:2], range(2)) == landmarks.Unknown(1.0, 0.0)
    assert landmarks.left_out_error(matrix, range(20)) is None
    assert landmarks.unknown(matrix, range(20)) == landmarks.Unknown(1.0, 0.0)


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
        count = landmarks.left_out_dimensions(matrix[list(at)], at)
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
    known = landmarks.unknown(distances(points)[at], at, dimensions=2)
    assert known.cosine == pytest.approx(1 / dimensions, abs=0.45)


def test_draws_keep_what_was_measured_and_stay_within_the_bounds():
    rng = np.random.default_rng(4)
    matrix = distances(rng.normal(size=(12, 6)))
    completion = landmarks.complete(matrix[:4], range(4))
    drawn = np.array([landmarks.directed(completion, landmarks.Unknown(0.5, 0.0), rng) for _ in range(50)])
    np.testing.assert_allclose(drawn[:, :4], np.broadcast_to(matrix[:4], (50, 4, 12)))
    assert (drawn >= completion.low - 1e-9).all()
    assert (drawn <= completion.high + 1e-9).all()
    np.testing.assert_array_equal(drawn, drawn.transpose(0, 2, 1))
    assert drawn[:, 5, 6].std() > 0
    np.testing.assert_allclose((drawn**2).mean(axis=0), completion.matrix**2, rtol=0.5)


def test_replicates_keep_the_diagonals_that_were_drawn():
    rng = np.random.default_rng(5)
    matrix = distances(rng.normal(size=(9, 3)))
    drawn = np.array([noisy(matrix, 0.01, rng) + 0.02 * np.eye(9) for _ in range(3)])
    found = landmarks.replicates(matrix, drawn, [0, 3, 5, 7], rng)
    np.testing.assert_allclose(found[:, range(9), range(9)], 0.02)
    np.testing.assert_allclose(found[:, 3, 1], drawn[:, 3, 1])


def test_residuals_in_very_many_dimensions_need_no_array_of_them_all():
    """Squares are those of the places, whose differences in 1,000 dimensions would be an array of 720 MB here."""
    rng = np.random.default_rng(8)
    matrix = distances(rng.normal(size=(300, 5)))
    completion = landmarks.complete(matrix[:4], range(4))
    known = landmarks.Unknown(0.0, 0.0)
    assert known.dimensions == 1000
    tracemalloc.start()
    drawn = landmarks.directed(completion, known, np.random.default_rng(5))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 40e6
    ways = np.random.default_rng(5).standard_normal((300, 1000))
    ways *= (completion.residual / np.linalg.norm(ways, axis=1))[:, None]
    places = np.hstack([completion.coordinates, ways])
    for i, j in ((10, 20), (50, 299), (4, 5)):
        assert drawn[i, j] == pytest.approx(np.linalg.norm(places[i] - places[j]), rel=1e-9)
