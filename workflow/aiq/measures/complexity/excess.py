"""MCCP@k of a pool with its base, excess and relative excess, each with a jackknife interval; differences of domains.

See ``best_of_k`` for the estimator; the paper's own value is the minimum of ``value``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from aiq import stats
from aiq.errors import InputError
from aiq.measures.complexity.best_of_k import Envelope, Expected, Integers, Ranked, Trials, line
from aiq.records.complexity import QUANTITIES, BestOfK, Complexity, ComplexityDifference
from aiq.records.estimate import Estimate, Floats, StandardError
from aiq.stats import jackknife

UNBOUNDED = (-np.inf, np.inf)
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """How the expected best of k becomes a complexity: bins, what stands for policies not found, where it starts."""

    edges: Floats
    fill: str
    largest: float
    start: float

    def __post_init__(self) -> None:
        """Refuse a start beyond the performance range."""
        if not 0 <= self.start < self.edges[-1]:
            raise InputError(
                f"relative excess starts at performance {self.start:g}; it must lie in [0, {self.edges[-1]:g}), below "
                "the upper end of the performance range"
            )

    def numbers(self, expected: Expected) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the numbers of one or many pools; the last row of ``expected`` is that which every policy reaches.

        They are those of ``QUANTITIES``, (..., 4); size and what is filled by bin, (..., B); and the share of the
        value that is filled, (...,).
        """
        base = expected.reached[..., -1]
        bins = Expected(expected.reached[..., :-1], expected.missed[..., :-1])
        width = np.diff(self.edges)
        bounded = bins.reached + bins.missed * self.largest
        stand_in = line(bins, self.largest) if self.fill == "linear" else np.full_like(bounded, self.largest)
        filled = bins.missed * stand_in
        size = bins.reached + filled
        value = size @ width
        whole = base * width.sum()
        part = np.maximum(self.edges[1:] - np.maximum(self.edges[:-1], self.start), 0.0)
        over = _without_rounding(size - base[..., None], base[..., None]) @ width
        above = _without_rounding(bounded - base[..., None], base[..., None]) @ part
        room = _without_rounding(self.largest - base, base) * part.sum()
        relative = np.divide(above, room, out=np.full_like(room, np.nan), where=room > 0)
        share = np.where(
            value > 0, (filled @ width) / np.where(value > 0, value, 1.0), bins.missed @ width / width.sum()
        )
        four = np.stack([value, whole, over, relative], axis=-1)
        return four, size, filled, np.clip(share, 0.0, 1.0)


def _without_rounding(difference: Floats, scale: Floats) -> Floats:
    """Return differences of sums in which those that are nothing but rounding are 0."""
    return np.where(np.abs(difference) <= _ROUNDING * scale, 0.0, difference)


def ranked(trials: Trials, rule: Envelope) -> Ranked:
    """Return the policies by size with what each reaches: all bins up to its own, and one row that all reach."""
    in_bin = rule.bin_of(np.where(np.isnan(trials.performance), 0.0, trials.performance))
    in_bin[np.isnan(trials.performance)] = -1
    bins = np.arange(rule.edges.size - 1)[:, None]
    return Ranked(trials.size, np.vstack([in_bin >= bins, np.ones((1, in_bin.size), dtype=np.bool_)]), trials.unit)


def best_of_k(policies: Ranked, reading: Reading, k: int, confidence: float, unit: str) -> BestOfK:
    """Measure the expected best of ``k`` policies of a pool; ``unit`` is what a chunk is called in words.

    Raises:
        InputError: there are fewer than k policies.
    """
    n = int(policies.members.sum())
    check_k(k, n)
    whole = policies.whole(k)
    four, size, filled, share = reading.numbers(whole)
    deleted, why = _without_each(policies, reading, k, unit)
    estimates = [
        _estimate(float(four[i]), deleted[:, i], policies.members, confidence, why, kind)
        for i, kind in enumerate(_kinds(reading, k, float(four[1])))
    ]
    return BestOfK(
        k=k,
        fill=reading.fill,
        largest=reading.largest,
        start=reading.start,
        estimate=estimates[0],
        base=estimates[1],
        excess=estimates[2],
        relative_excess=estimates[3],
        size=size,
        missed=whole.missed[:-1],
        filled=filled,
        filled_share=float(share),
        deleted=deleted,
        members=policies.members.astype(np.float64),
        n_policies=n,
    )


def check_k(k: int, n: int, domain: str = "") -> None:
    """Refuse a number of policies that a pool cannot give; ``domain`` is named if it is given.

    Raises:
        InputError: k is no whole number from 1 to n.
    """
    if k < 1 or k != int(k):
        raise InputError(f"k is {k}; the number of policies of which the smallest counts must be a whole number from 1")
    if k > n:
        raise InputError(
            f"k is {k}, but {f'domain {domain} has' if domain else 'there are'} only {n} policies to choose from; "
            f"take k of at most {n}, or train more policies"
        )


def _without_each(policies: Ranked, reading: Reading, k: int, unit: str) -> tuple[Floats, str]:
    """Return the numbers without each chunk, (G, 4) or (0, 4), and what to say of the interval."""
    groups, rest = policies.members.size, int(policies.members.sum() - policies.members.max())
    if groups < 2:
        return np.empty((0, len(QUANTITIES))), f"no interval (all in one of the {unit})"
    if rest < k:
        return np.empty((0, len(QUANTITIES))), f"no interval (without one of the {unit} fewer than {k} policies remain)"
    words = f"Student t, delete-one jackknife over {groups} {unit}"
    return reading.numbers(policies.without_each(k))[0], words


def _kinds(reading: Reading, k: int, base: float) -> tuple[tuple[str, str, float, float], ...]:
    """Return what each of ``QUANTITIES`` is in words, the scale on which its interval is symmetric, and its range."""
    bounded = reading.fill == "largest"  # a straight line has no largest size
    most = reading.largest * float(reading.edges[-1] - reading.edges[0])
    return (
        (f"MCCP@{k}, filling {reading.fill}", "plain", 0.0, most if bounded else np.inf),
        (f"MCCP@{k} if every policy reached everything", "plain", 0.0, most),
        (f"MCCP@{k} above its base, filling {reading.fill}", "log", *((0.0, most - base) if bounded else UNBOUNDED)),
        (f"excess over its largest possible value, from performance {reading.start:.3g}", "logit", 0.0, 1.0),
    )


def _estimate(
    value: float, deleted: Floats, members: Integers, confidence: float, why: str, kind: tuple[str, str, float, float]
) -> Estimate:
    """Return one number with its interval, which keeps to the values that the number can have."""
    what, scale, least, most = kind
    interval = jackknife.interval(value, deleted, members, confidence, scale) if deleted.size else None
    if interval is not None:
        interval = (min(max(interval[0], least), value), max(min(interval[1], most), value))
    elif deleted.size and np.isfinite(value):
        why = "no interval: leaving out any of them changes nothing"
    return Estimate(value, interval, members.size, f"{what}; {why}", None, confidence)


# ---- How far the complexities of domains are apart -----------------------------------------------

# A run trains the same architectures on every domain, so the numbers of two domains without each chunk of the pool are
# paired: the jackknife is of the difference itself. Where domains have pools of their own, the errors are independent.

NO_WIDTH = "no interval (leaving out any chunk of the pool changes nothing, or there is only one)"


def differences(complexities: Mapping[str, Complexity]) -> tuple[ComplexityDifference, ...]:
    """Return the difference of every pair of domains, in their order: the first minus the second, by one estimator.

    Raises:
        InputError: two domains were measured by different estimators, or at different k.
    """
    return tuple(_difference(*first, *second) for first, second in combinations(complexities.items(), 2))


def _difference(first: str, of_first: Complexity, second: str, of_second: Complexity) -> ComplexityDifference:
    a, b = of_first.best_of_k, of_second.best_of_k
    if of_first.estimator != of_second.estimator:
        raise InputError(
            f"the complexity of {first} is by {of_first.estimator}, that of {second} by {of_second.estimator}; "
            "take one of them"
        )
    if a is None or b is None:
        return ComplexityDifference(first, second, _of_minima(of_first, of_second), None, None, False)
    if a.k != b.k:
        raise InputError(f"the complexity of {first} is at k = {a.k}, that of {second} at k = {b.k}; take one k")
    shared = len(a.deleted) > 1 and np.array_equal(a.members, b.members) and len(a.deleted) == len(b.deleted)
    confidence = of_first.estimate.confidence
    estimates = [_of_best(a, b, column, shared, confidence) for column in range(len(QUANTITIES))]
    value = estimates[0] if of_first.estimator == "best_of_k" else _of_minima(of_first, of_second)
    return ComplexityDifference(first, second, value, estimates[2], estimates[3], shared)


def _of_best(a: BestOfK, b: BestOfK, column: int, shared: bool, confidence: float) -> Estimate:
    value = float(a.values[column] - b.values[column])
    if shared:
        interval = jackknife.interval(value, a.deleted[:, column] - b.deleted[:, column], a.members, confidence)
        how = "jackknife t of the difference over the chunks that both share"
    else:
        errors = [standard_error(record, QUANTITIES[column]) for record in (a, b)]
        measured = [error for error in errors if error is not None]
        whole = stats.sum_error(measured) if len(measured) == len(errors) else None
        interval = stats.moderated_interval(value, whole, confidence)
        how = "jackknife t over the chunks of two pools"
    words = NO_WIDTH if interval is None else how
    return Estimate(value, interval, len(a.members), f"{QUANTITIES[column]}, {words}", None, confidence)


def standard_error(first: BestOfK, quantity: str) -> StandardError | None:
    """Return the standard error of one of ``QUANTITIES`` of one pool, by the jackknife; None where there is none."""
    column = QUANTITIES.index(quantity)
    if len(first.deleted) < 2 or not np.isfinite(first.deleted[:, column]).all():
        return None
    return jackknife.standard_error(
        jackknife.influences(first.values[[column]], first.deleted[:, [column]], first.members)[:, 0]
    )


def _of_minima(first: Complexity, second: Complexity) -> Estimate:
    """Return the difference of two minima with the percentiles of paired resamples."""
    value, confidence = first.value - second.value, first.estimate.confidence
    count = min(first.replicates.size, second.replicates.size)
    interval, how = None, "no interval (no resample of the pool changes it)"
    if first.estimate.interval is not None and second.estimate.interval is not None and count:
        drawn = first.replicates[:count] - second.replicates[:count]
        if drawn.min() < drawn.max():
            interval = stats.percentile_interval(drawn, confidence)
            how = "percentiles of resamples; they do not cover what a larger pool would give"
    return Estimate(value, interval, first.estimate.n, f"minimum, {how}", first.estimate.seed, confidence)
