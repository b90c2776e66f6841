"""What places the domains of a run: lengths and distances from stored records, with what is known of their errors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from aiq.measures import dissimilarity
from aiq.records.dissimilarity import Alone
from aiq.run.reducing.dissimilarity import MeasuredPair, SuiteDissimilarity
from aiq.run.reducing.space import distances, transfer_areas

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
