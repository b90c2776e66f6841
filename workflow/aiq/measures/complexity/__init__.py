"""Monte Carlo cross performance (MCCP) complexity of a domain from the trials of a pool.

Source: 2025 paper, Eq. 5, section 2.4.3 and Fig. 2. The trials of one domain are pairs of a policy's
size and the performance it reached; the complexity is the area under the smallest size that reaches
each performance.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
import numpy.typing as npt

from aiq import seeding, stats
from aiq.errors import InputError
from aiq.measures import bootstrap_words, check_confidence, vector
from aiq.measures.complexity import excess
from aiq.measures.complexity.best_of_k import Envelope, Pool, Trials, checked_trials
from aiq.measures.complexity.excess import differences as differences
from aiq.measures.complexity.excess import standard_error as standard_error
from aiq.records.complexity import FILLINGS, QUANTITIES, BestOfK, Complexity, ComplexityCurve, KCurve
from aiq.records.estimate import Estimate, Floats
from aiq.stats import jackknife

ValueRange = tuple[float, float] | Literal["observed"]

UNITS = ("log2", "parameters", "bytes", "compressed")
_BYTES_PER_PARAMETER = 4


def sizes(parameters: npt.ArrayLike, compressed: npt.ArrayLike | None = None, unit: str = "log2") -> Floats:
    """Return the sizes of policies (n,) in one of ``UNITS``, in which complexity is to be measured.

    From the numbers of trainable parameters (n,), of which ``bytes`` counts 4 each, or for the unit ``compressed`` the
    bytes of the trained float32 weights after lossless compression (the paper's reduction of the description length).

    Raises:
        InputError: for an unknown unit, or sizes below 1.
    """
    values = vector("sizes", parameters if unit != "compressed" or compressed is None else compressed)
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
    estimator: str = "best_of_k",
    k: int = 16,
    fill: str = "largest",
    largest: float | None = None,
    start: float = 0.0,
    envelope: str = "at_least",
    extrapolate: str = "linear",
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Complexity:
    """Measure the MCCP complexity of one domain (Eq. 5).

    With ``best_of_k`` the value is MCCP@k, the expected smallest of k policies of the pool that reach a performance,
    integrated over performances; its interval (delete-one jackknife over chunks, Student t) covers what it would be for
    k policies newly drawn from the pool's design and trained anew. It does not depend on how many policies there are.
    With ``minimum`` it is the paper's: the smallest of all policies, an extreme value, which falls with the pool for
    ever; its percentile bootstrap interval only says how much the value owes to single chunks. The minimum stands
    beside MCCP@k in every record. With the same seed and the same chunks, replicates of different domains belong
    together, as befits one pool for a whole suite.

    Args:
        performance: of each trial, shape (n,), in [0, 1]; NaN marks a failed or diverged trial. It is a policy that
            reaches nothing; it is counted, in ``n_failed`` too.
        size: of each trial's policy, shape (n,), finite and not negative; see ``sizes`` for units.
        chunk: label of the training chunk of each trial, shape (n,): trials that shared a batch order are left out (or
            resampled) together. None makes every trial a chunk of its own.
        bins: number of equal bins over the performance range.
        value_range: performances between which is integrated, or ``observed`` for the smallest and largest performance
            among the trials.
        estimator: ``best_of_k`` or ``minimum``: which is the complexity.
        k: number of policies of which the smallest counts. A pool with fewer is refused with ``best_of_k``; with
            ``minimum`` it has no MCCP@k.
        fill: MCCP@k where none of k policies reaches a performance: ``largest`` or ``linear``, see ``excess``.
        largest: size of the largest policy of the pool's design, in the unit of ``size``; None takes the largest of the
            trials.
        start: performance from which relative excess is integrated; the level of chance, or 0.
        envelope: of the minimum, ``at_least`` or ``within``, see ``Envelope``.
        extrapolate: of the minimum, ``linear``, ``hold`` or ``none``, see ``Envelope``.
        resamples: number of replicates; 0 gives none, and no interval of the minimum.
        confidence: of the intervals.
        seed: root seed of the replicates.

    Raises:
        InputError: where the trials or an option cannot be used.
    """
    check_confidence(confidence)
    trials = checked_trials(performance, size, chunk)
    rule = _rule(trials.finished, bins, value_range, envelope, extrapolate)
    unit = "trials" if chunk is None else "chunks"
    reading = _reading(trials, rule, fill, largest, start)
    expected = None
    if estimator == "best_of_k" or 1 <= k <= trials.size.size:
        expected = excess.best_of_k(excess.ranked(trials, rule), reading, k, confidence, unit)
    pool = Pool(trials.finished, rule)
    curve, filling = rule.curve(pool.smallest(np.ones((1, trials.finished.n_units), dtype=np.bool_))[0])
    if estimator == "best_of_k" and expected is not None:
        estimate, replicates, share = expected.estimate, _replicates(expected, resamples, seed), expected.filled_share
    else:
        estimate, replicates = _minimum(pool, rule.area(curve), unit, resamples, confidence, seed)
        share = rule.extrapolated_share(curve, filling)
    return Complexity(
        estimate=estimate,
        curve=ComplexityCurve(rule.edges, curve, tuple(FILLINGS[how] for how in filling)),
        extrapolated_share=share,
        replicates=replicates,
        n_trials=trials.finished.performance.size,
        n_failed=int(np.isnan(trials.performance).sum()),
        envelope=envelope,
        extrapolate=extrapolate,
        estimator=estimator,
        best_of_k=expected,
    )


def normalised(complexities: Mapping[str, Complexity]) -> tuple[Estimate, ...]:
    """Divide the complexities of a suite, not all 0 and equally often resampled, by the largest (section 2.4.3, 3.1).

    Each resample is divided by its own largest value, so the interval carries the uncertainty of the
    divisor too. A domain that is the largest in every resample is 1 by definition and has no interval.
    """
    records = list(complexities.values())
    values = np.array([record.value for record in records])
    raw = np.column_stack([record.replicates for record in records])
    largest = raw.max(axis=1, keepdims=True)
    drawn = np.divide(raw, largest, out=np.full_like(raw, np.nan), where=largest > 0)
    shares = (values / values.max()).tolist()
    return tuple(_normalised(*each) for each in zip(records, shares, drawn.T, strict=True))


def _normalised(record: Complexity, value: float, drawn: Floats) -> Estimate:
    """Return one normalised complexity from its draws; none of its intervals is a point."""
    estimate, method = record.estimate, f"{record.estimate.method}; divided by the largest of the suite"
    interval = None if estimate.interval is None else stats.percentile_interval(drawn, estimate.confidence)
    if interval is not None and interval[0] == interval[1]:
        interval, method = None, f"{method}; no interval (it is the largest in nearly every draw, 1 by definition)"
    return Estimate(value, interval, estimate.n, method, estimate.seed, estimate.confidence)


def by_k(
    performance: npt.ArrayLike,
    size: npt.ArrayLike,
    *,
    chosen: int | None = None,
    chunk: npt.ArrayLike | None = None,
    bins: int = 30,
    value_range: ValueRange = (0.0, 1.0),
    fill: str = "largest",
    largest: float | None = None,
    confidence: float = 0.95,
) -> KCurve:
    """Measure MCCP@k against k, from one policy to the whole pool.

    It falls with k, as the smallest of more policies is smaller; how far says what the number of policies, part of the
    definition, does to the value. The numbers of policies are the powers of 2, the chosen one (the k of the complexity
    itself, to be marked) and the whole pool, which has no interval. All other arguments are those of ``measure``.

    Raises:
        InputError: where the trials or an option cannot be used.
    """
    trials = checked_trials(performance, size, chunk)
    rule = _rule(trials.finished, bins, value_range, "at_least", "linear")
    n = trials.size.size
    ks = sorted({2**i for i in range(n.bit_length())} | {n, n if chosen is None else min(chosen, n)})
    policies, reading = excess.ranked(trials, rule), _reading(trials, rule, fill, largest, 0.0)
    unit = "trials" if chunk is None else "chunks"
    records = [excess.best_of_k(policies, reading, k, confidence, unit) for k in ks]
    return KCurve(
        ks=tuple(ks),
        estimates=tuple(record.estimate for record in records),
        base=np.array([record.base.value for record in records]),
        filled_share=np.array([record.filled_share for record in records]),
        chosen=chosen,
    )


def shared(complexities: Mapping[str, Complexity], quantity: str = "mccp_k") -> tuple[Floats, Floats, Floats]:
    """Return values (D,), values without each chunk (G, D) and sizes of the chunks (G,) of domains that share a pool.

    They are what the functions of ``stats.jackknife`` take; ``quantity`` is one of ``QUANTITIES``.
    """
    column = QUANTITIES.index(quantity)
    records: list[BestOfK] = []
    for name, complexity in complexities.items():
        record = complexity.best_of_k
        if record is None or record.deleted.shape[0] < 2:
            raise InputError(f"the complexity of domain {name} has no values without each chunk of its pool")
        if records and not np.array_equal(record.members, records[0].members):
            raise InputError(f"domain {name} has other chunks than {next(iter(complexities))}; they share no pool")
        records.append(record)
    values = np.array([record.values[column] for record in records])
    return values, np.column_stack([record.deleted[:, column] for record in records]), records[0].members


def _minimum(
    pool: Pool, value: float, unit: str, resamples: int, confidence: float, seed: int
) -> tuple[Estimate, Floats]:
    """Return the paper's minimum with its percentile bootstrap over chunks, and the replicates."""
    rng = seeding.generator(seed, "complexity", "bootstrap")
    replicates = pool.resampled(resamples, rng)
    interval = stats.percentile_interval(replicates, confidence) if pool.n_units > 1 else None
    words = bootstrap_words(unit, pool.n_units, resamples)
    if interval is not None and interval[0] == interval[1]:
        interval, words = None, f"no interval (no resample of the {unit} changes it)"
    method = f"MCCP, {pool.rule.envelope} envelope, extrapolation {pool.rule.extrapolate}; {words}"
    return Estimate(value, interval, pool.n_units, method, seed, confidence), replicates


def _replicates(expected: BestOfK, resamples: int, seed: int) -> Floats:
    """Return draws of MCCP@k with the spread of its interval, none below 0; all alike where there is none."""
    if expected.deleted.shape[0] < 2:
        return np.full(resamples, expected.estimate.value)
    rng = seeding.generator(seed, "complexity", "replicates")
    parts = jackknife.influences(expected.values[:1], expected.deleted[:, :1], expected.members)
    return np.maximum(jackknife.drawn(expected.values[:1], parts, resamples, rng)[:, 0], 0.0)


def _reading(trials: Trials, rule: Envelope, fill: str, largest: float | None, start: float) -> excess.Reading:
    """Return how the expected best of k is read, with the largest policy of the design checked."""
    seen = float(trials.size.max())
    if largest is not None and not seen <= largest < np.inf:
        raise InputError(
            f"the largest policy of the pool's design is given as {largest:g}, but a policy of {seen:g} was trained; "
            "give a finite size at least as large"
        )
    return excess.Reading(rule.edges, fill, seen if largest is None else float(largest), start)


def _rule(trials: Trials, bins: int, value_range: ValueRange, envelope: str, extrapolate: str) -> Envelope:
    reached = trials.performance
    if isinstance(value_range, str):
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
    edges = low + (high - low) * (np.arange(int(bins) + 1) / int(bins))
    edges[-1] = high
    return Envelope(edges, envelope, extrapolate)
