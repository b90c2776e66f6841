"""Walkers in a convex body given by points: all of them move at once, along lines through the body.

The body is K = conv(0, p_1 .. p_n), its gauge g(x) the least sum of weights w >= 0 with x = sum w_j p_j. A walker
stands in the cone of one facet: d of the points (its basis) and their weights. Under the density exp(-g(x)) the
weights are independent exponential variables and facets are drawn by the volume of their cones. Along a line
x + t p_j the gauge is convex and piecewise linear. Its pieces are found by dual simplex steps, one for every cone
that the line crosses, so the density can be integrated, and drawn from, without error: a hit-and-run of which no
step is refused. Moves along the points themselves make it indifferent to turning and scaling of the body.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from aiq.records.estimate import Floats

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

FLAT = 1e-12  # reduced costs and directions below this are 0
PIVOT = 1e-9  # the least size of a pivot
REST = 1e-9  # part of a line's mass that may be left out at its ends


@dataclass(slots=True)
class Walkers:
    """Where W walkers stand: ``inverse`` (W, d, d) of the basis, ``weights`` (W, d), ``basis`` (W, d), rows of points.

    ``normal`` (W, d): that of the facet, 1 at every point of the basis.
    """

    inverse: Floats
    weights: Floats
    basis: Integers
    normal: Floats

    def take(self, rows: Integers | Booleans) -> Walkers:
        """Return some of them, copied."""
        return Walkers(*(getattr(self, field.name)[rows] for field in fields(self)))

    def put(self, rows: Integers, others: Walkers) -> None:
        """Let the walkers of some rows stand where the others do."""
        for field in fields(self):
            getattr(self, field.name)[rows] = getattr(others, field.name)

    def exchange(self, leaving: Integers, entering: Integers, points: Floats, column: Floats) -> Floats:
        """Exchange one point of each basis; return a column (W, d) of coordinates in the basis in the new one."""
        rows = np.arange(leaving.size)
        new = points[entering]
        own = (self.inverse @ new[:, :, None])[:, :, 0]
        row = self.inverse[rows, leaving] / own[rows, leaving][:, None]
        part = column[rows, leaving] / own[rows, leaving]
        self.normal += (1 - np.einsum("wi,wi->w", self.normal, new))[:, None] * row
        self.inverse -= own[:, :, None] * row[:, None, :]
        self.inverse[rows, leaving] = row
        self.basis[rows, leaving] = entering
        moved = np.asarray(column - own * part[:, None])
        moved[rows, leaving] = part
        return moved

    def refresh(self, points: Floats) -> None:
        """Compute inverses and normals anew, so that rounding errors do not add up."""
        self.inverse = np.asarray(np.linalg.inv(points[self.basis].transpose(0, 2, 1)), dtype=np.float64)
        self.normal = self.inverse.sum(axis=1)


@dataclass(slots=True)
class _Lines:
    """The lines of W walkers, each along a point, as far as they have been walked.

    ``before`` and ``after`` (W,): mass in the body without and with what is added; ``drawn``: a place drawn from the
    mass after; ``tailed`` (W,): whether the ray towards the new point, which replaces what lies behind, is counted.
    """

    points: Floats
    active: Integers
    along: Integers
    adding: bool
    before: Floats
    after: Floats
    drawn: Walkers
    tailed: Booleans
    rng: np.random.Generator
    crossings: int = 0


def move(
    walkers: Walkers, along: Integers, points: Floats, active: Integers, adding: bool, rng: np.random.Generator
) -> tuple[Floats, int]:
    """Let every walker draw a new place on the line through its own place along a point; in place.

    Args:
        walkers: W of them.
        along: the point that gives the direction, (W,): an active one, or the one that is added.
        points: (n, d).
        active: rows of the points that the body has, rising.
        adding: whether the body gets the point ``along``: places are then drawn from the body with it.
        rng: source of randomness.

    Returns:
        the mass of the line after over that before, (W,): its mean is the quotient of the volumes. And how many
        cones were crossed.
    """
    every = np.arange(along.size)
    lines = _Lines(
        points, active, along, adding, np.zeros(every.size), np.zeros(every.size), walkers.take(every),
        np.full(every.size, not adding), rng,
    )  # fmt: skip
    for sign in (1.0, -1.0):
        _half(walkers.take(every), lines, sign)
    walkers.put(every, lines.drawn)
    return lines.after / lines.before, lines.crossings


def _half(here: Walkers, lines: _Lines, sign: float) -> None:
    """Walk from the walkers' places to one end of their lines (sign 1: towards the point), cone by cone."""
    candidates = np.ascontiguousarray(lines.points[lines.active].T)
    at, level = np.arange(lines.along.size), np.zeros(lines.along.size)
    column = (here.inverse @ lines.points[lines.along][:, :, None])[:, :, 0]
    while at.size:
        ascent = column.sum(axis=1)
        steep = lines.adding & (ascent > 1 + FLAT)  # the new point lies above this facet, which it will hide
        length, leaving = _reach(here.weights, sign * column)
        mass = _integral(level, sign * ascent, length)
        lines.before[at] += mass
        _stay(lines, here, at, np.where(steep, 0.0, mass), sign * ascent, length, sign * column)
        finite = np.isfinite(length)
        here.weights += sign * np.where(finite, length, 0.0)[:, None] * column
        here.weights[np.arange(at.size), leaving] = 0.0
        level = level + np.where(finite, sign * ascent * length, 0.0)
        entering, ratio = _entering(here, leaving, candidates, lines.active)
        after = ascent - np.where(np.isfinite(ratio), ratio, 0.0) * column[np.arange(at.size), leaving]
        inside, turned = np.isfinite(ratio), (after > 1 + FLAT) != (sign < 0)
        crossed = finite & ~lines.tailed[at] & (steep == (sign < 0)) & (~inside | turned)
        _ray(lines, here, at, crossed, leaving, level)
        kept = finite & inside & ~_spent(lines, at, steep, level, sign * ascent, sign)
        lines.crossings += int(kept.sum())
        here, at, level, column = here.take(kept), at[kept], level[kept], column[kept]
        column = here.exchange(leaving[kept], entering[kept], lines.points, column)


def _reach(weights: Floats, step: Floats) -> tuple[Floats, Integers]:
    """Return how far one can go (W,) until a weight is 0, and which one that is; infinity where none falls."""
    falls = step < -FLAT
    ways = np.divide(weights, -step, out=np.full_like(weights, np.inf), where=falls)
    leaving = ways.argmin(axis=1)
    return np.maximum(ways[np.arange(leaving.size), leaving], 0.0), leaving


def _integral(level: Floats, slope: Floats, length: Floats) -> Floats:
    """Return the integral of exp(-level - slope t) over t from 0 to length, which may be infinite."""
    with np.errstate(invalid="ignore", divide="ignore"):
        rise = slope * length
        whole = np.where(np.isinf(length), 1 / slope, np.where(abs(rise) < FLAT, length, -np.expm1(-rise) / slope))
    return np.asarray(np.exp(-level) * whole)


def _stay(
    lines: _Lines, here: Walkers, at: Integers, mass: Floats, slope: Floats, length: Floats, step: Floats
) -> None:
    """Count a piece of each line; a walker comes to stand in it in proportion to its mass."""
    lines.after[at] += mass
    rows = np.flatnonzero(lines.rng.random(at.size) * lines.after[at] < mass)
    if rows.size == 0:
        return
    share, slope, length = lines.rng.random(rows.size), slope[rows], length[rows]
    with np.errstate(invalid="ignore", divide="ignore"):
        rise = slope * length
        way = np.where(abs(rise) < FLAT, share * length, -np.log1p(share * np.expm1(-rise)) / slope)
    place = here.take(rows)
    place.weights = np.maximum(place.weights + way[:, None] * step[rows], 0.0)
    lines.drawn.put(at[rows], place)


def _entering(here: Walkers, leaving: Integers, candidates: Floats, active: Integers) -> tuple[Integers, Floats]:
    """Return the point that takes the place of the leaving one, (W,), and its ratio: infinite at the body's border."""
    rows = np.arange(leaving.size)
    across = here.inverse[rows, leaving] @ candidates
    height = np.maximum(1 - here.normal @ candidates, 0.0)
    ratios = np.divide(height, -across, out=np.full_like(height, np.inf), where=across < -PIVOT)
    ratios[rows[:, None], np.searchsorted(active, here.basis)] = np.inf
    best = ratios.argmin(axis=1)
    return active[best], ratios[rows, best]


def _ray(lines: _Lines, here: Walkers, at: Integers, crossed: Booleans, leaving: Integers, level: Floats) -> None:
    """Count the ray towards the new point, from where its facet begins, on the lines that come by there."""
    lines.tailed[at] |= crossed
    mass = np.where(crossed, np.exp(-level), 0.0)
    lines.after[at] += mass
    rows = np.flatnonzero(lines.rng.random(at.size) * lines.after[at] < mass)
    if rows.size == 0:
        return
    place, out = here.take(rows), leaving[rows]
    place.exchange(out, lines.along[at[rows]], lines.points, np.zeros_like(place.weights))
    place.weights[np.arange(rows.size), out] = lines.rng.exponential(size=rows.size)
    lines.drawn.put(at[rows], place)


def _spent(lines: _Lines, at: Integers, steep: Booleans, level: Floats, slope: Floats, sign: float) -> Booleans:
    """Return on which lines what is left of this half is next to nothing (never before the ray was found)."""
    mass = np.where(steep, lines.before[at], np.minimum(lines.before[at], lines.after[at]))
    rest = np.exp(-level) < REST * slope * mass
    return np.asarray(rest & (lines.tailed[at] | (steep & (sign > 0))))
