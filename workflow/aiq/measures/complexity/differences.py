"""How far the complexities of domains are apart, with intervals.

A run trains the same architectures on every domain, so the numbers of two domains without each chunk of the pool are
paired: the jackknife is of the difference itself. Where domains have pools of their own, the errors are independent.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from aiq import stats
from aiq.errors import InputError
from aiq.records.complexity import QUANTITIES, BestOfK, Complexity, ComplexityDifference
from aiq.records.estimate import Estimate, StandardError
from aiq.stats import jackknife

NO_WIDTH = "no interval (leaving out any chunk of the pool changes nothing, or there is only one)"


def differences(complexities: Mapping[str, Complexity]) -> tuple[ComplexityDifference, ...]:
    """Return the difference of every pair of domains, in their order: the first minus the second.

    Args:
        complexities: by domain, all by one estimator.

    Raises:
        InputError: two domains were measured by different estimators, or at different k.
    """
    pairs = combinations(complexities.items(), 2)
    return tuple(_difference(*first, *second) for first, second in pairs)


def _difference(first: str, one: Complexity, second: str, other: Complexity) -> ComplexityDifference:
    a, b = one.best_of_k, other.best_of_k
    if one.estimator != other.estimator:
        raise InputError(
            f"the complexity of {first} is by {one.estimator}, that of {second} by {other.estimator}; take one of them"
        )
    if a is None or b is None:
        return ComplexityDifference(first, second, _of_minima(one, other), None, None, False)
    if a.k != b.k:
        raise InputError(f"the complexity of {first} is at k = {a.k}, that of {second} at k = {b.k}; take one k")
    shared = len(a.deleted) > 1 and np.array_equal(a.members, b.members) and len(a.deleted) == len(b.deleted)
    confidence = one.estimate.confidence
    found = [_of_best(a, b, column, shared, confidence) for column in range(len(QUANTITIES))]
    value = found[0] if one.estimator == "best_of_k" else _of_minima(one, other)
    return ComplexityDifference(first, second, value, found[2], found[3], shared)


def _of_best(a: BestOfK, b: BestOfK, column: int, shared: bool, confidence: float) -> Estimate:
    value = float(a.values[column] - b.values[column])
    if shared:
        interval = jackknife.interval(value, a.deleted[:, column] - b.deleted[:, column], a.members, confidence)
        how = "jackknife t of the difference over the chunks that both share"
    else:
        errors = [standard_error(one, QUANTITIES[column]) for one in (a, b)]
        known = [error for error in errors if error is not None]
        whole = stats.sum_error(known) if len(known) == len(errors) else None
        interval = stats.moderated_interval(value, whole, confidence)
        how = "jackknife t over the chunks of two pools"
    words = NO_WIDTH if interval is None else how
    return Estimate(value, interval, len(a.members), f"{QUANTITIES[column]}, {words}", None, confidence)


def standard_error(first: BestOfK, quantity: str) -> StandardError | None:
    """Return the standard error of one of ``QUANTITIES`` of one pool, by the jackknife; None where there is none."""
    column = QUANTITIES.index(quantity)
    if len(first.deleted) < 2 or not np.isfinite(first.deleted[:, column]).all():
        return None
    parts = jackknife.influences(first.values[[column]], first.deleted[:, [column]], first.members)
    return StandardError(float(np.sqrt((parts**2).sum())), float(jackknife.degrees(parts)[0]))


def _of_minima(one: Complexity, other: Complexity) -> Estimate:
    """Return the difference of two minima with the percentiles of paired resamples."""
    value, confidence = one.value - other.value, one.estimate.confidence
    count = min(one.replicates.size, other.replicates.size)
    interval, how = None, "no interval (no resample of the pool changes it)"
    if one.estimate.interval is not None and other.estimate.interval is not None and count:
        drawn = one.replicates[:count] - other.replicates[:count]
        if drawn.min() < drawn.max():
            interval = stats.percentile_interval(drawn, confidence)
            how = "percentiles of resamples; they do not cover what a larger pool would give"
    return Estimate(value, interval, one.estimate.n, f"minimum, {how}", one.estimate.seed, confidence)
