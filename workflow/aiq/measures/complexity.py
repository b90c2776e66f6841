"""Monte Carlo cross performance (MCCP) complexity of a domain from the trials of a pool.

Source: 2025 paper, Eq. 5, section 2.4.3 and Fig. 2. The trials of one domain are pairs of a policy's
size and the performance it reached; the complexity is the area under the smallest size that reaches
each performance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from aiq import seeding, stats
from aiq.errors import InputError, choice
from aiq.measures.arguments import bootstrap_words, check_resampling, vector
from aiq.measures.envelope import Envelope, equal_edges
from aiq.measures.pool import Pool, Trials, checked_trials, drawn_with_replacement, drawn_without_replacement
from aiq.records.arrays import Floats
from aiq.records.complexity import FILLINGS, Complexity, ComplexityCurve, NormalisedComplexity, PoolSizeCurve
from aiq.records.estimate import Estimate

ValueRange = tuple[float, float] | Literal["observed"]

UNITS = ("log2", "parameters", "bytes", "compressed")
_BYTES_PER_PARAMETER = 4


def sizes(parameters: npt.ArrayLike, compressed: npt.ArrayLike | None = None, unit: str = "log2") -> Floats:
    """Return the sizes of policies in the unit in which complexity is to be measured.

    Args:
        parameters: number of trainable parameters of each policy, shape (n,), at least 1.
        compressed: bytes of the trained float32 weights after lossless compression, shape (n,); needed
            for the unit ``compressed`` alone (the paper's reduction of the description length).
        unit: ``log2`` (of the parameters, the default), ``parameters``, ``bytes`` (4 a parameter) or
            ``compressed`` (bytes).

    Raises:
        InputError: for an unknown unit, or sizes below 1.
    """
    if unit not in UNITS:
        raise InputError(choice("the unit of policy size", unit, UNITS))
    if unit != "compressed":
        values = vector("sizes", parameters)
    elif compressed is not None:
        values = vector("compressed sizes", compressed)
    else:
        raise InputError("the unit 'compressed' needs the compressed sizes of the trained weights; none were given")
    bad = values[~(np.isfinite(values) & (values >= 1))]
    if bad.size:
        raise InputError(f"a policy size is {bad[0]:g}; sizes must be finite and at least 1 (parameter or byte)")
    if unit == "log2":
        return np.asarray(np.log2(values), dtype=np.float64)
    return values * _BYTES_PER_PARAMETER if unit == "bytes" else values


def measure(
    performance: npt.ArrayLike,
    size: npt.ArrayLike,
    *,
    chunk: npt.ArrayLike | None = None,
    bins: int = 30,
    value_range: ValueRange = (0.0, 1.0),
    envelope: str = "at_least",
    extrapolate: str = "linear",
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Complexity:
    """Measure the MCCP complexity of one domain (Eq. 5).

    The interval is the percentile bootstrap over chunks; bins stay those of the whole sample in every
    resample. A minimum can only rise when trials are left out, so resampled values lie mostly above the
    estimate, which lies above the complexity of an unlimited pool itself: the interval says how much the
    value owes to single trials, and covers the unlimited pool only where its smallest policies were drawn
    several times (``Complexity.reflected_interval`` does better). With the same seed and the same chunks,
    domains resample the same policies, as befits one pool for a whole suite.

    With ``at_least`` and nothing extrapolated, a further trial never raises the value. With ``linear``, a
    small policy at low performance makes the line steeper and can raise the extrapolated part.

    Args:
        performance: of each trial, shape (n,), in [0, 1]; NaN marks a failed or diverged trial, which is
            counted and left out.
        size: of each trial's policy, shape (n,), finite and not negative; see ``sizes`` for units.
        chunk: label of the training chunk of each trial, shape (n,): trials that shared a batch order are
            resampled together. None makes every trial a chunk of its own.
        bins: number of equal bins over the performance range.
        value_range: performances between which is integrated, or ``observed`` for the smallest and
            largest performance among the trials.
        envelope: ``at_least`` or ``within``, see ``Envelope``.
        extrapolate: ``linear``, ``hold`` or ``none``, see ``Envelope``.
        resamples: number of bootstrap resamples; 0 gives no interval.
        confidence: of the interval.
        seed: root seed of the resampling.

    Raises:
        InputError: where the trials or an option cannot be used.
    """
    trials = checked_trials(performance, size, chunk)
    rule = _rule(trials, bins, value_range, envelope, extrapolate)
    check_resampling(resamples, confidence)
    pool = Pool(trials, rule)
    curve, filling = rule.curve(pool.smallest(np.ones((1, trials.n_units), dtype=np.bool_))[0])
    rng = seeding.generator(seed, "complexity", "bootstrap")
    replicates = pool.values(drawn_with_replacement(trials.n_units, resamples, rng), resamples)[0]
    interval = stats.percentile_interval(replicates, confidence) if trials.n_units > 1 else None
    unit = "trials" if chunk is None else "chunks"
    estimate = Estimate(
        value=rule.area(curve),
        interval=interval,
        n=trials.n_units,
        method=f"MCCP, {envelope} envelope, {bins} bins, extrapolation {extrapolate}; "
        f"{bootstrap_words(unit, trials.n_units, resamples)}",
        seed=seed,
        confidence=confidence,
    )
    return Complexity(
        estimate=estimate,
        curve=ComplexityCurve(rule.edges, curve, tuple(FILLINGS[how] for how in filling)),
        extrapolated_share=rule.extrapolated_share(curve, filling),
        replicates=replicates,
        n_trials=trials.performance.size,
        n_failed=trials.n_failed,
        envelope=envelope,
        extrapolate=extrapolate,
    )


def normalised(complexities: Mapping[str, Complexity]) -> NormalisedComplexity:
    """Divide the complexities of a suite by the largest of them (section 2.4.3, 3.1).

    Each resample is divided by its own largest value, so the interval carries the uncertainty of the
    divisor too.

    Raises:
        InputError: for an empty suite, one whose complexities are all 0, or different numbers of resamples.
    """
    if not complexities:
        raise InputError("a suite without domains has no normalised complexities; give at least one domain")
    counts = {name: record.replicates.size for name, record in complexities.items()}
    if len(set(counts.values())) > 1:
        raise InputError(f"the domains of a suite need equal numbers of resamples, but have {counts}")
    records = list(complexities.values())
    values = np.array([record.value for record in records])
    if values.max() <= 0:
        raise InputError("every complexity of the suite is 0, so none can be normalised by the largest")
    raw = np.column_stack([record.replicates for record in records])
    largest = raw.max(axis=1, keepdims=True)
    replicates = np.divide(raw, largest, out=np.full_like(raw, np.nan), where=largest > 0)
    estimates = tuple(
        Estimate(
            value=float(value),
            interval=None if record.estimate.interval is None else stats.percentile_interval(column, confidence),
            n=record.estimate.n,
            method=f"{record.estimate.method}; divided by the largest of the suite",
            seed=record.estimate.seed,
            confidence=confidence,
        )
        for record, value, column in zip(records, values / values.max(), replicates.T, strict=True)
        for confidence in [record.estimate.confidence]
    )
    flags = tuple(record.mostly_extrapolated for record in records)
    return NormalisedComplexity(tuple(complexities), estimates, replicates, flags)


def by_pool_size(
    performance: npt.ArrayLike,
    size: npt.ArrayLike,
    *,
    units: Sequence[int] | None = None,
    subsamples: int = 200,
    chunk: npt.ArrayLike | None = None,
    bins: int = 30,
    value_range: ValueRange = (0.0, 1.0),
    envelope: str = "at_least",
    extrapolate: str = "linear",
    confidence: float = 0.95,
    seed: int = 0,
) -> PoolSizeCurve:
    """Measure complexity against the size of the pool, by subsamples without replacement.

    How many policies suffice is left open by the paper; the curve shows where the value settles. The
    whole pool is one single subsample and has no interval here, and those just below it overlap strongly,
    so their intervals are too narrow: read the trend.

    Args:
        performance: as for ``measure``.
        size: as for ``measure``.
        units: numbers of chunks (of trials where ``chunk`` is None) to draw, rising; by default the
            powers of 2 below the whole pool, and the whole pool.
        subsamples: subsamples at each number.
        chunk: as for ``measure``.
        bins: as for ``measure``.
        value_range: as for ``measure``.
        envelope: as for ``measure``.
        extrapolate: as for ``measure``.
        confidence: of the central interval over subsamples.
        seed: root seed of the subsampling.

    Raises:
        InputError: where the trials or an option cannot be used.
    """
    trials = checked_trials(performance, size, chunk)
    rule = _rule(trials, bins, value_range, envelope, extrapolate)
    check_resampling(subsamples, confidence, least=2)
    total = trials.n_units
    counts = [2**k for k in range(total.bit_length()) if 2**k < total] + [total] if units is None else list(units)
    if not counts or counts != sorted(set(counts)) or counts[0] < 1 or counts[-1] > total:
        raise InputError(f"pool sizes are {counts}; they must rise and lie between 1 and the {total} at hand")
    pool = Pool(trials, rule)
    estimates, shares = [], []
    for count in counts:
        rng = seeding.generator(seed, "complexity", "subsample", count)
        draws = 1 if count == total else subsamples
        values, share = pool.values(drawn_without_replacement(total, count, draws, rng), draws)
        method = f"mean over {draws} subsamples without replacement, central interval; {total} units in all"
        interval = stats.percentile_interval(values, confidence)
        estimates.append(Estimate(float(values.mean()), interval, count, method, seed, confidence))
        shares.append(share.mean())
    return PoolSizeCurve(tuple(counts), tuple(estimates), np.array(shares), subsamples)


def _rule(trials: Trials, bins: int, value_range: ValueRange, envelope: str, extrapolate: str) -> Envelope:
    """Check the options of a curve and return its rule with the edges of its bins."""
    if bins < 1 or bins != int(bins):
        raise InputError(f"the number of bins is {bins}; it must be a whole number of at least 1")
    reached = trials.performance
    if isinstance(value_range, str):
        if value_range != "observed":
            raise InputError(choice("the performance range", value_range, ["observed", "a pair (low, high)"]))
        low, high = float(reached.min()), float(reached.max())
        if low == high:
            raise InputError(f"every trial reached {low:g}, so the observed performance range is empty; use (0, 1)")
    else:
        low, high = (float(end) for end in value_range)
        if not 0 <= low < high <= 1:
            raise InputError(f"the performance range is ({low:g}, {high:g}); needed is 0 <= low < high <= 1")
    outside = reached[(reached < low) | (reached > high)]
    if outside.size:
        raise InputError(f"a performance is {outside[0]:g}, outside the performance range [{low:g}, {high:g}]")
    return Envelope(equal_edges(low, high, int(bins)), envelope, extrapolate)
