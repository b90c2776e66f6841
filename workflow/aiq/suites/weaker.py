"""How the order of the better agents changes as weaker agents join, by the rule that orders them.

A mean of performances does not look at other agents; ranks, standard scores and scores rescaled to the best and worst
agent do (Zhang and Hardt 2024, Inherent trade-offs between diversity and stability in multi-task benchmarks).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from aiq.records.suite_report import Sensitivity

Floats = npt.NDArray[np.float64]


def _standard(performance: Floats) -> Floats:
    spread = performance.std(axis=0)
    centred = performance - performance.mean(axis=0)
    scores = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)
    return np.asarray(scores.mean(axis=1))


def _rescaled(performance: Floats) -> Floats:
    width = np.ptp(performance, axis=0)
    above = performance - performance.min(axis=0)
    scores = np.divide(above, width, out=np.zeros_like(above), where=width > 0)
    return np.asarray(scores.mean(axis=1))


RULES: Mapping[str, Callable[[Floats], Floats]] = {
    "mean": lambda performance: np.asarray(performance.mean(axis=1)),
    "mean rank": lambda performance: np.asarray(rankdata(performance, axis=0).mean(axis=1)),
    "standard scores": _standard,
    "rescaled to best and worst": _rescaled,
}


def sensitivity(performance: Floats, choices: int, rng: np.random.Generator) -> Sensitivity:
    """Return how much weaker agents move the order of the better half.

    Args:
        performance: (A, T), at least 4 agents; the better half is that of the larger means.
        choices: random choices of weaker agents.
        rng: source of randomness.
    """
    order = np.argsort(-performance.mean(axis=1), kind="stable")
    better, weaker = np.split(order, [(len(order) + 1) // 2])
    pairs = np.triu_indices(better.size, 1)
    chosen = [rng.permutation(weaker)[: 1 + rng.integers(weaker.size)] for _ in range(choices)]
    moved = {}
    for rule, score in RULES.items():
        alone = _signs(score(performance[better]), pairs)
        shares = []
        for joined in chosen:
            together = score(performance[np.concatenate([better, joined])])[: better.size]
            shares.append(float((_signs(together, pairs) != alone).mean()))
        moved[rule] = (float(np.mean(shares)), float(np.max(shares)))
    return Sensitivity(moved, int(better.size), int(weaker.size), choices)


def _signs(scores: Floats, pairs: tuple[npt.NDArray[np.intp], ...]) -> npt.NDArray[np.int64]:
    """Return which agent of each pair is above; differences within rounding are ties."""
    difference = scores[pairs[0]] - scores[pairs[1]]
    return np.asarray(np.sign(np.where(np.abs(difference) < 1e-12, 0.0, difference)), dtype=np.int64)
