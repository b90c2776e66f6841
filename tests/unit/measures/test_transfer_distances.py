"""Distances by transfer: replicates that share what they share, what a space of them says, what it refuses."""

import numpy as np
import pytest

from aiq.measures import dissimilarity, space

VECTORS = np.array([[0.5, 0.0], [0.1, 0.4], [0.3, 0.3]])
AREA = -VECTORS @ VECTORS.T
TRUE = np.linalg.norm(VECTORS[:, None] - VECTORS[None], axis=-1)
SE = np.array([[0.004, 0.01, 0.006], [0.01, 0.005, 0.008], [0.006, 0.008, 0.003]])


def test_replicates_have_the_mean_and_the_spread_of_the_squares():
    drawn = dissimilarity.transfer_replicates(AREA, SE, resamples=40_000, seed=1)
    geometry = dissimilarity.transfer_geometry(AREA, SE)
    squares = drawn**2  # none is below 0 at these distances
    np.testing.assert_allclose(squares.mean(axis=0), TRUE**2, atol=4e-4)
    np.testing.assert_allclose(squares.std(axis=0), geometry.squares_se, atol=3e-4)
    assert np.array_equal(drawn, drawn.transpose(0, 2, 1))
    assert not np.diagonal(drawn, axis1=1, axis2=2).any()


def test_pairs_with_a_common_domain_share_the_error_of_its_self_pair():
    """d²(a, b) and d²(a, c) both hold T_aa, and nothing else of one another."""
    drawn = dissimilarity.transfer_replicates(AREA, SE, resamples=40_000, seed=2) ** 2
    shared = np.cov(drawn[:, 0, 1], drawn[:, 0, 2])[0, 1]
    assert shared == pytest.approx(SE[0, 0] ** 2, rel=0.15)


def test_replicates_have_heavy_tails_where_degrees_of_freedom_are_few():
    normal = dissimilarity.transfer_replicates(AREA, SE, resamples=20_000, seed=3)[:, 0, 1] ** 2
    few = dissimilarity.transfer_replicates(AREA, SE, df=5, resamples=20_000, seed=3)[:, 0, 1] ** 2
    assert few.var() == pytest.approx(normal.var() * 5 / 3, rel=0.1)


def test_intervals_of_squares_from_replicates_cover():
    """By simulation: the middle 95 % of the draws about a measured square hold the true one in 93 to 97 %."""
    rng = np.random.default_rng(4)
    held, count = 0, 600
    for k in range(count):
        noise = np.triu(rng.standard_normal((3, 3)) * SE)
        measured = AREA + noise + np.triu(noise, 1).T
        squares = dissimilarity.transfer_replicates(measured, SE, resamples=400, seed=k)[:, 0, 1] ** 2
        low, high = np.quantile(squares, [0.025, 0.975])
        held += low <= TRUE[0, 1] ** 2 <= high
    assert 0.925 < held / count < 0.975


def of_transfer(**options):
    drawn = dissimilarity.transfer_replicates(AREA, SE, resamples=300)
    given = {"distance": "transfer", "dissimilarity_replicates": drawn, "complexity_se": [0.01] * 3} | options
    return space.build("abc", [1.0, 0.9, 0.8], TRUE, **given)


def test_a_space_of_distances_by_transfer_says_what_they_hold():
    found = of_transfer()
    assert found.distance == found.as_dict()["distance"] == "transfer"
    assert any("distances are by transfer" in s and "soon learned is near" in s for s in found.warnings)
    assert not any("self-pair" in s for s in found.warnings)
    assert found.dimensionality.floor is None
    other = of_transfer(distance="departure")
    assert other.distance == "departure"
    assert not any("by transfer" in s for s in other.warnings)
    np.testing.assert_array_equal(found.coordinates, other.coordinates)  # the word changes what is said, no number


def test_the_diagonal_is_no_noise_floor():
    with_diagonal = space.build("abc", [1.0, 0.9, 0.8], TRUE + 0.2 * np.eye(3), distance="transfer")
    assert with_diagonal.dimensionality.floor is None
    assert with_diagonal.merged == ()


def test_options_that_need_a_floor_are_said_to_have_none():
    assert any(
        "null 'identical' and merge has nothing" in s for s in of_transfer(null="identical", merge=True).warnings
    )


def test_identical_domains_have_no_distance_and_one_direction():
    """Two domains that do to each other what each does to itself."""
    same = np.array([[0.5, 0.0], [0.5, 0.0], [0.0, 0.5]])
    geometry = dissimilarity.transfer_geometry(-same @ same.T, np.full((3, 3), np.nan))
    assert geometry.distances[0, 1] == 0
    found = space.build("abc", [1.0, 1.0, 1.0], geometry.distances, distance="transfer")
    np.testing.assert_allclose(found.directions[0], found.directions[1], atol=1e-9)
    assert any("no interval carries their uncertainty" in s for s in found.warnings)
