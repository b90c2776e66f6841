"""What a suite's pairs say: starvation, confusion and transfer, shared errors, geometry, symmetry, triangles."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from aiq.errors import InputError
from aiq.measures import dissimilarity, space
from aiq.records.dissimilarity import Alone, Dissimilarity
from aiq.storage.records import pack, unpack

P = np.linspace(0, 1, 11)
SHARES = P[1:]


def drawn(seed, domains=2, repetitions=3, p=P, ends=False):
    """Random trainings of one pair: (performance, keywords of decompose)."""
    rng = np.random.default_rng(seed)
    shape = (repetitions, p.size - (2 if ends else 0))
    shares = np.unique(np.round(np.concatenate([p, 1 - p]), 12))[1:]
    options = {
        "told": rng.uniform(0.4, 0.9, shape),
        "alone": [Alone(shares, rng.uniform(0.3, 0.9, (repetitions + 1, shares.size))) for _ in range(domains)],
    }
    if ends:
        options["ends"] = [rng.uniform(0.5, 0.9, 3 * repetitions) for _ in range(domains)]
        options["told_ends"] = [rng.uniform(0.5, 0.9, 3 * repetitions) for _ in range(domains)]
    return rng.uniform(0.3, 0.9, shape), options


GRIDS = [np.linspace(0, 1, 3), P, np.array([0, 0.2, 0.3, 0.9, 1])]


@given(st.integers(0, 10_000), st.integers(1, 2), st.booleans(), st.sampled_from(GRIDS))
@settings(max_examples=60)
def test_the_three_parts_add_exactly_to_the_signed_area(seed, domains, ends, p):
    curves, options = drawn(seed, domains, p=p, ends=ends)
    parts = dissimilarity.decompose(p, curves, **options)
    whole = dissimilarity.measure(p, curves, ends=options.get("ends"), resamples=0)
    three = sum(getattr(parts, name).estimate.value for name in ("starvation", "confusion", "transfer"))
    assert three == pytest.approx(whole.signed.value, abs=1e-12)
    both = parts.confusion.estimate.value + parts.transfer.estimate.value
    assert parts.interference.estimate.value == pytest.approx(both, abs=1e-12)


def test_each_part_is_the_area_between_two_curves_and_positive_where_mixtures_do_worse():
    learnt = 0.9 - 0.2 * (1 - SHARES)
    alone = [Alone(SHARES, learnt[None]), Alone(SHARES, learnt[None])]
    control = P * np.append(0, learnt) + (1 - P) * np.append(0, learnt)[::-1]
    told = control - 0.03 * 4 * P * (1 - P)
    observed = told - 0.05 * 4 * P * (1 - P)
    parts = dissimilarity.decompose(P, observed, told=told, alone=alone)
    np.testing.assert_allclose(parts.control, control)
    np.testing.assert_allclose(parts.told, told)
    assert parts.starvation.estimate.value == pytest.approx(np.trapezoid(0.9 - control, P))
    assert parts.starvation.estimate.value > 0
    assert parts.confusion.estimate.value == pytest.approx(0.05 * 0.66)
    assert parts.transfer.estimate.value == pytest.approx(0.03 * 0.66)
    assert parts.starvation.estimate.interval is None  # nothing was repeated


def test_a_domain_with_itself_loses_by_starvation_what_it_gains_by_transfer():
    """Samples of one domain, however they are shared out, are all its samples: the mixture stays on the line."""
    learnt = Alone(SHARES, (0.9 - 0.2 * (1 - SHARES))[None])
    parts = dissimilarity.decompose(P, np.full(11, 0.9), told=np.full(11, 0.9), alone=[learnt])
    assert parts.starvation.estimate.value > 0
    assert parts.confusion.estimate.value == 0
    assert parts.transfer.estimate.value == pytest.approx(-parts.starvation.estimate.value)
    two = dissimilarity.decompose(P, np.full(11, 0.9), told=np.full(11, 0.9), alone=[learnt, learnt])
    assert two.transfer.estimate.value == pytest.approx(parts.transfer.estimate.value)


def slow_error(name, curves, options):
    """Standard error of a part without moderation, training by training: change each by its own deviation."""
    base = dissimilarity.decompose(P, curves, **options)
    value = getattr(base, name).estimate.value
    tables = [("curves", curves), ("told", options["told"])]
    total = 0.0
    step = 1e-3

    def moved(change):
        new = {**options, "told": options["told"] + change.get("told", 0)}
        new["alone"] = [
            Alone(a.shares, a.performance + change.get(f"alone{k}", 0)) for k, a in enumerate(options["alone"])
        ]
        got = dissimilarity.decompose(P, curves + change.get("curves", 0), **new)
        return (getattr(got, name).estimate.value - value) / step

    r = len(curves)
    for k in range(P.size):
        slope = [moved({which: step * np.eye(P.size)[k]}) for which, _ in tables]
        series = slope[0] * curves[:, k] + slope[1] * options["told"][:, k]
        total += series.var(ddof=1) / r
    for d, alone in enumerate(options["alone"]):
        for k in range(alone.shares.size):
            slope = moved({f"alone{d}": step * np.eye(alone.shares.size)[k]})
            total += slope**2 * alone.performance[:, k].var(ddof=1) / len(alone.performance)
    return math.sqrt(total)


@pytest.mark.parametrize("name", ["starvation", "confusion", "transfer", "interference"])
@pytest.mark.parametrize("domains", [1, 2])
def test_errors_are_those_of_independent_trainings(name, domains):
    curves, options = drawn(5, domains, repetitions=4)
    found = getattr(dissimilarity.decompose(P, curves, prior_df=0, **options), name)
    assert found.error.se == pytest.approx(slow_error(name, curves, options), rel=1e-6)


def test_told_and_observed_are_of_one_training_so_what_they_share_drops_out_of_confusion():
    rng = np.random.default_rng(0)
    curves = 0.6 + 0.1 * rng.random((3, 11))
    parts = dissimilarity.decompose(P, curves, told=curves + 0.01)
    assert parts.confusion.estimate.value == pytest.approx(0.01)
    assert parts.confusion.error.se < 1e-12
    assert (parts.starvation, parts.transfer, parts.interference, parts.control) == (None, None, None, None)


def test_without_being_told_there_is_starvation_and_interference():
    curves, options = drawn(1)
    parts = dissimilarity.decompose(P, curves, alone=options["alone"])
    assert (parts.confusion, parts.transfer, parts.told) == (None, None, None)
    whole = parts.starvation.estimate.value + parts.interference.estimate.value
    assert whole == pytest.approx(dissimilarity.measure(P, curves, resamples=0).signed.value)
    assert parts.as_dict()["confusion"] is None
    assert set(parts.as_dict()["starvation"]) == {"value", "interval", "se"}


def test_failed_trainings_are_left_out_wherever_they_are():
    curves, options = drawn(1)
    whole = dissimilarity.decompose(P, curves, **options)
    more = {**options, "told": np.vstack([options["told"], np.full(11, 0.5)])}
    more["alone"] = [Alone(a.shares, np.vstack([a.performance, a.performance[:1] * np.nan])) for a in options["alone"]]
    failed = np.vstack([curves, np.full(11, np.nan)])
    again = dissimilarity.decompose(P, failed, **more)
    assert again.transfer.estimate == whole.transfer.estimate


BAD = [
    ({"alone": [Alone(SHARES[:-1], np.full((2, 9), 0.5))] * 2}, "not measured at the share 1"),
    ({"alone": [Alone(SHARES, np.full((2, 10), 1.5))] * 2}, "performance is 1.5"),
    ({"alone": [Alone(SHARES * 2, np.full((2, 10), 0.5))] * 2}, "must lie above 0"),
    ({"alone": [Alone(SHARES, np.full((2, 10), np.nan))] * 2}, "domain alone failed"),
    ({"told": np.full((3, 11), np.nan)}, "all 3 repetitions failed"),
    ({"confidence": 1}, "confidence is 1"),
]


@pytest.mark.parametrize(("change", "sentence"), BAD)
def test_bad_controls_are_one_sentence(change, sentence):
    curves, options = drawn(1)
    with pytest.raises(InputError, match=sentence):
        dissimilarity.decompose(P, curves, **{**options, **change})


def suite(shared=True):
    rng = np.random.default_rng(0)
    ends = rng.uniform(0.7, 0.9, (3, 9))
    pairs = {}
    for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2)):
        inner = rng.uniform(0.6, 0.8, (3, 11))
        if shared:
            own = [ends[i]] if i == j else [ends[i], ends[j]]
            pairs["abc"[i], "abc"[j]] = dissimilarity.measure(P, inner[:, 1:-1], ends=own, resamples=0)
        else:
            pairs["abc"[i], "abc"[j]] = dissimilarity.measure(P, inner, resamples=0)
    return pairs


def test_errors_of_a_suite_are_those_of_its_pairs():
    pairs = suite()
    errors = dissimilarity.suite_errors("abc", pairs)
    ab = pairs["a", "b"]
    assert errors.signed[0, 1] == errors.signed[1, 0] == ab.signed.value
    assert (errors.end[0, 1], errors.end[1, 0]) == (ab.error.end_a, ab.error.end_b)
    assert errors.end[0, 0] == pairs["a", "a"].error.end_a
    assert np.isnan(errors.signed[2, 2])
    assert errors.df_end.tolist() == [8, 8, 8]
    np.testing.assert_allclose(
        errors.se**2, errors.se_inner**2 + np.where(np.eye(3), errors.end**2, errors.end**2 + errors.end.T**2)
    )


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: dissimilarity.suite_errors("abc", {("a", "b"): dissimilarity.measure(P, P)}), "one repetition"),
        (lambda: dissimilarity.transfer_geometry(np.diag([np.nan] * 2), np.zeros((2, 2))), "mixed with itself"),
    ],
)
def test_bad_suites_are_one_sentence(call, sentence):
    with pytest.raises(InputError, match=sentence):
        call()


def test_transfer_that_is_an_inner_product_gives_its_distances():
    vectors = np.array([[0.3, 0.0], [0.1, 0.2], [0.3, 0.0]])
    geometry = dissimilarity.transfer_geometry(-vectors @ vectors.T, np.full((3, 3), 0.01))
    expected = np.linalg.norm(vectors[:, None] - vectors[None], axis=-1)
    np.testing.assert_allclose(geometry.distances, expected, atol=1e-12)
    np.testing.assert_allclose(geometry.squares_se[0, 1], 0.01 * math.sqrt(6))
    assert geometry.distances_se[0, 1] == pytest.approx(0.01 * math.sqrt(6) / (2 * expected[0, 1]))
    assert 0 < geometry.distances_se[0, 2] < 1
    assert geometry.squares_se[1, 1] == geometry.distances[1, 1] == 0


def test_the_squared_distance_by_transfer_is_twice_the_area_of_what_was_told():
    """The controls cancel, so no part of what fewer samples cost is taken off."""
    rng = np.random.default_rng(2)
    ends, inner = rng.uniform(0.7, 0.9, size=(2, 4)), rng.uniform(0.5, 0.9, size=(3, 9))
    alone = [Alone(P[1:-1], rng.uniform(0.2, 0.8, size=(3, 9))) for _ in range(2)]
    area = np.zeros((2, 2))
    for i, j in ((0, 0), (1, 1), (0, 1)):
        told = inner if i != j else np.tile(ends[i].mean(), (3, 9))
        which = [i] if i == j else [i, j]
        parts = dissimilarity.decompose(
            P, told * 0.9, told=told, alone=[alone[k] for k in which], ends=[ends[k] for k in which]
        )
        area[i, j] = area[j, i] = parts.transfer.estimate.value
    square = dissimilarity.transfer_geometry(area, np.zeros((2, 2))).squares[0, 1]
    told_area = dissimilarity.measure(P, inner, ends=list(ends), resamples=0).signed.value
    assert square == pytest.approx(2 * told_area)


def test_records_of_earlier_versions_stay_readable():
    record = dissimilarity.measure(P, drawn(2)[0], resamples=20)
    tree = pack(record)
    for new in ("error", "parts", "point_errors"):
        del tree[new]
    old = unpack(Dissimilarity, tree)
    assert (old.error, old.parts, old.point_errors.size, old.signed) == (None, None, 0, record.signed)
    assert old.as_dict()["se"] is None
    assert dissimilarity.noise_floor([old]).as_dict()["se"] == [None]


# ---- symmetry and triangle inequality of a suite's dissimilarities

squares = st.integers(1, 6).flatmap(lambda n: hnp.arrays(np.float64, (n, n), elements=st.integers(0, 20).map(float)))


def symmetric(matrix):
    return np.tril(matrix, -1) + np.tril(matrix, -1).T


@given(squares)
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
    half = np.triu(ordered) + np.tril(ordered * np.nan)
    assert dissimilarity.matrix_report(np.zeros((3, 3)), None, half).symmetry is None


def test_equal_orders_correlate_perfectly_and_the_floor_may_be_a_record():
    rng = np.random.default_rng(0)
    matrix = symmetric(rng.uniform(size=(5, 5)))
    floor = dissimilarity.noise_floor([dissimilarity.measure(P, 0.5 + 0.01 * rng.uniform(size=(2, 11)))])
    report = dissimilarity.matrix_report(matrix, floor, matrix)
    assert report.noise_floor == floor.largest > 0
    assert report.symmetry.correlation == pytest.approx(1)
    assert report.symmetry.above_floor == 0


# ---- distances by transfer -----------------------------------------------------------------------


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
