"""Numbers that were measured together, contrasts of them, and margins: how far inside a claim's set a number lies.

A claim holds where all its margins are positive. The interval of the smallest true margin is [smallest low end,
smallest high end]: low ends at the confidence itself (an intersection-union test needs no correction, Berger 1982),
high ends at a confidence shared out among the margins (Bonferroni).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit
from scipy.stats import nct

from aiq import seeding
from aiq.errors import AiqError
from aiq.records.estimate import Floats, read_only
from aiq.stats import jackknife

CONFIDENCE = 0.95
REPRODUCED, NOT_REPRODUCED, UNDECIDED, NOT_RUN = "reproduced", "not reproduced", "undecided", "not run here"
VERDICTS = (REPRODUCED, NOT_REPRODUCED, UNDECIDED, NOT_RUN)
_MANY = 1e10


@dataclass(frozen=True, slots=True)
class Margin:
    """A margin, positive where the claim holds.

    ``size``: what it would be if the paper's number, or the effect that is assumed in its place, were true; None where
    nothing is assumed. ``se``: standard error, with ``df`` degrees of freedom; None where it is not known. ``draws``
    (B,) give its ends in the place of Student's t.
    """

    value: float
    size: float | None = None
    se: float | None = None
    df: float = math.inf
    draws: Floats | None = None

    @property
    def error(self) -> float | None:
        """The standard error: given, or of the draws; None where unknown or 0."""
        error = self.se if self.draws is None else float(np.std(self.draws))
        return error if error is not None and error > 0 and math.isfinite(error) else None

    def bounds(self, confidence: float = CONFIDENCE) -> tuple[float, float] | None:
        """Return the two-sided interval; None where nothing is known of the error."""
        if self.draws is not None:
            tail = (1 - confidence) / 2
            low, high = np.quantile(self.draws, [tail, 1 - tail])
            return float(low), float(high)
        error = self.error
        if error is None:
            return None
        half = float(stdtrit(min(self.df, _MANY), (1 + confidence) / 2)) * error
        return self.value - half, self.value + half

    def power(self) -> float | None:
        """Return the probability that the low end lies above 0 if the margin were ``size``; None where not known."""
        error = self.error
        if error is None or self.size is None:
            return None
        critical = float(stdtrit(min(self.df, _MANY), (1 + CONFIDENCE) / 2))
        probability = float(nct.sf(critical, min(self.df, 1e6), self.size / error))
        return probability if math.isfinite(probability) else float(self.size > 0)


def smallest(margins: Sequence[Margin]) -> tuple[float, float] | None:
    """Return the interval of the smallest true margin; None where the error of one is not known."""
    lows = [ends[0] for margin in margins if (ends := margin.bounds())]
    highs = [ends[1] for margin in margins if (ends := margin.bounds(1 - (1 - CONFIDENCE) / len(margins)))]
    return (min(lows), min(highs)) if len(lows) == len(margins) else None


def verdict(margins: Sequence[Margin]) -> str:
    """Say whether a claim holds: all margins surely positive, one surely negative, or neither is known."""
    ends = smallest(margins)
    if ends is None:
        return UNDECIDED
    return REPRODUCED if ends[0] > 0 else NOT_REPRODUCED if ends[1] < 0 else UNDECIDED


def power(margins: Sequence[Margin]) -> float | None:
    """Return how often, at least, the claim would be seen if every margin had its size (Bonferroni)."""
    powers = [power for margin in margins if (power := margin.power()) is not None]
    return max(0.0, 1 - sum(1 - power for power in powers)) if len(powers) == len(margins) else None


DRAWS = 4000


class LackingError(AiqError):
    """The results do not hold what a claim is about; the message says what, for people."""


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """D numbers by name, and the independent sources of their errors.

    Attributes:
        names: D names.
        values: (D,).
        parts: (G, D), what each source puts into the error of each number; the covariance matrix is partsᵀ·parts.
        df: (G,) degrees of freedom of each source; None where sources are the groups of a jackknife.
    """

    names: tuple[str, ...]
    values: Floats
    parts: Floats
    df: Floats | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", read_only(self.values))
        object.__setattr__(self, "parts", read_only(self.parts))

    @classmethod
    def independent(cls, values: Mapping[str, float], se: float | Sequence[float], df: float = math.inf) -> Measured:
        """Return numbers whose errors have nothing in common."""
        count = len(values)
        numbers = np.array([*values.values()], float)
        return cls(tuple(values), numbers, np.diag(np.full(count, se)), np.full(count, df))

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> float:
        return float(self.values[self.names.index(name)])

    def margin(self, by_name: Mapping[str, float], size: float | None = None, constant: float = 0.0) -> Margin:
        """Return a weighted sum of numbers plus a constant as a margin of a size, the constant included."""
        weights = np.zeros(len(self.names))
        for name, weight in by_name.items():
            if name not in self.names:
                raise LackingError(f"{name} was not measured yet")
            weights[self.names.index(name)] += weight
        error = self.parts @ weights
        se = float(np.sqrt((error**2).sum()))
        return Margin(float(self.values @ weights) + constant, size, se if se > 0 else None, self._degrees(error))

    def _degrees(self, error: Floats) -> float:
        """Return the degrees of freedom of an error (G,): the jackknife's, or Satterthwaite's."""
        if not (error**2).sum() > 0:
            return math.inf
        if self.df is None:
            return float(jackknife.degrees(error[:, None])[0])
        squares = error**2
        spread = float((squares**2 / self.df).sum())
        return float(squares.sum() ** 2 / spread) if spread > 0 else math.inf

    def draws(self, *key: str, count: int = DRAWS) -> Floats:
        """Return draws (count, D) about the values: every source a Student t (a jackknife's: that of all groups)."""
        rng = seeding.generator(2025, "claims", *key)
        groups = len(self.parts)
        normal = rng.standard_normal((count, groups))
        if self.df is None:
            squares = rng.chisquare(max(groups - 1, 1), (count, 1)) / max(groups - 1, 1)
            return np.asarray(self.values + normal @ self.parts / np.sqrt(squares))
        finite = np.where(np.isfinite(self.df), self.df, 1e9)
        wide = np.sqrt(rng.chisquare(finite, (count, groups)) / finite)
        return np.asarray(self.values + (normal / wide) @ self.parts)


def slope(x: Sequence[float]) -> Floats:
    """Return weights whose sum over values at ``x`` is their least-squares slope."""
    centred = np.asarray(x, dtype=np.float64) - np.mean(x)
    return np.asarray(centred / (centred**2).sum())


def bend(x: Sequence[float]) -> Floats:
    """Return weights of what the least-squares parabola at ``x`` has above its chord in the middle; a line has 0."""
    at = np.asarray(x, dtype=np.float64)
    half = (at.max() - at.min()) / 2
    centred = (at - (at.max() + at.min()) / 2) / half
    return np.asarray(-np.linalg.pinv(np.vander(centred, 3))[0])


def rise(x: Sequence[float]) -> Floats:
    """Return weights of the rise of the least-squares line from the first to the last of ``x``."""
    return np.asarray(slope(x) * (max(x) - min(x)))
