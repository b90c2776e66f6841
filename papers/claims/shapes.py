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
from collections.abc import Sequence

import numpy as np

from aiq.records.estimate import Floats
from papers.claims import Reading, numbers
from papers.claims.evidence import Evidence, LackingError
from papers.claims.numbers import Margin

Group = tuple[Sequence[float], Sequence[int]]  # numbers of nodes, and the places of the agents that have them


def departure(x: Sequence[float], values: Floats) -> Floats:
    """Return the share of the spread of scores (B, k) that a line leaves, 1 - R², (B,); NaN where they are alike."""
    at = np.asarray(x, dtype=np.float64)
    basis = np.vander(at - at.mean(), 2)
    centred = values - values.mean(axis=1, keepdims=True)
    left = centred - centred @ np.linalg.pinv(basis).T @ basis.T
    spread = (centred**2).sum(axis=1)
    return np.asarray(np.divide((left**2).sum(axis=1), spread, out=np.full(len(values), np.nan), where=spread > 0))


def difference(
    groups: Sequence[Group], first: Floats, second: Floats, first_draws: Floats, second_draws: Floats
) -> tuple[float, Floats]:
    """Return by how much the first score departs more from a line than the second, and draws of that.

    Scores are of all agents, (A,), their draws (B, A) made together; groups are one a depth, each with three different
    numbers of nodes or more. The difference is without its bias, its draws (B,) are reflected.
    """

    def apart(scores: Floats, others: Floats) -> Floats:
        by_depth = [departure(x, scores[:, list(at)]) - departure(x, others[:, list(at)]) for x, at in groups]
        return np.asarray(np.mean(by_depth, axis=0))

    excess, drawn = apart(first[None], second[None])[0], apart(first_draws, second_draws)
    reflected = 2 * excess - drawn[np.isfinite(drawn)]
    return float(reflected.mean()) if reflected.size else float(excess), reflected


# ---- Shapes that claims have ---------------------------------------------------------------------


Places = list[tuple[float, str]]  # (value of a setting, domain), smallest first
FEWEST = 100  # fewest draws of which a share counts


def order(e: Evidence, lower: Sequence[str], upper: Sequence[str], size: float) -> Reading:
    """Return the margins of an order of complexities: every upper one above every lower one."""
    complexity = e.numbers("complexity")
    if not lower or not upper:
        raise LackingError("there is nothing to compare with")
    return Reading([complexity.margin({u: 1.0, low: -1.0}, size) for u in upper for low in lower])


def ordered(
    e: Evidence, size: float, lower: Sequence[str], upper: Sequence[str] = (), others: Sequence[str] = ()
) -> Reading:
    """Return the order of the complexities of kinds of data sets; of ``others`` those that are there are upper ones."""
    return order(e, [e.need(kind) for kind in lower], [*(e.need(kind) for kind in upper), *e.present(*others)], size)


def through(e: Evidence, what: str, places: Places, rise: float = 0.0, bend: float = 0.0) -> Reading:
    """Return the rise of the line, or the bend of the parabola, through numbers as a margin; below 0: turned round."""
    size, weights = (rise, numbers.rise) if rise else (bend, numbers.bend)
    sign = math.copysign(1.0, size)
    by_name = dict(zip([name for _, name in places], sign * weights([x for x, _ in places]), strict=True))
    margin = e.numbers(what).margin(by_name, abs(size))
    return Reading([margin], sign * margin.value, turned(margin.bounds(), sign))


def trend(
    e: Evidence, what: str, along: tuple[str, str, float], least: int, called: str, rise: float = 0.0, bend: float = 0.0
) -> Reading:
    """Return the rise or the bend of numbers over the domains of a kind that differ by one setting alone."""
    return through(e, what, e.measured(what, e.along(*along), least, called), rise, bend)


def turned(ends: tuple[float, float] | None, sign: float) -> tuple[float, float] | None:
    """Return an interval, if there is one, after its numbers were multiplied by 1 or -1."""
    if ends is None:
        return None
    low, high = sorted((sign * ends[0], sign * ends[1]))
    return low, high


def drowned(values: Floats, drawn: Floats, most: float = 0.5) -> bool:
    """Whether noise is more than a share of the differences of numbers (n,), by draws (B, n): no shape is told."""
    spread = float(((values - values.mean()) ** 2).sum())
    apart = drawn - drawn.mean(axis=1, keepdims=True)
    return not float(apart.var(axis=0).sum()) < most * spread


DROWNED = Reading([Margin(0.0)], None, None, "noise is more than half of the differences")
"""What a run says whose numbers differ by noise."""


def reflected(ours: float, drawn: Floats) -> Floats:
    """Return draws of a correlation turned about the measured one by Fisher's z: noise draws both towards 0."""
    z = np.arctanh(np.clip(np.append(drawn, ours), -0.9999, 0.9999))
    return np.asarray(np.tanh(2 * z[-1] - z[:-1]))


def above(ours: float, drawn: Floats, least: float, size: float, note: str = "", sign: float = 1.0) -> Reading:
    """Return the reading of a number that must be above another (``sign`` -1: below it), by its finite draws (B,)."""
    drawn = drawn[np.isfinite(drawn)]
    if len(drawn) < FEWEST:
        raise LackingError("too few replicates have a volume")
    low, high = np.quantile(drawn, [0.025, 0.975])
    margin = Margin(sign * (ours - least), sign * (size - least), draws=sign * (drawn - least))
    return Reading([margin], ours, (float(low), float(high)), note)


def correlation(a: Floats, b: Floats) -> Floats:
    """Return Pearson's correlation of the rows of two arrays (B, n), (B,); 0 where one does not vary."""
    return cosine(a - a.mean(axis=1, keepdims=True), b - b.mean(axis=1, keepdims=True))


def cosine(x: Floats, y: Floats) -> Floats:
    """Return the normalised dot product of the rows of two arrays (B, n), (B,); 0 where one is 0."""
    norm = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    return np.asarray(np.divide((x * y).sum(axis=1), norm, out=np.zeros(len(x)), where=norm > 0))


def mean_of(pairs: Sequence[str], weight: float = 1.0) -> dict[str, float]:
    """Return weights of a mean."""
    return {pair: weight / len(pairs) for pair in pairs}


def less(e: Evidence, few: Sequence[str], many: Sequence[str]) -> Reading:
    """Return the margin of one mean area being below another; a difference of .01 is assumed."""
    if not few or not many:
        raise LackingError("there is nothing to compare with")
    d = e.numbers("dissimilarity")
    weights = mean_of(many)
    for pair, weight in mean_of(few, -1.0).items():
        weights[pair] = weights.get(pair, 0.0) + weight
    margin = d.margin(weights, 0.01)
    return Reading([margin], margin.value, margin.bounds())


def nearer(e: Evidence, two: tuple[str, str], than: Sequence[str] = (), others: Sequence[str] = ()) -> Reading:
    """Return the margin of two kinds of data sets being nearer to each other than to some, and those others there."""
    a, b = e.need(two[0]), e.need(two[1])
    rest = [*(e.need(kind) for kind in than), *e.present(*others)]
    return less(e, [e.pair(a, b)], [e.pair(x, y) for x in (a, b) for y in rest])


def area(e: Evidence, of: tuple[str, str], low: float, high: float, size: float) -> Reading:
    """Return the margins of the area of two kinds of data sets lying between two numbers."""
    name, d = e.pair(e.need(of[0]), e.need(of[1])), e.numbers("dissimilarity")
    margins = [d.margin({name: 1.0}, size - low, -low), d.margin({name: -1.0}, high - size, high)]
    return Reading(margins, d[name], d.margin({name: 1.0}).bounds())
