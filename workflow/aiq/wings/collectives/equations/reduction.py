"""From blocks of episodes to Υ against H, scores against K and differences between kinds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from aiq.records.estimate import Estimate
from aiq.stats import Z
from aiq.wings.collectives.equations.compiled import Array
from aiq.wings.collectives.records import ComplexityScore, EpisodeBlock, GroupIntelligence


def uncertainty(rows: int, columns: int) -> float:
    """Return H = log₂(mn(mn − 1)) in bits, the entropy of where Good and Evil are (Chmait et al. 2015)."""
    return math.log2(rows * columns * (rows * columns - 1))


def merge(blocks: Sequence[EpisodeBlock]) -> EpisodeBlock:
    """Return the blocks of one kind in one test as one, in the order of episodes, however they were cut."""
    ordered = sorted(blocks, key=lambda block: block.first)
    scores = np.concatenate([block.scores for block in ordered])
    complexities = np.concatenate([block.complexities for block in ordered])
    return replace(ordered[0], scores=scores, complexities=complexities)


def _symmetric(value: float, half: float | None, n: int, method: str) -> Estimate:
    interval = None if half is None else (value - half, value + half)
    return Estimate(value, interval, int(n), method)


def _mean(scores: Array, method: str) -> Estimate:
    half = Z * float(scores.std(ddof=1)) / math.sqrt(scores.size) if scores.size > 1 else None
    return _symmetric(float(scores.mean()), half, scores.size, method)


def _estimate(block: EpisodeBlock, scores: Array) -> Estimate:
    """Return the mean of the scores; where K was assigned in turn, of the means over each K, all of the same weight."""
    if not block.stratified:
        return _mean(scores, "mean over episodes, normal interval")
    groups = [scores[block.complexities == level] for level in np.unique(block.complexities)]
    mean = float(np.mean([group.mean() for group in groups]))
    method = f"mean over {len(groups)} complexities K of equal weight, normal interval over episodes within K"
    if min(group.size for group in groups) < 2:
        return _symmetric(mean, None, scores.size, method + " (too few episodes for one)")
    half = Z * math.sqrt(sum(group.var(ddof=1) / group.size for group in groups)) / len(groups)
    return _symmetric(mean, half, scores.size, method)


def intelligence(blocks: Sequence[EpisodeBlock]) -> GroupIntelligence:
    """Return Υ of a kind (Definition 2): the mean score over environments drawn uniformly over K.

    The variation is the coefficient of variation of the estimate, its standard error by |Υ| (infinite
    at Υ = 0, NaN where no error can be given).
    """
    block = merge(blocks)
    estimate = _estimate(block, block.scores)
    error = math.nan
    if estimate.interval is not None:
        error = (estimate.interval[1] - estimate.interval[0]) / (2 * Z)
    variation = error / abs(estimate.value) if estimate.value != 0 else math.inf
    height = uncertainty(block.rows, block.columns)
    return GroupIntelligence(block.kind, block.rows, block.columns, height, estimate, variation)


def difference(blocks: Sequence[EpisodeBlock], others: Sequence[EpisodeBlock]) -> Estimate:
    """Return Υ of one kind minus Υ of another on the same worlds; the pairing makes the interval narrow."""
    one, two = merge(blocks), merge(others)
    return _estimate(one, one.scores - two.scores)


def scores_by_complexity(blocks: Sequence[EpisodeBlock]) -> tuple[ComplexityScore, ...]:
    """Return the mean score of a kind for each complexity K, up to the next that occurs."""
    block = merge(blocks)
    levels = np.unique(block.complexities).tolist()
    rows = []
    for first, following in zip(levels, [*levels[1:], levels[-1] + 1], strict=True):
        scores = block.scores[block.complexities == first]
        estimate = _mean(scores, "mean over episodes of these K, normal interval")
        rows.append(ComplexityScore(block.kind, first, following - 1, estimate))
    return tuple(rows)
