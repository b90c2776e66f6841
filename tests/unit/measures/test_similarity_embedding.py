"""Maps of tests: points whose distances are known come back, misfits have a stress; implied mixtures."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from aiq.errors import InputError
from aiq.measures import similarity
from aiq.wings.similarity2020.figures import embed

NAMES = ("a", "b", "c", "d", "e")


def distances(points):
    return np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))


@settings(max_examples=5)
@given(some.integers(0, 10_000))
def test_distances_of_a_plane_come_back(seed):
    points = np.random.default_rng(seed).uniform(0, 1, (5, 2))
    found = embed(NAMES, distances(points))
    assert found.stress < 1e-5
    assert found.distances == pytest.approx(distances(points), abs=1e-4)
    assert found.coordinates.mean(axis=0) == pytest.approx([0, 0], abs=1e-9)
    spread = found.coordinates.var(axis=0)
    assert spread[0] >= spread[1] - 1e-9


def test_the_stress_of_a_regular_tetrahedron_in_the_plane():
    """Four points all 1 apart: the best plane figure is a square, with 4 sides d and 2 diagonals d√2."""
    found = embed(NAMES[:4], 1 - np.eye(4))
    side = (4 + 2 * np.sqrt(2)) / 8  # minimises 4 (d - 1)² + 2 (d √2 - 1)²
    rest = 4 * (side - 1) ** 2 + 2 * (side * np.sqrt(2) - 1) ** 2
    assert found.stress == pytest.approx(np.sqrt(rest / (8 * side**2)), abs=1e-6)


def test_unknown_pairs_do_not_pull():
    asked = np.array([[0, 1, np.nan], [1, 0, 2], [np.nan, 2, 0]], float)
    found = embed(NAMES[:3], asked)
    assert (found.pairs, found.stress < 1e-6) == (2, True)
    assert found.distances[0, 1] == pytest.approx(1)
    assert found.distances[1, 2] == pytest.approx(2)


def test_negative_dissimilarities_are_refused():
    with pytest.raises(InputError, match="must be symmetric and 0 or more"):
        embed(NAMES[:3], -np.ones((3, 3)))


def test_lost_trainings_are_counted():
    assert similarity.from_values([0.9, 0.91], [0.5, 0.52], [0.7, 0.71], failed=3).n_failed == 3
