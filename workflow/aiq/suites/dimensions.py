"""How many independent things the tests measure, by parallel analysis (Horn 1965, Psychometrika 30, 179-185)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from aiq.records.suite_report import Dimensions

Floats = npt.NDArray[np.float64]

SHUFFLES = 20
RESAMPLES = 40


def dimensions(scores: Floats, confidence: float, rng: np.random.Generator) -> Dimensions | None:
    """Return how many eigenvalues of the tests' correlations are larger than without any relation of tests.

    Without relation: each test's scores are dealt to the agents at random; its missing cells stay where they are. The
    interval is that of agents drawn with replacement, each draw against the same agents of shuffled tables.

    Args:
        scores: (A, T), NaN where missing.
        confidence: of the interval, and the quantile of the shuffles that an eigenvalue must exceed.
        rng: source of randomness.

    Returns:
        None with fewer than two tests that tell agents apart.
    """
    usable = np.array([np.unique(column[~np.isnan(column)]).size > 1 for column in scores.T])
    if usable.sum() < 2 or len(scores) < 4:
        return None
    kept = scores[:, usable]
    values = eigenvalues(kept)
    bar = np.quantile([eigenvalues(_shuffled(kept, rng)) for _ in range(SHUFFLES)], confidence, axis=0)
    counts, first = np.empty(RESAMPLES), np.empty(RESAMPLES)
    for draw in range(RESAMPLES):
        drawn = rng.integers(len(kept), size=len(kept))
        own = eigenvalues(kept[drawn])
        noise = np.maximum(eigenvalues(_shuffled(kept, rng)[drawn]), eigenvalues(_shuffled(kept, rng)[drawn]))
        counts[draw], first[draw] = _leading(own, noise), own[0] / max(own.sum(), 1e-300)
    tail = (1 - confidence) / 2
    low, high = np.quantile(counts, [tail, 1 - tail], method="nearest")
    share = float(values[0] / values.sum())
    around = np.quantile(first, [tail, 1 - tail]) - np.median(first) + share
    count = _leading(values, bar)
    return Dimensions(
        count, (min(int(low), count), max(int(high), count)), share, (float(around[0]), float(min(around[1], 1.0)))
    )


def eigenvalues(scores: Floats) -> Floats:
    """Return the eigenvalues of the tests' correlations, largest first; missing cells stand at their test's mean."""
    there = ~np.isnan(scores)
    count = np.maximum(there.sum(axis=0), 1)
    centred = np.where(there, scores - np.where(there, scores, 0.0).sum(axis=0) / count, 0.0)
    spread = np.sqrt((centred**2).sum(axis=0))
    standard = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)
    small = standard.T @ standard if scores.shape[1] <= len(scores) else standard @ standard.T
    return np.asarray(np.maximum(np.linalg.eigvalsh(small)[::-1], 0.0))


def _shuffled(scores: Floats, rng: np.random.Generator) -> Floats:
    """Return the scores of each test dealt to other agents; gaps stay where they are."""
    key = np.where(np.isnan(scores), np.inf, rng.random(scores.shape))
    dealt = np.take_along_axis(scores, np.argsort(key, axis=0), axis=0)
    place = np.argsort(np.isnan(scores), axis=0, kind="stable")
    found = np.full_like(scores, np.nan)
    np.put_along_axis(found, place, dealt, axis=0)
    return found


def _leading(values: Floats, bar: Floats) -> int:
    """Return how many values in a row, from the first on, are above their bar."""
    below = np.flatnonzero(values <= bar)
    return int(below[0]) if below.size else int(values.size)
