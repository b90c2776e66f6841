"""Shapes that claims have: orders, trends, bends, correlations, means that are apart.

Is one score more nearly linear in the number of nodes than another? A statistic, without its bias, and its interval.

The departure from a line is the share of a score's spread over the numbers of nodes that its least-squares line
leaves, 1 − R², so that scores of different units compare. It is taken of each depth by itself and averaged; the
difference of two scores' departures is what the question asks for. Noise lifts a departure, and lifts it more in a
score whose differences are small against its noise. That bias is estimated by the
draws about the measured scores, which hold the noise once more, and taken off; the interval is the draws' reflected at
the measured difference (the basic bootstrap, Davison and Hinkley 1997, 5.2). How often it misses, and finds what is
there, is measured by ``studies/linearity.py``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from aiq.records.arrays import Floats
from papers.claims.base import Reading
from papers.claims.evidence import Evidence, LackingError
from papers.claims.margins import Margin
from papers.claims.numbers import bend, rise

# ---- Is one score more nearly linear in the number of nodes than another? A statistic, -----------


Group = tuple[Sequence[float], Sequence[int]]
"""Numbers of nodes, and the places of the agents that have them."""


def departure(x: Sequence[float], values: Floats) -> Floats:
    """Return the share of the spread of scores that a straight line leaves, 1 − R².

    Args:
        x: (k,) numbers of nodes, at least three different ones.
        values: (B, k) scores.

    Returns:
        (B,), in [0, 1]; NaN where scores do not differ, or one is not finite.
    """
    at = np.asarray(x, dtype=np.float64)
    if np.unique(at).size < 3:
        raise ValueError("a departure from a line needs three numbers of nodes")
    basis = np.vander(at - at.mean(), 2)
    centred = values - values.mean(axis=1, keepdims=True)
    left = centred - centred @ np.linalg.pinv(basis).T @ basis.T
    spread = (centred**2).sum(axis=1)
    return np.asarray(np.divide((left**2).sum(axis=1), spread, out=np.full(len(values), np.nan), where=spread > 0))


def difference(
    groups: Sequence[Group], first: Floats, second: Floats, first_draws: Floats, second_draws: Floats
) -> tuple[float, Floats]:
    """Return by how much the first score departs more from a line than the second, and draws of that.

    Args:
        groups: one a depth, each with three different numbers of nodes or more.
        first: (A,) scores of all agents.
        second: the same.
        first_draws: (B, A).
        second_draws: (B, A), drawn together with the first.

    Returns:
        The difference without its bias, positive where the second is more nearly linear, and its draws (B,), reflected.
    """
    found = _plain(groups, first[None], second[None])[0]
    drawn = _plain(groups, first_draws, second_draws)
    reflected = 2 * found - drawn[np.isfinite(drawn)]
    return float(reflected.mean()) if reflected.size else float(found), reflected


def _plain(groups: Sequence[Group], first: Floats, second: Floats) -> Floats:
    """Return the mean over the depths of the first's departures less the second's, (B,)."""
    apart = [departure(x, first[:, list(at)]) - departure(x, second[:, list(at)]) for x, at in groups]
    return np.asarray(np.mean(apart, axis=0))


# ---- A quotient of few trials made sharper by another agent that has many ------------------------


Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Found:
    """A quotient with the ends of its 95 % interval (None: not known), in points of 100; ``by`` says how, in words."""

    value: float
    low: float | None
    high: float | None
    by: str = ""

    @property
    def half(self) -> float:
        """Half of the interval's length; infinite where it is not known."""
        return math.inf if self.low is None or self.high is None else (self.high - self.low) / 2


def controlled(row: Row, own: Found, quotients: Sequence[Row], differences: Sequence[Row]) -> Found:
    """Return the sharpest estimate of an agent's quotient: its own mean, or its difference to another plus that one's.

    The other agent has more trials of the same length; the difference is that of the trials on the same programs. Both
    are unbiased. Their errors hang together by the pairs that they share; that covariance is of the order of one over
    the other agent's number of pairs, and is left out. Which estimate is taken follows from the widths alone, never
    from a value. Coverage of nominal 95 % intervals with 100 of 5,000 pairs in common and a skewed difference: .94
    (``tests/unit/claims/test_controlled.py``).

    Args:
        row: of the agent, in the table ``quotients``.
        own: its own mean.
        quotients: all rows of that table.
        differences: rows of the table ``differences``, the first agent less the second.
    """
    best = own
    for step in differences:
        pair = (step["first"], step["second"])
        if step["length"] != row["length"] or row["agent"] not in pair:
            continue
        name, sign = (pair[1], 1.0) if pair[0] == row["agent"] else (pair[0], -1.0)
        for other in quotients:
            same = (other["agent"], other["length"]) == (name, row["length"])
            if same and int(other["runs"]) > int(row["runs"]):
                made = _sum(other, step, sign)
                best = made if made.half < best.half else best
    return best


def _sum(other: Row, step: Row, sign: float) -> Found:
    """Return the other agent's quotient plus the difference to it, with the interval of both."""
    theirs = Found(other["quotient"], other["quotient_low"], other["quotient_high"])
    gap = Found(step["difference"], step["difference_low"], step["difference_high"])
    value, half = theirs.value + sign * gap.value, math.hypot(theirs.half, gap.half)
    words = (
        f"the difference to {other['label']} on {step['pairs']} pairs of trials plus {other['label']} on all its pairs"
    )
    return Found(value, value - half, value + half, words)


# ---- Shapes that claims have ---------------------------------------------------------------------


Places = list[tuple[float, str]]
"""(value of a setting, domain), smallest first."""


def order(e: Evidence, lower: Sequence[str], upper: Sequence[str], size: float) -> Reading:
    """Return the margins of an order of complexities: every upper one above every lower one."""
    found = e.numbers("complexity")
    if not lower or not upper:
        raise LackingError("there is nothing to compare with")
    return Reading([found.margin({u: 1.0, low: -1.0}, size) for u in upper for low in lower])


def trend(e: Evidence, what: str, places: Places, sign: float, size: float) -> Reading:
    """Return the rise of the line through numbers from the first to the last place."""
    x = [value for value, _ in places]
    weights = dict(zip([name for _, name in places], sign * rise(x), strict=True))
    margin = e.numbers(what).margin(weights, size)
    ends = margin.bounds()
    return Reading([margin], sign * margin.value, None if ends is None else turned(ends, sign))


def bent(e: Evidence, what: str, places: Places, sign: float, size: float) -> Reading:
    """Return the bend of the parabola through numbers."""
    x = [value for value, _ in places]
    weights = dict(zip([name for _, name in places], sign * bend(x), strict=True))
    margin = e.numbers(what).margin(weights, size)
    ends = margin.bounds()
    return Reading([margin], sign * margin.value, None if ends is None else turned(ends, sign))


def turned(ends: tuple[float, float], sign: float) -> tuple[float, float]:
    """Return an interval after its numbers were multiplied by 1 or -1."""
    low, high = sorted((sign * ends[0], sign * ends[1]))
    return low, high


def drowned(values: Floats, drawn: Floats, most: float = 0.5) -> bool:
    """Whether noise is more than a share of the differences between numbers (n,), by draws (B, n) about them.

    Correlations and shapes of such numbers are those of their noise, and neither draws nor intervals repair that.
    """
    spread = float(((values - values.mean()) ** 2).sum())
    apart = drawn - drawn.mean(axis=1, keepdims=True)
    return not float(apart.var(axis=0).sum()) < most * spread


DROWNED = Reading([Margin(0.0)], None, None, "noise is more than half of the differences")
"""What a run says whose numbers differ by noise."""


def reflected(ours: float, drawn: Floats) -> Floats:
    """Return draws of a correlation turned about the measured one, on the scale where its error is even (Fisher's z).

    Noise draws correlations towards 0; draws hold the noise once more, so that their shift tells that of ours.
    """
    z = np.arctanh(np.clip(np.append(drawn, ours), -0.9999, 0.9999))
    return np.asarray(np.tanh(2 * z[-1] - z[:-1]))


def above(ours: float, drawn: Floats, least: float, size: float) -> Reading:
    """Return the reading of a number that must be above another."""
    margin = Margin(ours - least, size - least, draws=drawn - least)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Reading([margin], ours, (float(low), float(high)))


def correlation(a: Floats, b: Floats) -> Floats:
    """Return Pearson's correlation of the rows of two arrays (B, n), (B,); 0 where one does not vary."""
    x, y = a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True)
    norm = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    return np.asarray(np.divide((x * y).sum(axis=1), norm, out=np.zeros(len(x)), where=norm > 0))


def mean_of(pairs: Sequence[str], weight: float = 1.0) -> dict[str, float]:
    """Return weights of a mean."""
    return {pair: weight / len(pairs) for pair in pairs}


def less(e: Evidence, few: Sequence[str], many: Sequence[str], share: float = 1.0, size: float = 0.01) -> Reading:
    """Return the margin of one mean area being below a share of another."""
    if not few or not many:
        raise LackingError("there is nothing to compare with")
    d = e.numbers("dissimilarity")
    weights = mean_of(many, share)
    for pair, weight in mean_of(few, -1.0).items():
        weights[pair] = weights.get(pair, 0.0) + weight
    margin = d.margin(weights, size)
    return Reading([margin], margin.value, margin.bounds())
