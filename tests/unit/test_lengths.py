"""Which length the tests of a suite have, and draws of it."""

from __future__ import annotations

import numpy as np
import pytest

from aiq.errors import InputError
from aiq.measures import complexity
from aiq.records.complexity import Complexity
from aiq.stats import jackknife
from aiq.tables.locating import lengths_of


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
