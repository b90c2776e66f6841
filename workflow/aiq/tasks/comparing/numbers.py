"""Differences of complexities and dissimilarities of two runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aiq import stats
from aiq.measures.dissimilarity.area_error import MeasuredCurve, of_pair, of_shared_ends
from aiq.measures.dissimilarity.mixture_curves import area_weights
from aiq.records.arrays import Floats
from aiq.records.comparison import Compared, Difference
from aiq.records.estimate import Estimate, StandardError
from aiq.stats import jackknife
from aiq.tasks.comparing.settings import same_mixture_policies, same_pool
from aiq.tasks.suite.reducing.complexity import DomainComplexity
from aiq.tasks.suite.reducing.dissimilarity import MeasuredPair
from aiq.tasks.suite.reporting.stored import StoredRun

NONE = Difference(None, "")


def complexities(runs: Sequence[StoredRun], confidence: float) -> tuple[Compared, ...]:
    """Return every domain's complexity in all runs, with its differences from the first run."""
    names = dict.fromkeys(name for run in runs for name in run.domains)
    found = []
    for name in names:
        records = [run.complexity.get(name) for run in runs]
        values = tuple(None if one is None else one.complexity.estimate for one in records)
        later = tuple(_complexity(runs[0], run, name, confidence) for run in runs[1:])
        found.append(Compared((name,), values, later))
    return tuple(found)


def _complexity(a: StoredRun, b: StoredRun, name: str, confidence: float) -> Difference:
    """Return the difference of one domain's complexity; paired over the chunks that are the same policies."""
    first, second = a.complexity.get(name), b.complexity.get(name)
    if first is None or second is None:
        return NONE
    if _same_trials(first, second) and first.complexity.value == second.complexity.value:
        return _estimate(first, second, None, "identical", "the same trials", confidence)
    shared = same_pool(a, b)
    parts = [_parts(one) for one in (first, second)]
    known = [part for part in parts if part is not None]
    pairing = "paired" if shared else "independent"
    if len(known) < 2:
        return _estimate(first, second, None, pairing, "no interval (one of the two has none)", confidence)
    common = len(set(known[0]) & set(known[1]))
    words = f"paired over {common} chunks of the same policies" if shared else "pools of their own"
    error = jackknife.error(known[0], known[1], shared=shared)
    return _estimate(first, second, error, pairing, f"{words}; Student t, delete-one jackknife", confidence)


def _estimate(
    first: DomainComplexity,
    second: DomainComplexity,
    error: StandardError | None,
    pairing: str,
    words: str,
    confidence: float,
) -> Difference:
    n = min(first.complexity.estimate.n, second.complexity.estimate.n)
    return difference(second.complexity.value - first.complexity.value, error, n, pairing, words, confidence)


def difference(
    value: float, error: StandardError | None, n: int, pairing: str, words: str, confidence: float
) -> Difference:
    """Return a difference with Student's interval, without one where the error is unknown or 0."""
    interval = stats.moderated_interval(value, error, confidence)
    return Difference(Estimate(value, interval, n, words, None, confidence), pairing)


def _same_trials(first: DomainComplexity, second: DomainComplexity) -> bool:
    """Whether two complexities rest on the very same trials."""
    return np.array_equal(first.size, second.size) and np.array_equal(
        first.performance, second.performance, equal_nan=True
    )


def _parts(one: DomainComplexity) -> dict[int, float] | None:
    """Return what each chunk puts into the error of MCCP@k; None of the paper's minimum, which has no such error."""
    found = one.complexity.best_of_k
    if one.complexity.estimator != "best_of_k" or found is None or len(found.deleted) < 2:
        return None
    parts = jackknife.influences(found.values[:1], found.deleted[:, :1], found.members)[:, 0]
    return dict(zip(np.unique(one.chunk).tolist(), parts.tolist(), strict=True))


def dissimilarities(runs: Sequence[StoredRun], confidence: float) -> tuple[Compared, ...]:
    """Return every pair's signed area in all runs, with its differences from the first run."""
    tables = [{(pair.a, pair.b): pair for pair in run.dissimilarity.pairs} for run in runs]
    found = []
    for name in dict.fromkeys(pair for table in tables for pair in table):
        pairs = [table.get(name) for table in tables]
        values = tuple(None if one is None else one.measured.signed for one in pairs)
        later = tuple(
            _dissimilarity((runs[0], pairs[0]), (run, pair), confidence)
            for run, pair in zip(runs[1:], pairs[1:], strict=True)
        )
        found.append(Compared(name, values, later))
    return tuple(found)


def _dissimilarity(
    a: tuple[StoredRun, MeasuredPair | None], b: tuple[StoredRun, MeasuredPair | None], confidence: float
) -> Difference:
    """Return the difference of one pair's signed area; paired by repetition where they start from one policy."""
    (run_a, first), (run_b, second) = a, b
    if first is None or second is None:
        return NONE
    value, n = second.measured.signed.value - first.measured.signed.value, min(first.measured.n, second.measured.n)
    if np.array_equal(first.curves, second.curves, equal_nan=True) and value == 0:
        return difference(value, None, n, "identical", "the same trainings", confidence)
    if same_mixture_policies(run_a, run_b):
        curve = _paired(run_a, run_b, first, second)
        if curve is not None and curve.error is not None:
            area = float(area_weights(curve.p) @ curve.curves.mean(axis=0))
            if abs(area - value) < 1e-9:
                words = f"paired over repetitions from the same policies; {curve.words}"
                return difference(value, StandardError(curve.error.se, curve.error.df), n, "paired", words, confidence)
    errors = [one.measured.error for one in (first, second)]
    known = [StandardError(one.se, one.df) for one in errors if one is not None]
    if len(known) < 2:
        return difference(value, None, n, "independent", "no interval (1 repetition)", confidence)
    return difference(
        value, stats.sum_error(known), n, "independent", "trainings of their own; Student's t", confidence
    )


def _paired(a: StoredRun, b: StoredRun, first: MeasuredPair, second: MeasuredPair) -> MeasuredCurve | None:
    """Return the difference of two curves repetition by repetition; None where some were lost or have no partner."""
    p, q = first.measured.proportions, second.measured.proportions
    ends = [_ends(run, (first.a, first.b)) for run in (a, b)]
    if not np.array_equal(p, q) or first.curves.shape != second.curves.shape:
        return None
    departure = second.curves - first.curves
    prior: Any = a.settings["dissimilarity"].get("prior_df", stats.PRIOR_DF)
    if ends[0] is None or ends[1] is None:
        if ends != [None, None] or not np.isfinite(departure).all():
            return None
        return of_pair(p, departure, 0, prior)
    sizes = [[one.size for one in run] for run in ends if run is not None]
    if sizes[0] != sizes[1] or not np.isfinite(departure[:, 1:-1]).all():
        return None
    apart = [other - one for one, other in zip(ends[0], ends[1], strict=True)]
    if not all(np.isfinite(one).all() for one in apart):
        return None
    return of_shared_ends(p, departure[:, 1:-1], apart, 0, prior)


def _ends(run: StoredRun, pair: tuple[str, str]) -> list[Floats] | None:
    """Return the trainings of both domains alone that are the ends of a pair, None where a pair has its own."""
    alone = {one.domain: one for one in run.dissimilarity.alone}
    if not all(name in alone for name in pair):
        return None
    told = run.dissimilarity.labels == "told"
    return [alone[name].scored(told)[0] for name in dict.fromkeys(pair)]
