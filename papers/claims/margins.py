"""Margins: how far a number lies inside the set in which a claim holds, and what follows from several of them.

A claim holds where all its margins are positive. The interval of the smallest true margin is [smallest low end,
smallest high end]: low ends at the confidence itself (an intersection-union test needs no correction, Berger 1982),
high ends at a confidence shared out among the margins (Bonferroni).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit
from scipy.stats import nct

from aiq.records.arrays import Floats

CONFIDENCE = 0.95
REPRODUCED, NOT_REPRODUCED, UNDECIDED, NOT_RUN = "reproduced", "not reproduced", "undecided", "not run here"
VERDICTS = (REPRODUCED, NOT_REPRODUCED, UNDECIDED, NOT_RUN)
_MANY = 1e10


@dataclass(frozen=True, slots=True)
class Margin:
    """A margin, positive where the claim holds.

    Attributes:
        value: as measured.
        size: what it would be if the paper's number, or the effect that is assumed in its place, were true; None where
            nothing is assumed.
        se: its standard error; None where it is not known.
        df: degrees of freedom of the standard error.
        draws: (B,) draws of the margin, which give its ends in the place of Student's t; None: Student's t.
        ends: ends of a 95 % interval that is known as such, in the place of both; None: not.
    """

    value: float
    size: float | None = None
    se: float | None = None
    df: float = math.inf
    draws: Floats | None = None
    ends: tuple[float, float] | None = None

    @property
    def error(self) -> float | None:
        """The standard error: given, of the draws, or of a normal interval of that width; None where unknown or 0."""
        found = self.se
        if self.draws is not None:
            found = float(np.std(self.draws))
        elif self.ends is not None:
            found = (self.ends[1] - self.ends[0]) / (2 * float(stdtrit(_MANY, 0.975)))
        return found if found is not None and found > 0 and math.isfinite(found) else None

    def bounds(self, confidence: float = CONFIDENCE) -> tuple[float, float] | None:
        """Return the two-sided interval; None where nothing is known of the error."""
        if self.draws is not None:
            tail = (1 - confidence) / 2
            low, high = np.quantile(self.draws, [tail, 1 - tail])
            return float(low), float(high)
        if self.ends is not None and confidence == CONFIDENCE:
            return self.ends
        error = self.error
        if error is None:
            return None
        half = self.quantile(confidence) * error
        return self.value - half, self.value + half

    def quantile(self, confidence: float) -> float:
        """Return Student's quantile of a two-sided interval."""
        return float(stdtrit(min(self.df, _MANY), (1 + confidence) / 2))

    def power(self, confidence: float = CONFIDENCE) -> float | None:
        """Return the probability that the low end lies above 0 if the margin were ``size``; None where not known."""
        error = self.error
        if error is None or self.size is None:
            return None
        found = float(nct.sf(self.quantile(confidence), min(self.df, 1e6), self.size / error))
        return found if math.isfinite(found) else float(self.size > 0)


def smallest(margins: Sequence[Margin], confidence: float = CONFIDENCE) -> tuple[float, float] | None:
    """Return the interval of the smallest true margin; None where the error of one is not known.

    Raises:
        ValueError: there is no margin.
    """
    if not margins:
        raise ValueError("a claim has at least one margin")
    lows = [margin.bounds(confidence) for margin in margins]
    highs = [margin.bounds(1 - (1 - confidence) / len(margins)) for margin in margins]
    known = [(low[0], high[1]) for low, high in zip(lows, highs, strict=True) if low is not None and high is not None]
    if len(known) < len(margins):
        return None
    return min(low for low, _ in known), min(high for _, high in known)


def verdict(margins: Sequence[Margin], confidence: float = CONFIDENCE) -> str:
    """Say whether a claim holds: all margins surely positive, one surely negative, or neither is known."""
    ends = smallest(margins, confidence)
    if ends is None:
        return UNDECIDED
    return REPRODUCED if ends[0] > 0 else NOT_REPRODUCED if ends[1] < 0 else UNDECIDED


def power(margins: Sequence[Margin], confidence: float = CONFIDENCE) -> float | None:
    """Return how often the claim would be seen if every margin had its size: at least this often (Bonferroni).

    None where a size or an error is not known.
    """
    found = [margin.power(confidence) for margin in margins]
    known = [one for one in found if one is not None]
    return max(0.0, 1 - sum(1 - one for one in known)) if len(known) == len(found) else None
