"""Claims about played domains: Figures 7, 8, 14 and 23 to 27 of the 2025 paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from aiq.records.arrays import Floats
from papers.claims.base import Claim, Reading, Statement
from papers.claims.evidence import Evidence, LackingError, off_diagonal, pair_name
from papers.claims.margins import Margin
from papers.claims.shapes import DROWNED, above, correlation, drowned, less, reflected, trend

RISE = 0.5
"""Rise of complexity in bits over the range of a parameter that is assumed where the paper gives no number."""
ASSUMED_RISE = f"a rise of {RISE} bits (no number in print)"
FLAT = 0.5
"""Largest departure of a level from the others, in bits, that counts as flat."""


def _forces(e: Evidence) -> list[tuple[float, str]]:
    return e.known("complexity", e.along("cartpole", "force", 10.0), 4, "forces")


def _gravities(e: Evidence, what: str, low: float, high: float) -> list[tuple[float, str]]:
    """Return the gravities in a range that were measured; other forces left out."""
    places = [(g, n) for g, n in e.along("cartpole", "gravity", 9.8) if low <= g <= high]
    places = [(g, n) for g, n in places if e.domains[n].get("force", 10.0) == 10.0]
    return e.known(what, places, 3, f"gravities from {low:g} to {high:g}")


def _f14_pairs(e: Evidence) -> tuple[list[str], Floats]:
    """Return the pairs of gravities of at most 200, self-pairs included, and how far apart they are."""
    d = e.numbers("dissimilarity")
    places = [(g, n) for g, n in e.along("cartpole", "gravity", 9.8) if g <= 200]
    places = [(g, n) for g, n in places if e.domains[n].get("force", 10.0) == 10.0]
    found = [
        (pair_name(n, o), abs(g - h)) for i, (g, n) in enumerate(places) for h, o in places[i:] if pair_name(n, o) in d
    ]
    if len(found) < 6:
        raise LackingError(f"six pairs of gravities from 0 to 200 are needed, {len(found)} are in the run")
    return [name for name, _ in found], np.array([apart for _, apart in found])


def _f14_correlation(e: Evidence) -> Reading:
    """Areas correlate with the difference of gravity."""
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
    if not e.levels():
        raise LackingError("no level of CartPole3D is in the run")
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


def _level(e: Evidence, what: str, levels: Sequence[int]) -> list[str]:
    """Return the domains of some levels.

    Raises:
        LackingError: one was not measured.
    """
    known = e.levels()
    found = e.numbers(what)
    lacking = [level for level in levels if level not in known or known[level] not in found]
    if lacking:
        raise LackingError(f"levels {', '.join(map(str, lacking))} are not in the run")
    return [known[level] for level in levels]


def _others(e: Evidence, aside: Sequence[int]) -> list[str]:
    """Return the other levels that were measured, level 0 (no novelty) left out."""
    found = e.numbers("complexity")
    names = [name for level, name in sorted(e.levels().items()) if level not in (0, *aside) and name in found]
    if len(names) < 3:
        raise LackingError("three further levels are needed")
    return names


def _f23_high(e: Evidence) -> Reading:
    """Levels 1, 8, 9 above the mean of the others."""
    high = _level(e, "complexity", (1, 8, 9))
    others, c = _others(e, (1, 8, 9)), e.numbers("complexity")
    return Reading([c.margin({name: 1.0} | {o: -1 / len(others) for o in others}, FLAT) for name in high])


def _f23_flat(e: Evidence) -> Reading:
    """Every other level within FLAT of their mean."""
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
    two = _level(e, "complexity", (2, 3))
    rest = _others(e, (2, 3))
    far = [e.pair(a, b) for a in two for b in rest]
    return less(e, [e.pair(a, b) for a, b in off_diagonal(dict.fromkeys(rest))], far)


def _f24_near(e: Evidence) -> Reading:
    """Levels 2 and 3 nearer to each other than to the rest."""
    two = _level(e, "complexity", (2, 3))
    rest = _others(e, (2, 3))
    return less(e, [e.pair(*two)], [e.pair(a, b) for a in two for b in rest])


def _dimensions(low: float, high: float, control: bool, least: int) -> Callable[[Evidence], Reading]:
    """Return what a run says of its number of dimensions lying between two numbers; whole numbers have no power."""

    def of(e: Evidence) -> Reading:
        if control and not e.levels():
            raise LackingError("no level of CartPole3D is in the run")
        if not control:
            e.benchmark()
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

    return of


def _f27(e: Evidence) -> Reading:
    """Levels 3, 4, 14 and 15 are vertices of the suite's hull."""
    if e.places is None:
        raise LackingError("the run has no space")
    known = e.levels()
    wanted = (3, 4, 14, 15)
    lacking = [level for level in wanted if level not in known]
    if lacking:
        raise LackingError(f"levels {', '.join(map(str, lacking))} are not in the run")
    shares = [e.places.vertex_shares[known[level]] for level in wanted]
    margins = [Margin(s - 0.5, draws=np.where(np.arange(1000) < 1000 * s, 0.5, -0.5)) for s in shares]
    return Reading(margins, min(shares), None, "the smallest share of replicates in which one is a vertex is shown")


_F26 = _dimensions(3.5, 5.5, True, 6)
_F19 = _dimensions(1.5, 2.5, False, 4)

CLAIMS = (
    Claim(
        "F7",
        2025,
        "3.1.4, Fig. 7",
        "CartPole with another force",
        "positive correlation with complexity",
        (
            Statement(
                "complexity rises with the force", ASSUMED_RISE, lambda e: trend(e, "complexity", _forces(e), 1.0, RISE)
            ),
        ),
        "bits",
    ),
    Claim(
        "F8",
        2025,
        "3.1.4, Fig. 8",
        "CartPole with another gravity",
        "complexity rises (linear trend), entropy falls",
        (
            Statement(
                "complexity rises with gravity",
                ASSUMED_RISE,
                lambda e: trend(e, "complexity", _gravities(e, "complexity", 150, 1000), 1.0, RISE),
            ),
            Statement(
                "entropy falls with gravity",
                "a fall of 1 bit (no number in print)",
                lambda e: trend(e, "entropy", _gravities(e, "entropy", 150, 1000), -1.0, 1.0),
            ),
        ),
        "bits",
    ),
    Claim(
        "F14",
        2025,
        "3.2.4, Fig. 14",
        "CartPole gravities from 0 to 200, all ordered pairs",
        "correlation of dissimilarity with the difference of gravity R = 0.70; symmetric",
        (
            Statement("R is above .5, a strong correlation", "R = .70", _f14_correlation),
            Statement("the two orders of a pair differ by less than the mean area", "no difference", _symmetric),
        ),
        "R",
    ),
    Claim(
        "F19",
        2025,
        "3.3.5, Fig. 19",
        "intelligence space of the benchmark",
        "about two dimensions carry it",
        (Statement("two dimensions stand above the noise", "two", _F19),),
        "dimensions",
    ),
    Claim(
        "F23",
        2025,
        "3.4.4, Fig. 23",
        "complexity of the CartPole3D levels, easy",
        "flat, except levels 1, 8 and 9, which are higher",
        (
            Statement(
                "levels 1, 8 and 9 are above the mean of the others", f"{FLAT} bits (no number in print)", _f23_high
            ),
            Statement(f"every other level is within {FLAT} bits of their mean", "no difference", _f23_flat),
        ),
        "bits",
    ),
    Claim(
        "F24",
        2025,
        "3.4.4, Fig. 24",
        "dissimilarities of the CartPole3D levels",
        "symmetric; levels 2 and 3 far from the rest, near each other",
        (
            Statement(
                "levels 2 and 3 are farther from the rest than the rest from one another",
                "a difference of .01 (no number)",
                _f24_far,
            ),
            Statement(
                "levels 2 and 3 are nearer to each other than to the rest", "a difference of .01 (no number)", _f24_near
            ),
            Statement("the two orders of a pair differ by less than the mean area", "no difference", _symmetric_levels),
        ),
    ),
    Claim(
        "F25",
        2025,
        "3.4.4, Fig. 25",
        "dimensions of the CartPole3D suite",
        "four or five suffice",
        (Statement("four or five dimensions stand above the noise", "four or five", _F26),),
        "dimensions",
    ),
    Claim(
        "F26",
        2025,
        "3.4.4, Figs. 25 and 26",
        "the CartPole3D levels in the space",
        "four or five suffice",
        (Statement("four or five dimensions stand above the noise", "four or five", _F26),),
        "dimensions",
    ),
    Claim(
        "F27",
        2025,
        "3.4.4, Fig. 27",
        "hull of the CartPole3D suite",
        "levels 3, 4, 14, 15 and the empty test among the vertices",
        (Statement("levels 3, 4, 14 and 15 are vertices in 95 % of the replicates", "always", _f27),),
        "share of replicates",
    ),
)
