"""Closed forms and invariants of the intelligence space (specification section 6)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from placed import angular, names, scattered

from aiq.errors import InputError
from aiq.measures import space
from aiq.measures.space import bootstrap, embedding


def test_three_domains_that_share_nothing_are_orthogonal():
    found = space.build(names(3), [1.0, 3.0, 2.0], 0.2 * (1 - np.eye(3)))
    assert found.dimensions == 3
    expected = np.array([[0, 0, 1 / 3], [1, 0, 0], [0, 2 / 3, 0]])
    np.testing.assert_allclose(found.coordinates, expected, atol=1e-12)
    np.testing.assert_allclose(found.spectrum, 1, atol=1e-12)
    assert found.stress < 1e-12
    assert found.negative_share == 0


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 7), d=st.integers(2, 5))
def test_distances_and_angles_are_reproduced_when_the_gram_matrix_is_positive(seed, n, d):
    rng = np.random.default_rng(seed)
    points = np.vstack([np.eye(d)[:2], np.abs(rng.normal(size=(n, d)))])  # the axes: largest dissimilarity exactly 1
    unit, dissimilarity = points / np.linalg.norm(points, axis=1)[:, None], angular(points)
    complexity = rng.uniform(0.2, 1, len(points))
    found = space.build(names(len(points)), complexity, 7 * dissimilarity)
    np.testing.assert_allclose(found.directions @ found.directions.T, unit @ unit.T, atol=1e-8)
    reproduced = np.linalg.norm(found.directions[:, None] - found.directions[None], axis=2) / np.sqrt(2)
    off = dissimilarity > 1e-3
    np.testing.assert_allclose(reproduced[off], dissimilarity[off], atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(found.coordinates, axis=1), complexity / complexity.max(), atol=1e-12)


@settings(max_examples=30)
@given(seed=st.integers(0, 10_000), anchor=st.sampled_from(["unit", "complexity"]), tied=st.booleans())
def test_input_order_changes_nothing_but_order(seed, anchor, tied):
    rng = np.random.default_rng(seed)
    n = 6
    d = np.ones((n, n)) - np.eye(n) if tied else scattered(rng, n, 0.3)
    d[np.diag_indices(n)] = rng.uniform(0.02, 0.05, n)
    c = np.ones(n) if tied else rng.uniform(0.3, 1, n)
    boot = d * rng.uniform(0.9, 1.1, (4, n, n))
    boot = (boot + boot.transpose(0, 2, 1)) / 2
    order = rng.permutation(n)
    plain = space.build(names(n), c, d, anchor=anchor, dissimilarity_replicates=boot, seed=3)
    turned = {"anchor": anchor, "dissimilarity_replicates": boot[:, order][:, :, order], "seed": 3}
    mixed = space.build([names(n)[i] for i in order], c[order], d[np.ix_(order, order)], **turned)
    assert mixed.domains == tuple(names(n)[i] for i in order)
    np.testing.assert_array_equal(mixed.coordinates, plain.coordinates[order])
    np.testing.assert_array_equal(mixed.bootstrap.coordinates, plain.bootstrap.coordinates[:, order])
    np.testing.assert_array_equal(mixed.dimensionality.thresholds, plain.dimensionality.thresholds)


def test_axes_are_principal_with_fixed_signs_and_shares_sum_to_one():
    rng = np.random.default_rng(1)
    d = scattered(rng, 6, 0.5)
    found = space.build(names(6), rng.uniform(0.3, 1, 6), d)
    product = found.coordinates.T @ found.coordinates
    np.testing.assert_allclose(product, np.diag(np.diag(product)), atol=1e-12)
    assert np.all(np.diff(np.diag(product)) <= 1e-12)
    largest = np.argmax(np.abs(found.coordinates), axis=0)
    assert np.all(found.coordinates[largest, np.arange(found.dimensions)] > 0)
    np.testing.assert_allclose(found.shares.sum(axis=0), 1)
    np.testing.assert_allclose((found.directions**2).sum(axis=1), 1)


@pytest.mark.parametrize("known", ["replicates", "errors"])
def test_one_domain_has_one_dimension_in_every_replicate(known):
    told = {"dissimilarity_replicates": np.zeros((30, 1, 1))}
    if known == "errors":
        told = {"dissimilarity_se": np.zeros((1, 1)), "end_se": np.zeros(1), "draws": 30}
    assert space.build(["a"], [5.0], [[0.0]]).coordinates.tolist() == [[1.0]]
    drawn = np.linspace(4, 6, 30)[:, None]
    found = space.build(["only"], [5.0], np.zeros((1, 1)), complexity_replicates=drawn, **told)
    assert found.dimensions == 1
    assert found.bootstrap.dimension_counts == (30,)
    np.testing.assert_allclose(found.bootstrap.coordinates, 1.0)  # complexities are divided by the largest


def test_two_domains_are_orthogonal_unless_only_noise_parts_them():
    found = space.build(["a", "b"], [2.0, 1.0], [[0, 0.3], [0.3, 0]])
    np.testing.assert_allclose(found.coordinates, [[1, 0], [0, 0.5]], atol=1e-12)
    noisy = space.build(["a", "b"], [2.0, 1.0], [[0.003, 0.0031], [0.0031, 0.0029]])
    assert noisy.dimensions == 1
    np.testing.assert_allclose(np.abs(noisy.coordinates), [[1], [0.5]], atol=1e-12)


@pytest.mark.parametrize("anchor", ["unit", "complexity"])
def test_tests_without_any_dissimilarity_share_one_line(anchor):
    found = space.build(names(4), [1.0, 2.0, 3.0, 4.0], np.zeros((4, 4)), anchor=anchor, dimensions=1)
    np.testing.assert_allclose(found.coordinates[:, 0], [0.25, 0.5, 0.75, 1.0], atol=1e-12)


def test_negative_eigenvalues_are_reported():
    d = np.array([[0, 1, 0.1], [1, 0, 0.1], [0.1, 0.1, 0]])  # breaks the triangle inequality
    found = space.build(names(3), np.ones(3), d)
    values = np.linalg.eigvalsh(1 - d**2)
    assert values[0] < 0
    assert found.negative_share == pytest.approx(-values[0] / np.abs(values).sum())
    assert found.stress > 0.01
    assert found.dimensions == 2


def test_complexity_anchor_recovers_points_of_any_length():
    rng = np.random.default_rng(2)
    points = np.abs(rng.normal(size=(6, 3))) * np.array([1, 0.8, 0.6])
    points = np.vstack([points, [2.0, 0, 0], [0, 2.0, 0]])  # the most dissimilar pair is orthogonal
    d = np.linalg.norm(points[:, None] - points[None], axis=2)
    assert d.max() == pytest.approx(d[-1, -2])
    found = space.build(names(8), np.linalg.norm(points, axis=1), d, anchor="complexity")
    assert found.dimensions == 3
    assert found.negative_share == 0
    top = np.linalg.norm(points, axis=1).max()
    np.testing.assert_allclose(found.coordinates @ found.coordinates.T, points @ points.T / top**2, atol=1e-9)
    assert found.scale == pytest.approx(d.max() / top)


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_scale_of_the_complexity_anchor_has_the_smallest_negative_part(seed):
    rng = np.random.default_rng(seed)
    d = scattered(rng, 5, 0.05)
    d, c = d / d.max(), rng.uniform(0.2, 1, 5)
    best = embedding.negative_part(embedding.gram(c, d, embedding.fit_square(c, d, "complexity")))
    grid = [embedding.negative_part(embedding.gram(c, d, s)) for s in np.linspace(0, 12, 400)]
    assert best <= min(grid) + 1e-6


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), d=st.integers(1, 3))
def test_refinement_never_raises_stress(seed, d):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(6, d))
    target = embedding.distances(points)
    start = points + 0.1 * rng.normal(size=points.shape)
    steps = [start]
    for _ in range(20):
        steps.append(embedding.guttman(steps[-1], target))
    stresses = [embedding.stress(step, target) for step in steps]
    assert np.all(np.diff(stresses) <= 1e-12)
    assert embedding.stress(embedding.smacof(start, target), target) <= stresses[-1] + 1e-12


def test_refined_space_has_less_stress_and_keeps_the_origin():
    rng = np.random.default_rng(4)
    d = scattered(rng, 8, 0.1)
    c = rng.uniform(0.5, 1, 8)
    plain, refined = (space.build(names(8), c, d, dimensions=2, refine=r) for r in (False, True))
    assert refined.stress < 0.95 * plain.stress
    assert refined.refined
    np.testing.assert_allclose(np.linalg.norm(refined.coordinates, axis=1), c / c.max(), atol=1e-12)
    exact = space.build(names(4), np.ones(4), 1 - np.eye(4), refine=True)
    np.testing.assert_allclose(exact.coordinates @ exact.coordinates.T, np.eye(4), atol=1e-12)


def test_procrustes_undoes_a_rotation():
    rng = np.random.default_rng(5)
    points = rng.normal(size=(7, 4))
    rotation = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    turned = points @ rotation
    np.testing.assert_allclose(bootstrap.procrustes(turned[None], points)[0], points, atol=1e-12)


GOOD = {"domains": ["a", "b", "c"], "complexity": [1.0, 2.0, 3.0], "dissimilarity": 1 - np.eye(3)}


def changed(i, j, value, both=True):
    matrix = 1 - np.eye(3)
    matrix[i, j] = value
    if both:
        matrix[j, i] = value
    return {"dissimilarity": matrix}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (changed(0, 1, 0.5, both=False), r"dissimilarity of 'a' and 'b' is 0\.5 but 1\.0 in the other order"),
        (changed(1, 2, -0.25), r"dissimilarity of 'b' and 'c' is -0\.25; it must be"),
        (changed(0, 2, np.nan), r"dissimilarity of 'a' and 'c' is nan; it must be"),
        ({"dissimilarity": np.ones((2, 3))}, r"dissimilarity has shape \(2, 3\), expected \(3, 3\)"),
        ({"complexity": [1.0, 0.0, 2.0]}, r"complexity of domain 'b' is 0\.0; it must be a finite number above 0"),
        ({"complexity": [1.0, 2.0]}, r"complexity has shape \(2,\), expected one number for each of 3"),
        ({"domains": ["a", "b", "a"]}, r"domain 'a' is named 2 times"),
        ({"domains": []}, r"at least one domain"),
        ({"dimensions": 4}, r"dimensions is 4; it must be 'share', .* or a whole number from 1 to 3"),
        ({"dimensions": 2, "dissimilarity": np.zeros((3, 3))}, r"dimensions is 2, but .* span only 1"),
        ({"confidence": 95}, r"confidence is 95"),
        ({"complexity_replicates": np.ones((5, 2))}, r"complexity_replicates has shape \(5, 2\)"),
        ({"dissimilarity_replicates": -np.ones((5, 3, 3))}, r"dissimilarity_replicates holds -1\.0"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(change, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        space.build(**(GOOD | change))
    assert "\n" not in str(caught.value)
