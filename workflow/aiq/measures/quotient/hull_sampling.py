"""Volume of a hull with too many facets to list: points are added one by one to a simplex of known volume.

d! vol(K) is the integral of exp(-g_K), g_K the gauge of K = conv(0, points). Walkers (``hull_walk``) are distributed
with this density. A point p is added: along a line parallel to p the gauge of the larger body is that of the smaller
one with its slope cut at 1, so the quotient of the two integrals along a walker's line is known without error, and
its mean over walkers is the quotient of the volumes. Walkers are then drawn again by these quotients and move on
(sequential Monte Carlo: the estimate of the volume has no bias, however few moves are made). A line's quotient is at
most the gauge of p in the body; where that is large, or infinite because p lies outside the body's cone, p moves out
from the origin in steps, so that no few walkers carry the mean. For a simplex, a cross-polytope and free sums of
simplices every line has the same quotient, and the estimate is exact to rounding.

The error is seen, not modelled: several sets of walkers know nothing of each other, and their spread is the
error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg import qr
from scipy.optimize import linprog
from scipy.special import stdtrit

from aiq.measures.quotient.hull_walk import Walkers, move
from aiq.records.estimate import Floats

Integers = npt.NDArray[np.int64]

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

    Scaled so that 1.96 of it make Student's 95 % interval. A plain standard error would be too small where few groups
    happened to find the large values.
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
