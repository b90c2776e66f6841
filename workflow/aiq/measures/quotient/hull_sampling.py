"""Volume of a hull with too many facets to list: points are added one by one to a simplex of known volume.

d! vol(K) is the integral of exp(-g_K), g_K the gauge of K = conv(0, points). Walkers are distributed with this
density. A point p is added: along a line parallel to p the gauge of the larger body is that of the smaller
one with its slope cut at 1, so the quotient of the two integrals along a walker's line is known without error, and
its mean over walkers is the quotient of the volumes. Walkers are then drawn again by these quotients and move on
(sequential Monte Carlo: the estimate of the volume has no bias, however few moves are made). A line's quotient is at
most the gauge of p in the body; where that is large, or infinite because p lies outside the body's cone, p moves out
from the origin in steps, so that no few walkers carry the mean. For a simplex, a cross-polytope and free sums of
simplices every line has the same quotient, and the estimate is exact to rounding.

The error is seen, not modelled: several sets of walkers know nothing of each other, and their spread is the
error.

The gauge g(x) is the least sum of weights w >= 0 with x = sum w_j p_j. A walker stands in the cone of one facet: d of
the points (its basis) and their weights. Under the density exp(-g(x)) the weights are independent exponential variables
and facets are drawn by the volume of their cones. Along a line x + t p_j the gauge is convex and piecewise linear. Its
pieces are found by dual simplex steps, one for every cone that the line crosses, so the density can be integrated, and
drawn from, without error: a hit-and-run of which no step is refused. Moves along the points themselves make it
indifferent to turning and scaling of the body.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt
from scipy.linalg import qr
from scipy.optimize import linprog
from scipy.special import stdtrit

from aiq.records.estimate import Floats

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

FIRST = 8  # walkers of a group in the first round
MOVES = 400  # of one walker, over all points that are added
MOST_MOVES = 16  # after one point
AT_ONCE = 200_000  # entries of the tables of walkers that move together
FRESH = 4  # moves after which inverses are computed anew
EXACT = 1e-7  # a relative error below this is rounding
STEP = 3.0  # the largest quotient of one step, but for the first of a point outside the cone
NEAR = 0.04  # where such a point begins, as part of its way
OVERHEAD = 500  # work of crossing into another cone, besides that on its tables
_SPARE = 1.3  # more walkers than the first round asks for

FLAT = 1e-12  # reduced costs and directions below this are 0
PIVOT = 1e-9  # the least size of a pivot
REST = 1e-9  # part of a line's mass that may be left out at its ends


@dataclass(frozen=True, slots=True)
class Sampled:
    """Natural logarithm of a volume; its relative standard error (1.96 of which make a 95 % interval); work done."""

    log_volume: float
    error: float
    work: float


def volume(points: Floats, groups: int, target: float, work: float, rng: np.random.Generator) -> Sampled:
    """Return the estimated volume of conv({0} and the points), (n, d) of full rank, n > d, see ``hull.Budget``."""
    start, order = _order(points)
    plan = _plan(points, start, order)
    size, determinant = FIRST, float(np.linalg.slogdet(points[start])[1])
    logs, used = _groups(plan, groups, size, rng)
    error = _error(logs)
    more = size * min(_SPARE * (error / target) ** 2, work / used - 1) if error > target else 0.0
    if more >= size:
        again, extra = _groups(plan, groups, int(more), rng)
        logs = np.logaddexp(logs + math.log(size), again + math.log(int(more))) - math.log(size + int(more))
        error, used = _error(logs), used + extra
    mean = float(np.logaddexp.reduce(logs)) - math.log(logs.size)
    return Sampled(mean + determinant - math.lgamma(points.shape[1] + 1), error if error > EXACT else 0.0, used)


def _error(logs: Floats) -> float:
    """Return the relative standard error of the mean of groups, as if their logarithms were normal.

    1.96 of it make Student's 95 % interval. A plain one would be too small where few groups found the large values.
    """
    spread = min(float(logs.var(ddof=1)), 700.0)
    return math.sqrt(math.expm1(spread) / logs.size) * float(stdtrit(logs.size - 1, 0.975)) / 1.96


def _order(points: Floats) -> tuple[Integers, Integers]:
    """Return d rows of a large simplex, and the others, those farthest above its facet last but outside it first."""
    d = points.shape[1]
    rows = qr(points.T, mode="economic", pivoting=True)[2].astype(np.int64)
    start, rest = rows[:d].copy(), rows[d:].copy()
    for _ in range(10 * d):  # exchanges that enlarge it
        table = np.linalg.solve(points[start].T, points[rest].T)
        i, j = np.unravel_index(np.abs(table).argmax(), table.shape)
        if abs(table[i, j]) < 1.01:
            break
        start[i], rest[j] = rest[j], start[i]
    table = np.linalg.solve(points[start].T, points[rest].T)
    return start, rest[np.argsort(table.sum(axis=0), kind="stable")]


@dataclass(frozen=True, slots=True)
class _Plan:
    """In which order points are added: ``added`` and ``hidden`` (by the added one, or -1), rows of ``points``.

    ``points`` holds, after the given ones, those at which a point stops on its way out; ``start``: the first simplex.
    """

    points: Floats
    start: Integers
    added: list[int]
    hidden: list[int]


def _plan(points: Floats, start: Integers, order: Integers) -> _Plan:
    """Return the points with their stops, by the gauge of each in the body that it is added to."""
    rows, added, hidden = list(points), [], []
    active = list(start)
    for new in order:
        gauge = linprog(np.ones(len(active)), A_eq=points[active].T, b_eq=points[new], bounds=(0, None), method="highs")
        first = STEP / gauge.fun if gauge.status == 0 and gauge.fun > 0 else NEAR
        last = -1
        for k in range(math.ceil(math.log(1 / first, STEP) - EXACT)):
            rows.append(points[new] * first * STEP**k)
            added.append(len(rows) - 1)
            hidden.append(last)
            last = len(rows) - 1
        added.append(int(new))
        hidden.append(last)
        active.append(int(new))
    return _Plan(np.array(rows), start, added, hidden)


def _groups(plan: _Plan, groups: int, size: int, rng: np.random.Generator) -> tuple[Floats, float]:
    """Return independent estimates of the logarithm of vol over that of the first simplex, and the work of them."""
    together = max(1, AT_ONCE // (size * plan.points.shape[1] ** 2))
    logs, work = [], 0.0
    for first in range(0, groups, together):
        estimates, used = _some(plan, min(together, groups - first), size, rng)
        logs.append(estimates)
        work += used
    return np.concatenate(logs), work


def _some(plan: _Plan, groups: int, size: int, rng: np.random.Generator) -> tuple[Floats, float]:
    """Return the estimates of some groups of walkers, and the work."""
    points, count = plan.points, groups * size
    d = points.shape[1]
    walkers = Walkers(np.empty(0), rng.exponential(size=(count, d)), np.tile(plan.start, (count, 1)), np.empty(0))
    active, logs, work = np.sort(plan.start), np.zeros(groups), 0.0
    moves = min(MOST_MOVES, math.ceil(MOVES / max(len(plan.added), 1)))
    for new, hidden in zip(plan.added, plan.hidden, strict=True):
        walkers.refresh(points)
        quotients, crossed = move(walkers, np.full(count, new), points, active, True, rng)
        active = np.sort(np.append(active[active != hidden], new))
        shares = quotients.reshape(groups, size)
        logs += np.log(shares.mean(axis=1))
        walkers = walkers.take(_drawn(shares, rng))
        for step in range(moves):
            if step % FRESH == 0:
                walkers.refresh(points)
            crossed += move(walkers, rng.choice(active, count), points, active, False, rng)[1]
        work += float(crossed) * (d * (d + active.size) + OVERHEAD)
    return logs, work


def _drawn(shares: Floats, rng: np.random.Generator) -> Integers:
    """Return which walkers live on, group by group: systematic resampling by shares (groups, size)."""
    groups, size = shares.shape
    if np.ptp(shares, axis=1).max() <= EXACT * shares.max():
        return np.arange(groups * size)
    edges = np.cumsum(shares, axis=1) / shares.sum(axis=1, keepdims=True)
    marks = (np.arange(size) + rng.random((groups, 1))) / size
    place = (marks[:, :, None] > edges[:, None, :-1]).sum(axis=2)
    return np.asarray((place + size * np.arange(groups)[:, None]).ravel())


# ---- Walkers, all of which move at once ----------------------------------------------------------


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
    latter; ``tailed`` (W,): whether the ray towards the new point, which replaces what lies behind, is counted.
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

    ``along`` (W,) are the points that give the directions: active ones, or with ``adding`` the one that the body gets,
    from which places are then drawn. ``active`` are the rows of the points that the body has, rising. Returns the mass
    of the line after over that before, (W,), whose mean is the quotient of the volumes, and the cones crossed.
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
