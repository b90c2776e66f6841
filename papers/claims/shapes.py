"""Shapes that claims have: orders, trends, bends, correlations, means that are apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aiq.records.arrays import Floats
from papers.claims.base import Reading
from papers.claims.evidence import Evidence, LackingError
from papers.claims.margins import Margin
from papers.claims.numbers import bend, rise

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
