"""When an agent says that something is new: thresholds from episodes of level 0 alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import weibull_min

from aiq.wings.novelty.physics import Floats

_TAIL = 0.05
_FEWEST = 20
_SMALLEST = 1e-3


@dataclass
class Alarm:
    """Raised once ``streak`` episodes in turn give more than the threshold; it stays raised for the trial.

    Attributes:
        threshold: from episodes of level 0.
        streak: episodes in turn.
        raised: whether it has been.
    """

    threshold: float
    streak: int = 2
    raised: bool = False
    _above: int = 0

    def hear(self, value: float) -> None:
        """Take in the value of an episode."""
        self._above = self._above + 1 if value > self.threshold else 0
        self.raised = self.raised or self._above >= self.streak


class Tails:
    """How far in the tail of level 0 a vector lies, dimension by dimension (extreme value theory).

    For each dimension a Weibull distribution is fitted to the excesses of the distance from the median over its 95 %
    point. Where level 0 has fewer than 20 of them, or all alike, whatever lies beyond is in the
    tail.

    Args:
        normal: vectors of level 0, (n, dimensions).
    """

    def __init__(self, normal: Floats) -> None:
        self._middle = np.median(normal, axis=0)
        far = np.abs(normal - self._middle)
        self._begin = np.quantile(far, 1 - _TAIL, axis=0) + _SMALLEST
        self._shape, self._scale = np.ones(normal.shape[1]), np.full(normal.shape[1], _SMALLEST)
        for k in range(normal.shape[1]):
            excess = far[:, k][far[:, k] > self._begin[k]] - self._begin[k]
            if len(excess) >= _FEWEST and np.ptp(excess) > _SMALLEST:
                self._shape[k], _, self._scale[k] = weibull_min.fit(excess, floc=0)

    def __call__(self, vectors: Floats) -> Floats:
        """Return the probability that level 0 lies nearer to the median than each number, in its tail, (n, dims)."""
        excess = np.maximum(np.abs(vectors - self._middle) - self._begin, 0.0)
        return np.asarray(1 - np.exp(-((excess / self._scale) ** self._shape)))


def threshold(values: Sequence[float]) -> float:
    """Return the threshold of an alarm: the 95 % point of the values of episodes of level 0.

    About one episode of level 0 in seventeen lies above it (.058 with 100 values), two in turn one pair in 300.
    """
    return float(np.quantile(values, 0.95))
