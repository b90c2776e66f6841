"""Standard errors in, resampled numbers of dimensions out: one tolerance, unbiased squares, shared errors, warnings."""

import numpy as np
import pytest
from placed import angular, in_plane

from aiq.errors import InputError
from aiq.measures import draws, quotient, space
from aiq.measures.quotient import bootstrap, hull
from aiq.measures.quotient.bootstrap import log_volumes
from aiq.seeding import generator

NAMES = list("abcd")


PLANAR = in_plane(np.array([0.0, np.pi / 2, 0.6, 1.1]))
SOLID = angular(np.array([[1, 0, 0], [0, 1, 0], [0.6, 0.8, 0], [0.6, 0.4, 0.69]]))
"""Three tests in a plane and one that stands somewhat out of it."""


def built(d=PLANAR, se=0.02, **options):
    given = {"complexity_se": np.full(4, 0.01), "dissimilarity_se": np.full((4, 4), se), "draws": 300} | options
    return space.build(NAMES, [1.0, 0.9, 0.8, 0.95], d, **given)


def merged_pairs(replicates=200):
    """Four tests, two of them alike; half of the replicates lose a second pair too and are flat in three dimensions."""
    d = 1 - np.eye(4)
    d[2, 3] = d[3, 2] = 0
    boot = np.tile(d, (replicates, 1, 1))
    boot[::2, 1, 2:] = boot[::2, 2:, 1] = 0
    return d, boot


def test_steps_that_are_flat_in_exact_arithmetic_are_flat_and_enter_no_ratio():
    d, boot = merged_pairs()
    where = space.build(NAMES, [1, 0.9, 0.8, 0.7], d, dimensions=3, dissimilarity_replicates=boot, merge=False)
    assert where.spectrum[3] == 0
    assert where.bootstrap.collapsed == 100
    performance = [[0.5, 0.6, 0.7, 0.2]]
    found = quotient.score(where, ["x"], performance)
    assert found.replicates_flat == 100
    assert found.agents[0].relative.interval == pytest.approx((0.21, 0.21), rel=1e-7)
    assert any("50%" in sentence for sentence in found.warnings)


def test_zero_eigenvalues_are_exactly_zero_whatever_the_rounding():
    rng = np.random.default_rng(0)
    for _ in range(30):
        d = in_plane(np.concatenate([[0, np.pi / 2], rng.uniform(0, np.pi / 2, 2)]))
        where = space.build(NAMES, rng.uniform(0.5, 1, 4), d)
        assert where.dimensions == 2
        np.testing.assert_array_equal(where.spectrum[2:], 0)


@pytest.mark.parametrize(("n", "d"), [(2, 1), (4, 2), (7, 2), (6, 3), (8, 4), (5, 5)])
def test_stacked_hulls_are_those_of_qhull(n, d):
    rng = np.random.default_rng(n)
    points = rng.normal(size=(20, n, d))
    points[10:] = np.abs(points[10:])
    v = rng.uniform(0, 1, (20, 3, n))
    v[3, 0, :2] = 0
    found = np.exp(log_volumes(points, v))
    for b in range(20):
        for a in range(3):
            expected = hull.volume(points[b] * v[b, a][:, None]).volume
            assert found[b, a] == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_stacked_hulls_count_points_of_one_plane_once():
    square = np.array([[[1.0, 0], [0, 1], [1, 1], [0.5, 0.5], [1, 1], [1, 0.5]]])
    assert log_volumes(square, np.ones((1, 1, 6)))[0, 0] == pytest.approx(0, abs=1e-7)


def test_the_square_is_unbiased_and_draws_are_centred_at_it():
    rng = np.random.default_rng(1)
    errors = draws.Errors(0.03 * (1 - np.eye(3)), np.full(3, 0.04), np.inf)
    centre = 0.5 * (1 - np.eye(3))
    drawn = draws.dissimilarities(centre, errors, 60_000, rng)
    assert (drawn[:, 0, 1] ** 2).mean() == pytest.approx(0.25, abs=0.001)
    variance = 0.03**2 + 2 * 0.04**2
    assert drawn[:, 0, 1].std() == pytest.approx(np.sqrt(variance), rel=0.02)
    correlation = np.corrcoef(drawn[:, 0, 1], drawn[:, 0, 2])[0, 1]
    assert correlation == pytest.approx(0.04**2 / variance, abs=0.02)
    np.testing.assert_array_equal(drawn, drawn.transpose(0, 2, 1))
    signed = np.array([[0, -0.01], [-0.01, 0]])
    np.testing.assert_array_equal(draws.debiased(signed, np.full((2, 2), 0.05)), 0)


def test_errors_that_domains_share_are_carried():
    shared = np.full((4, 4), 0.0025) - np.diag([0.0024] * 4) + np.diag([0.0024] * 4)
    where = built(complexity_se=shared, se=1e-6)
    lengths = np.linalg.norm(where.bootstrap.coordinates, axis=2)
    np.testing.assert_allclose(lengths, np.broadcast_to([1, 0.9, 0.8, 0.95], lengths.shape), rtol=0.08)
    assert built(complexity_se=np.full(4, 0.05), se=1e-6).bootstrap.displacement.max() > 0.02


def test_the_number_of_dimensions_is_right_resampled_and_probable():
    where = built()
    assert where.dimensions == 2
    assert sum(where.dimensionality.probabilities.values()) == pytest.approx(1)
    assert where.dimensionality.probabilities[2] > 0.9
    assert where.as_dict()["dimension_probabilities"]["2"] == where.dimensionality.probabilities[2]
    assert set(where.alternatives) == {1} | ({3} if where.spectrum[2] > 0 else set())
    unsure = built(SOLID, se=0.08, seed=2)
    assert len(unsure.dimensionality.probabilities) > 1
    assert any("uncertain" in sentence for sentence in unsure.warnings)


def test_the_headline_carries_the_uncertainty_of_the_number_of_dimensions():
    where = built(SOLID, se=0.12, seed=2)
    found = quotient.score(where, ["x", "v"], [[0.9, 0.4, 0.8, 0.5], [0.6] * 4])
    agents = {a.agent: a for a in found.agents}
    d = where.dimensions
    low, high = agents["x"].per_dimension.interval
    given = [end ** (1 / d) for end in agents["x"].relative.interval]
    assert low < given[0] or high > given[1]
    assert agents["v"].per_dimension.value == pytest.approx(0.6, rel=1e-12)
    assert agents["v"].per_dimension.interval == pytest.approx((0.6, 0.6), rel=1e-12)
    assert agents["x"].by_dimensions[d] == agents["x"].relative.value
    for k, value in agents["v"].by_dimensions.items():
        assert value == pytest.approx(0.6**k, rel=1e-9)


def test_mirror_images_tie_in_rank_and_order():
    d = in_plane(np.array([0, np.pi / 2, np.pi / 6, np.pi / 3]))
    for names in (NAMES, NAMES[::-1]):
        for anchor in ("unit", "complexity"):
            where = space.build(names, np.ones(4), d, anchor=anchor)
            found = quotient.score(where, ["x", "y"], [[0.9, 0.3, 0.7, 0.5], [0.3, 0.9, 0.5, 0.7]])
            assert [a.rank for a in found.agents] == [1, 1]
            assert [a.order for a in found.agents] == [None, None]
    where = space.build(NAMES, np.ones(4), d, dissimilarity_replicates=np.tile(d, (50, 1, 1)))
    found = quotient.score(where, ["x", "y"], [[0.9, 0.3, 0.7, 0.5], [0.3, 0.9, 0.5, 0.7]])
    assert found.agents[0].order == pytest.approx(0.5)


def test_a_cut_between_equal_eigenvalues_is_said_and_decides_no_rank():
    where = space.build(NAMES[:3], np.ones(3), 1 - np.eye(3), dimensions=2)
    assert where.dimensionality.cut
    assert any("arbitrary" in sentence for sentence in where.warnings)
    table = [[0.9, 0.5, 0.5], [0.5, 0.5, 0.9], [0.4, 0.4, 0.4]]
    found = quotient.score(where, ["x", "y", "low"], table)
    assert [a.rank for a in found.agents] == [1, 1, 3]
    assert not space.build(NAMES[:3], np.ones(3), 1 - np.eye(3)).dimensionality.cut


def test_what_a_picture_hides_is_said():
    d = np.array([[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]])
    lost = space.build(NAMES[:3], [1.0, 1.0, 0.9], d, dimensions=1)
    assert lost.as_dict()["vanished"] == ["c"]
    assert lost.kept_length[2] < 1e-6
    np.testing.assert_array_equal(lost.coordinates[2], 0)
    assert "c vanishes in the kept dimensions: at the origin, which adds no volume" in lost.warnings
    assert not any("every dimension" in sentence for sentence in lost.warnings)
    bent = np.array([[0, 1, 0.1, 0.3], [1, 0, 0.1, 0.95], [0.1, 0.1, 0, 0.35], [0.3, 0.95, 0.35, 0]])
    warned = space.build(NAMES, np.ones(4), bent).warnings
    assert any("no Euclidean space" in sentence for sentence in warned)
    assert any("noise is unknown" in sentence for sentence in warned)
    assert any("standard error of 0" in sentence for sentence in built(se=0.0).warnings)


def test_an_anchor_whose_scale_collapses_is_said():
    d = np.array([[0, 1, 0.01], [1, 0, 0.01], [0.01, 0.01, 0]])
    where = space.build(NAMES[:3], [1.0, 1.0, 1.0], d, anchor="complexity", dimensions=1)
    assert any("scaled all dissimilarities down" in sentence for sentence in where.warnings)
    assert not any("scaled all" in sentence for sentence in space.build(NAMES[:3], [1.0, 1, 1], d).warnings)


def test_a_test_of_no_length_lies_at_the_origin_and_adds_nothing():
    with pytest.raises(InputError, match="above 0"):
        space.build(NAMES, [1.0, 0.9, 0.8, 0.0], PLANAR)
    for anchor in ("unit", "complexity"):
        where = space.build(NAMES, [1.0, 0.9, 0.8, 0.0], PLANAR, length="relative_excess", anchor=anchor)
        np.testing.assert_array_equal(where.coordinates[3], 0)
        assert where.vanished == ()
        assert any("length 0" in sentence for sentence in where.warnings)
    with pytest.raises(InputError, match="every domain has length 0"):
        space.build(NAMES, np.zeros(4), PLANAR, length="relative_excess")


def test_tests_at_the_origin_span_no_dimension():
    d = 1 - np.eye(4)
    assert space.build(NAMES, np.ones(4), d).dimensions == 4
    where = space.build(NAMES, [0.4, 0.0, 0.2, 0.0], d, length="relative_excess", complexity_se=np.full(4, 0.01))
    assert where.dimensions == 2
    assert set(where.dimensionality.probabilities) <= {1, 2}


def test_errors_of_relative_excesses_keep_every_draw_between_0_and_1():
    values, how = np.array([0.05, 0.5, 0.97]), {"length": "relative_excess", "draws": 4000, "distance": "relative"}
    made = space.build("abc", values, 1 - np.eye(3), complexity_se=[0.05, 0.1, 0.03], **how)
    drawn = np.linalg.norm(made.bootstrap.coordinates, axis=2)
    assert ((drawn > 0) & (drawn < 1)).all()
    assert np.median(drawn, axis=0) == pytest.approx(values, rel=0.05)
    assert drawn[:, 1].std() == pytest.approx(0.1, rel=0.1)


def test_a_simplex_is_named_and_elsewhere_the_difference_is_measured():
    three = space.build(NAMES[:3], [1.0, 0.8, 0.6], 1 - np.eye(3))
    v = np.array([[0.9, 0.5, 0.7], [0.4, 0.8, 0.6], [0.3, 0.3, 0.9]])
    found = quotient.score(three, ["x", "y", "z"], v)
    assert found.simplex
    assert found.note == "here AIQ per dimension is the geometric mean of the performances"
    for agent in found.agents:
        assert agent.per_dimension.value == pytest.approx(agent.geometric_mean.value, rel=1e-10)
    wide = quotient.score(built(), ["x", "y", "z"], np.column_stack([v, [0.1, 0.9, 0.5]]))
    assert not wide.simplex
    assert 0 <= wide.beyond.residual.value <= 1
    assert "unexplained" in wide.note


def test_agents_are_drawn_with_the_spread_of_their_repetitions_or_the_stated_errors():
    def drawn(samples, **how):
        return bootstrap.agent_draws([np.array(one) for one in samples], 20_000, generator(0, "test"), **how)

    rng = np.random.default_rng(5)
    samples = [0.6 + 0.03 * rng.normal(size=3) for _ in range(6)]
    found = drawn(samples)
    np.testing.assert_allclose(found.mean(axis=0), [s.mean() for s in samples], atol=0.001)
    assert 0.01 < found.std() < 0.1
    assert drawn([[0.5], [0.5, 0.6]])[:, 0].std() > 0
    for unknown in (None, [np.nan, np.nan]):
        assert drawn([[0.5], [0.4]], se=unknown) is None
    found = drawn([[0.5], [0.4]], se=[0.05, np.nan])
    assert (found[:, 0].mean(), found[:, 0].std()) == pytest.approx((0.5, 0.05), rel=0.02)
    assert (found[:, 1] == 0.4).all()  # a test without error does not take that of the others away
    repeated = [0.4, 0.5, 0.6]
    found = drawn([repeated, [0.4]], se=[np.nan, 0.02])
    assert found[:, 0] == pytest.approx(drawn([repeated])[:, 0])  # their own spread
    assert found[:, 1].std() == pytest.approx(0.02, rel=0.02)


BAD = [
    ({"dissimilarity_se": np.full((4, 4), -0.1)}, "standard error of the pair 'a', 'b' is -0.1"),
    ({"dissimilarity_se": np.ones(4)}, r"dissimilarity_se has shape \(4,\)"),
    ({"complexity_se": np.full(4, -1.0)}, "standard error of the complexity of 'a' is -1.0"),
    ({"complexity_se": -np.eye(4)}, "no covariance matrix"),
    ({"complexity_se": np.ones(3)}, r"complexity_se has shape \(3,\)"),
    ({"end_se": np.full(4, np.nan)}, "ends of 'a' is nan"),
    ({"dissimilarity_df": 0}, "dissimilarity_df is 0"),
]


@pytest.mark.parametrize(("change", "sentence"), BAD)
def test_bad_errors_are_refused_in_one_sentence(change, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        built(**change)
    assert "\n" not in str(caught.value)


def test_what_is_held_is_not_drawn_and_the_estimate_stays():
    """Errors of the pairs' own, of the ends, or both at 0: the debiased matrix is that of all errors, diagonal kept."""
    rng = np.random.default_rng(4)
    signed = np.abs(rng.normal(0.1, 0.02, size=(5, 5)))
    signed = (signed + signed.T) / 2
    inner = np.full((5, 5), 0.02)
    np.fill_diagonal(inner, 0.0)
    errors = draws.Errors(inner, np.full(5, 0.01), np.inf)
    centre = draws.debiased(signed, errors.variance)
    for own, ends in ((False, False), (True, False), (False, True), (True, True)):
        found = draws.held(signed, errors, own=own, ends=ends)
        alive = draws.Errors(found["dissimilarity_se"], found["end_se"], found["dissimilarity_df"])
        assert draws.debiased(found["dissimilarity"], alive.variance) == pytest.approx(centre)
        assert np.diag(found["dissimilarity"]) == pytest.approx(np.diag(signed))
        drawn = draws.dissimilarities(centre, alive, 4000, np.random.default_rng(1))[:, 0, 1]
        spread = np.sqrt((0 if own else 0.02**2) + (0 if ends else 2 * 0.01**2))
        assert drawn.std() == pytest.approx(spread, rel=0.15, abs=1e-12)


def test_noise_alone_has_a_signal_of_seven_tenths():
    """E max(0, x² - 1) = 2 φ(1) for a normal x; without noise there is no limit."""
    rng = np.random.default_rng(4)
    signed = np.triu(rng.standard_normal((400, 400)), 1)
    one = np.ones((400, 400))
    noise = draws.debiased(signed + signed.T, one)
    assert draws.signal_to_noise(noise, one) == pytest.approx(np.sqrt(2 * np.exp(-0.5) / np.sqrt(2 * np.pi)), 0.02)
    assert draws.signal_to_noise(3 * one, one) == 3
    assert draws.signal_to_noise(one, 0 * one) == np.inf


def test_where_all_is_noise_the_share_of_the_replicates_is_explained():
    rng = np.random.default_rng(5)
    names, error = [f"d{i}" for i in range(9)], 0.02
    noise = np.triu(error * rng.standard_normal((9, 9)), 1)
    se = np.full((9, 9), error)
    found = space.build(names, np.ones(9), noise + noise.T, dissimilarity_se=se, dissimilarity_df=4, draws=200)
    more = sum(p for k, p in found.dimensionality.probabilities.items() if k > found.dimensions)
    (said,) = [sentence for sentence in found.warnings if "is no sign of more" in sentence]
    assert more > 0.15
    assert "signal to noise 0." in said
    for clear in (built(se=0.02), built(SOLID, se=0.1)):
        assert not any("is no sign of more" in sentence for sentence in clear.warnings)
