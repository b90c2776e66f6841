"""What places the domains of a run: lengths and distances from stored records, with what is known of their errors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from aiq.errors import InputError
from aiq.measures import complexity, dissimilarity
from aiq.records.complexity import Complexity
from aiq.records.dissimilarity import Alone
from aiq.run.reducing.dissimilarity import MeasuredPair, SuiteDissimilarity
from aiq.run.reducing.space import distances, transfer_areas
from aiq.stats import jackknife
from aiq.tables.locating import lengths_of

P = np.linspace(0, 1, 5)
INSIDE = P[1:-1]
NAMES = ("a", "b", "c")
PAIRS = tuple(itertools.combinations_with_replacement(NAMES, 2))


def fields(record) -> dict:
    return {name: getattr(record, name) for name in record.__dataclass_fields__}


# ---- distances -----------------------------------------------------------------------------------


def suite(
    *,
    chosen: str = "unbiased",
    ends: bool = True,
    controls: bool = True,
    repetitions: int = 4,
    told: bool = True,
    seed=0,
) -> SuiteDissimilarity:
    """Three domains of random trainings, measured as a run measures them."""
    rng = np.random.default_rng(seed)
    shared = {n: rng.uniform(0.7, 0.9, 3 * repetitions) for n in NAMES}
    shares = np.unique(np.round(np.concatenate([INSIDE, 1 - INSIDE]), 12))
    alone = {n: Alone(shares, rng.uniform(0.5, 0.8, (repetitions, shares.size))) for n in NAMES}
    pairs = []
    for a, b in PAIRS:
        names = list(dict.fromkeys((a, b)))
        curves = 0.65 + 0.05 * rng.standard_normal((repetitions, INSIDE.size if ends else P.size)).clip(-1, 1)
        given = {"ends": [shared[n] for n in names]} if ends else {}
        drawn = [dissimilarity.end_draws(shared[n], 30, np.random.default_rng(1)) for n in names]
        record = dissimilarity.measure(
            P, curves, chosen=chosen, resamples=30, **given, **({"ends_drawn": drawn} if ends else {})
        )
        if controls and ends:
            parts = dissimilarity.decompose(
                P, curves, told=curves + 0.02 if told else None, alone=[alone[n] for n in names], **given
            )
            record = type(record)(**{**fields(record), "parts": parts})
        pairs.append(MeasuredPair(a, b, curves, record))
    matrix = np.zeros((3, 3))
    for pair in pairs:
        i, j = NAMES.index(pair.a), NAMES.index(pair.b)
        matrix[i, j] = matrix[j, i] = pair.measured.distance
    floor = dissimilarity.noise_floor([pair.measured for pair in pairs if pair.a == pair.b])
    return SuiteDissimilarity(
        NAMES, tuple(pairs), matrix, np.tile(matrix, (30, 1, 1)), floor,
        dissimilarity.matrix_report(matrix, floor), None, (), 0, 0, 0.0,
    )  # fmt: skip


def test_unbiased_squares_are_left_to_the_space_with_the_errors_of_pairs_and_of_ends():
    found = suite()
    matrix, how = distances(found)
    assert set(how) == {"dissimilarity_se", "dissimilarity_df", "end_se"}
    for pair in found.pairs:
        i, j = NAMES.index(pair.a), NAMES.index(pair.b)
        error = pair.measured.error
        assert matrix[i, j] == matrix[j, i] == pair.measured.signed.value
        assert how["dissimilarity_se"][i, j] == error.se_inner
        if i != j:
            assert how["end_se"][i] == pytest.approx(error.end_a)
            assert how["end_se"][j] == pytest.approx(error.end_b)
            whole = error.se_inner**2 + how["end_se"][i] ** 2 + how["end_se"][j] ** 2
            assert whole == pytest.approx(error.se**2)
    assert how["dissimilarity_df"] == min(pair.measured.error.df_inner for pair in found.pairs)


def test_ends_of_pairs_are_no_errors_that_pairs_share():
    matrix, how = distances(suite(ends=False, controls=False))
    assert "end_se" not in how
    assert how["dissimilarity_se"].shape == matrix.shape


@pytest.mark.parametrize("how", [{"chosen": "plain"}, {"chosen": "signed"}, {"repetitions": 1, "controls": False}])
def test_other_values_and_single_repetitions_keep_the_matrix_and_its_replicates(how: dict):
    found = suite(**how)
    matrix, known = distances(found)
    assert matrix is found.matrix
    assert set(known) == {"dissimilarity_replicates"}
    assert known["dissimilarity_replicates"] is found.replicates


def test_distances_by_transfer_come_from_the_transfer_areas_and_their_own_errors():
    found = suite()
    area, error, df = transfer_areas(NAMES, {(p.a, p.b): p.measured for p in found.pairs})
    for pair in found.pairs:
        i, j, part = NAMES.index(pair.a), NAMES.index(pair.b), pair.measured.parts.transfer
        assert (area[i, j], error[i, j], df[i, j]) == (part.estimate.value, part.own.se, part.own.df)
        assert area[j, i] == area[i, j]
    matrix, how = distances(found, "transfer", 7)
    np.testing.assert_array_equal(matrix, dissimilarity.transfer_geometry(area, error).distances)
    assert set(how) == {"dissimilarity_replicates"}
    assert how["dissimilarity_replicates"].shape == (30, 3, 3)
    again = distances(found, "transfer", 8)[1]["dissimilarity_replicates"]
    assert not np.array_equal(how["dissimilarity_replicates"], again)  # the seed has an effect


def test_without_controls_the_signed_areas_give_the_same_distances():
    """Proportions lie evenly about 1/2: the controls cancel, and so do the ends."""
    with_controls = suite(told=False)  # interference: nothing is told, as on control domains
    without = suite(controls=False)
    assert with_controls.pairs[0].measured.parts.transfer is None
    one, two = (distances(found, "transfer")[0] for found in (with_controls, without))
    np.testing.assert_allclose(one, two, atol=1e-12)
    errors = [transfer_areas(NAMES, {(p.a, p.b): p.measured for p in s.pairs})[1] for s in (with_controls, without)]
    np.testing.assert_allclose(errors[0], errors[1], atol=1e-12)


def test_one_repetition_gives_distances_by_transfer_without_errors():
    matrix, how = distances(suite(repetitions=1), "transfer")
    assert np.isfinite(matrix).all()
    assert how == {}


# ---- lengths, and draws of them ------------------------------------------------------------------


def pool(middle: float, estimator: str = "best_of_k", chunk: int = 4, largest: float = 12.0) -> Complexity:
    """The complexity of a domain that networks of ``middle`` bits solve half, 64 policies that all domains share."""
    rng = np.random.default_rng(3)
    size = rng.uniform(4, 11, 64)
    performance = np.clip(1 / (1 + np.exp(middle - size)), 0, 1) if np.isfinite(middle) else np.ones(64)
    return complexity.measure(
        performance, size, chunk=np.arange(64) // chunk, estimator=estimator, largest=largest, resamples=30
    )


EASY = -np.inf


def with_errors(records, length: str, count: int = 1000, seed: int = 0):
    """Lengths, and what is known of their errors."""
    far = lengths_of(records, length)
    return far.values, far.options(count, seed)


def test_the_default_is_the_relative_excess():
    records = [pool(6.0), pool(8.0), pool(EASY)]
    usual = lengths_of(records, None)
    assert (usual.kind, usual.why) == ("relative_excess", ())
    assert lengths_of(records, "complexity").why == ()
    values, how = with_errors(records, "relative_excess", 50)
    assert values == pytest.approx([r.best_of_k.relative_excess.value for r in records])
    assert values[2] == 0
    assert how["complexity_replicates"].shape == (50, 3)
    bits, of_bits = with_errors(records, "complexity")
    assert bits == pytest.approx([r.value for r in records])
    assert of_bits["complexity_replicates"].shape == (30, 3)


@pytest.mark.parametrize(
    ("records", "why"),
    [
        ([pool(6.0, "minimum"), pool(8.0, "minimum")], "estimated by the minimum"),
        ([pool(EASY), pool(EASY)], "every relative excess is 0"),
        ([complexity.measure(np.linspace(0, 1, 32), np.full(32, 5.0), k=16, resamples=10)] * 2, "too much alike"),
    ],
)
def test_where_no_relative_excess_can_be_had_the_complexity_stands_in_and_it_is_said(records, why):
    far = lengths_of(records, None)
    assert far.kind == "complexity"
    assert why in far.why[0]


def test_asked_for_with_fewer_policies_than_k_it_is_refused():
    few = complexity.measure([0.2, 0.6], [4.0, 5.0], estimator="minimum", resamples=5)
    with pytest.raises(InputError, match=r"fewer than complexity\.k policies"):
        lengths_of([few, few], "relative_excess")
    assert lengths_of([few, few], None).kind == "complexity"
    assert lengths_of([pool(6.0, "minimum")], "relative_excess").kind == "relative_excess"


def test_draws_have_the_percentiles_of_the_intervals_and_stay_within_0_and_1():
    records = [pool(5.0), pool(8.0), pool(10.0), pool(EASY)]
    drawn = with_errors(records, "relative_excess", 40_000, seed=1)[1]["complexity_replicates"]
    assert ((drawn >= 0) & (drawn <= 1)).all()
    for record, column in zip(records[:3], drawn.T, strict=False):
        low, high = record.best_of_k.relative_excess.interval
        assert np.quantile(column, [0.025, 0.975]) == pytest.approx([low, high], rel=0.03)
    np.testing.assert_array_equal(drawn[:, 3], 0)
    named = {str(i): record for i, record in enumerate(records[:3])}
    small = np.corrcoef(drawn[:, 1], drawn[:, 2])[0, 1]
    expected = jackknife.covariance(*complexity.shared(named, "relative_excess"))
    assert small == pytest.approx(expected[1, 2] / np.sqrt(expected[1, 1] * expected[2, 2]), abs=0.1)


def test_pools_that_share_no_chunks_have_lengths_with_errors_of_their_own():
    records = [pool(6.0), pool(8.0, chunk=8)]
    found = lengths_of(records, "relative_excess")
    assert found.errors is not None
    assert found.errors.parts is None
    wanted = [complexity.standard_error(one.best_of_k, "relative_excess") for one in records]
    assert found.errors.se == pytest.approx([one.se for one in wanted])
    assert found.errors.df == pytest.approx([one.df for one in wanted])


# ---- pools drawn at random -----------------------------------------------------------------------


def drawn(seed: int, policies: int = 24, chunk: int = 4, reach: float = 0.6, **how):
    """The complexity of a domain whose larger policies reach more."""
    rng = np.random.default_rng(seed)
    size = rng.uniform(2, 12, policies)
    performance = np.clip(reach * size / 12 + rng.normal(0, 0.1, policies), 0, 1)
    given = {"chunk": np.arange(policies) // chunk, "largest": 12.0, "k": 8, "resamples": 50} | how
    return complexity.measure(performance, size, **given)


def test_replicates_of_unequal_number_are_cut_to_the_fewest():
    records = [drawn(0, estimator="minimum", resamples=40), drawn(1, estimator="minimum", resamples=30)]
    _, how = with_errors(records, "complexity")
    assert how["complexity_replicates"].shape == (30, 2)


def test_the_same_domain_twice_has_lengths_that_err_together():
    record = drawn(5)
    values, how = with_errors([record, record, drawn(6)], "relative_excess", 200)
    assert values[0] == values[1] == record.best_of_k.relative_excess.value
    draws = how["complexity_replicates"]
    assert draws.shape == (200, 3)
    np.testing.assert_allclose(draws[:, 0], draws[:, 1])
    assert abs(np.corrcoef(draws[:, 0], draws[:, 2])[0, 1]) < 0.99


def test_one_chunk_has_no_errors():
    assert with_errors([drawn(0, chunk=24, k=24), drawn(1, chunk=24, k=24)], "relative_excess")[1] == {}


def test_policies_all_of_one_size_once_a_chunk_is_left_out_leave_the_errors_unknown():
    size = np.array([2.0, 3.0, 5.0, 7.0, 8.0, 8.0, 8.0, 8.0])  # without the first chunk there is one size
    performance = np.array([0.2, 0.4, 0.6, 0.8, 0.5, 0.6, 0.7, 0.8])
    told = {"chunk": np.arange(8) // 4, "k": 4, "resamples": 0}
    lone = complexity.measure(performance, size, largest=8.0, **told)
    assert np.isfinite(lone.best_of_k.relative_excess.value)
    other = complexity.measure(performance, size + np.arange(8), largest=20.0, **told)
    values, how = with_errors([lone, other], "relative_excess")
    assert np.isfinite(values).all()
    assert how == {}
    assert set(with_errors([other, other], "relative_excess")[1]) == {"complexity_replicates"}
