"""Claims about played domains: Figures 7, 8, 14 and 23 to 27 of the 2025 paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from aiq.records.arrays import Floats
from papers.claims.base import Check, Reading
from papers.claims.evidence import Evidence, LackingError, off_diagonal, pair_name
from papers.claims.numbers import Margin, rise
from papers.claims.shapes import DROWNED, Places, above, correlation, drowned, less, reflected, shape

RISE = 0.5
"""Rise of complexity in bits over the range of a parameter that is assumed where the paper gives no number."""
FLAT = 0.5
"""Largest departure of a level from the others, in bits, that counts as flat."""


def _forces(e: Evidence) -> Places:
    return e.measured("complexity", e.along("cartpole", "force", 10.0), 4, "forces")


def _gravities(e: Evidence, low: float, high: float) -> Places:
    """Return the gravities in a range; other forces left out."""
    places = [(g, n) for g, n in e.along("cartpole", "gravity", 9.8) if low <= g <= high]
    return [(g, n) for g, n in places if e.domains[n].get("force", 10.0) == 10.0]


def _along_gravity(e: Evidence, what: str, sign: float, size: float) -> Reading:
    """A number rises or falls over the gravities from 150 to 1000."""
    places = e.measured(what, _gravities(e, 150, 1000), 3, "gravities from 150 to 1000")
    return shape(e, what, places, rise, sign, size)


def _f14_pairs(e: Evidence) -> tuple[list[str], Floats]:
    """Return the pairs of gravities of at most 200, self-pairs included, and how far apart they are."""
    d, places = e.numbers("dissimilarity"), _gravities(e, -math.inf, 200)
    found = [
        (pair_name(n, o), abs(g - h)) for i, (g, n) in enumerate(places) for h, o in places[i:] if pair_name(n, o) in d
    ]
    if len(found) < 6:
        raise LackingError(f"six pairs of gravities from 0 to 200 are needed, {len(found)} are in the run")
    return [name for name, _ in found], np.array([apart for _, apart in found])


def _f14_correlation(e: Evidence) -> Reading:
    names, apart = _f14_pairs(e)
    d = e.numbers("dissimilarity")
    at = [d.names.index(name) for name in names]
    drawn = d.draws("F14")[:, at]
    ours = float(correlation(d.values[None, at], apart[None])[0])
    if drowned(d.values[at], drawn):
        return DROWNED
    return above(ours, reflected(ours, correlation(drawn, np.tile(apart, (len(drawn), 1)))), 0.5, 0.7)


def _symmetric_levels(e: Evidence) -> Reading:
    """The same on the levels of CartPole3D."""
    e.need_levels()
    return _symmetric(e)


def _symmetric(e: Evidence) -> Reading:
    """The two orders of a pair differ by less than the mean area of different pairs, beyond noise."""
    if e.asymmetry is None:
        raise LackingError("the two orders of the pairs were not measured apart")
    d = e.numbers("dissimilarity")
    off = [name for a, b in off_diagonal(e.domains) if (name := pair_name(a, b)) in d]
    if not off:
        raise LackingError("there are no pairs of different domains")
    mean = d.margin({name: 1 / len(off) for name in off})
    apart, se = e.asymmetry
    error = float(np.hypot(mean.error or 0.0, se))
    ends = Margin(apart, se=se).bounds()
    return Reading([Margin(mean.value - apart, mean.value, error, mean.df)], apart, ends)


def _level(e: Evidence, levels: Sequence[int]) -> list[str]:
    """Return the domains of some levels, all of which must have a complexity."""
    found = e.numbers("complexity")
    names = e.need_levels(*levels)
    lacking = [str(level) for level, name in zip(levels, names, strict=True) if name not in found]
    if lacking:
        raise LackingError(f"levels {', '.join(lacking)} are not in the run")
    return names


def _others(e: Evidence, aside: Sequence[int]) -> list[str]:
    """Return the other levels that were measured, level 0 (no novelty) left out."""
    found = e.numbers("complexity")
    names = [name for level, name in sorted(e.levels().items()) if level not in (0, *aside) and name in found]
    if len(names) < 3:
        raise LackingError("three further levels are needed")
    return names


def _f23_high(e: Evidence) -> Reading:
    high = _level(e, (1, 8, 9))
    others, c = _others(e, (1, 8, 9)), e.numbers("complexity")
    return Reading([c.margin({name: 1.0} | {o: -1 / len(others) for o in others}, FLAT) for name in high])


def _f23_flat(e: Evidence) -> Reading:
    others, c = _others(e, (1, 8, 9)), e.numbers("complexity")
    margins = []
    for name in others:
        for sign in (1.0, -1.0):
            weights = {o: -sign / len(others) for o in others}
            weights[name] += sign
            margins.append(c.margin(weights, FLAT, FLAT))
    mean = np.mean([c[o] for o in others])
    worst = max(others, key=lambda o: abs(c[o] - mean))
    weights = {o: -1 / len(others) for o in others}
    weights[worst] += 1
    return Reading(margins, float(c[worst] - mean), c.margin(weights).bounds(), f"{worst} departs most")


def _f24_far(e: Evidence) -> Reading:
    """Levels 2 and 3 with the rest farther apart than the rest among themselves."""
    two = _level(e, (2, 3))
    rest = _others(e, (2, 3))
    far = [e.pair(a, b) for a in two for b in rest]
    return less(e, [e.pair(a, b) for a, b in off_diagonal(dict.fromkeys(rest))], far)


def _f24_near(e: Evidence) -> Reading:
    two = _level(e, (2, 3))
    rest = _others(e, (2, 3))
    return less(e, [e.pair(*two)], [e.pair(a, b) for a in two for b in rest])


def _dimensions(e: Evidence, suite: Callable[[], object], least: int, low: float, high: float) -> Reading:
    """The number of dimensions lies between two numbers; whole numbers have no power. ``suite`` refuses other runs."""
    suite()
    if e.places is None:
        raise LackingError("the run has no space")
    if len(e.places.domains) < least:
        raise LackingError(f"{least} domains are needed, {len(e.places.domains)} are in the run")
    kept, drawn = float(e.places.dimensions), np.asarray(e.places.dimension_draws, dtype=np.float64)
    if drawn.size == 0:
        raise LackingError("the number of dimensions has no replicates")
    margins = [Margin(kept - low, draws=drawn - low), Margin(high - kept, draws=high - drawn)]
    ends = np.quantile(drawn, [0.025, 0.975])
    return Reading(margins, kept, (float(ends[0]), float(ends[1])))


def _f27(e: Evidence) -> Reading:
    if e.places is None:
        raise LackingError("the run has no space")
    shares = [e.places.vertex_shares[name] for name in e.need_levels(3, 4, 14, 15)]
    margins = [Margin(s - 0.5, draws=np.where(np.arange(1000) < 1000 * s, 0.5, -0.5)) for s in shares]
    return Reading(margins, min(shares), None, "the smallest share of replicates in which one is a vertex is shown")


_DIMENSIONS_3D = (lambda e: _dimensions(e, e.need_levels, 6, 3.5, 5.5),)

CHECKS: Mapping[str, tuple[Check, ...]] = {
    "F7": (lambda e: shape(e, "complexity", _forces(e), rise, 1.0, RISE),),
    "F8": (lambda e: _along_gravity(e, "complexity", 1.0, RISE), lambda e: _along_gravity(e, "entropy", -1.0, 1.0)),
    "F14": (_f14_correlation, _symmetric),
    "F19": (lambda e: _dimensions(e, e.benchmark, 4, 1.5, 2.5),),
    "F23": (_f23_high, _f23_flat),
    "F24": (_f24_far, _f24_near, _symmetric_levels),
    "F25": _DIMENSIONS_3D,
    "F26": _DIMENSIONS_3D,
    "F27": (_f27,),
}
"""Claim -> the check of each of its statements."""
