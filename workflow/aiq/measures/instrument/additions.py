"""Which kind of test to add: where a new point would add most volume, in words of the tests that exist.

A new test as complex as the most complex one is put in directions that can be told by name: that of a test, halfway
between two, or like one but with nothing in common with another. No dimension is added: a test unlike all others adds
one, and volumes of different dimensions do not compare.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog

from aiq.measures.instrument.subsets import volumes
from aiq.measures.quotient.hull_budget import Budget

Floats = npt.NDArray[np.float64]

KINDS = ("as", "between", "away")
_TINY = 1e-6


@dataclass(frozen=True, slots=True)
class Candidate:
    """A kind of test: ``as`` test a but as complex as can be, ``between`` a and b, or as a but ``away`` from b."""

    kind: str
    a: int
    b: int | None = None

    def directions(self, points: Floats) -> Floats:
        """Return unit directions (B, d) among the tests' places (B, n, d); zeros where there is none."""
        first = _unit(points[:, self.a])
        if self.b is None:
            return first
        second = _unit(points[:, self.b])
        if self.kind == "between":
            found = np.where((first != 0).any(1)[:, None] & (second != 0).any(1)[:, None], first + second, 0.0)
            return _unit(found)
        shared = (first * second).sum(axis=1, keepdims=True)
        return _unit(np.where((second != 0).any(1)[:, None], first - shared * second, 0.0))


def candidates(points: Floats) -> tuple[Candidate, ...]:
    """Return the kinds of tests that are possible among places (n, d).

    A kind is left out where its direction does not exist, or where it would have to be less like some test than the
    least alike two tests of the suite are in these dimensions (and at least a right angle).
    """
    n = len(points)
    every = [
        *(Candidate("as", a) for a in range(n)),
        *(Candidate("between", a, b) for a, b in combinations(range(n), 2)),
        *(Candidate("away", a, b) for a, b in permutations(range(n), 2)),
    ]
    units = _unit(points)
    least = min(0.0, float((units @ units.T).min()))
    found = []
    for one in every:
        direction = one.directions(points[None])[0]
        if np.linalg.norm(direction) > 0.5 and float((units @ direction).min()) >= least - _TINY:
            found.append(one)
    return tuple(found)


def enlarging(points: Floats, directions: Floats, complexity: float = 1.0, budget: Budget | None = None) -> Floats:
    """Return by which share of itself the suite's volume grows with a new test, (B,), at least 0.

    Args:
        points: places of n tests, (B, n, d).
        directions: of the new test, (B, d).
        complexity: of the new test, as a part of the largest of the suite.
        budget: guards of hulls that are too large to be listed.

    Returns:
        V(with it) / V - 1; NaN where the suite has no volume or the direction does not exist.
    """
    size, n, _ = points.shape
    longer = np.concatenate([points, complexity * directions[:, None]], axis=1)
    masks = np.ones((2, n + 1))
    masks[1, n] = 0
    found = volumes(longer, np.broadcast_to(masks, (size, 2, n + 1)), budget)
    there = (found[:, 1] > 0) & (directions != 0).any(axis=1)
    grown = np.divide(found[:, 0], found[:, 1], out=np.full(size, np.nan), where=there) - 1
    return np.asarray(np.where(np.abs(grown) < 1e-7, 0.0, np.maximum(grown, 0.0)))


def reach(points: Floats, direction: Floats) -> float:
    """Return how complex a test in a direction must be to lie outside the hull of the tests (n, d) and the origin."""
    n, d = points.shape
    cost = np.zeros(n + 1)
    cost[-1] = -1.0
    equal = np.column_stack([points.T, -direction])
    limit = np.concatenate([np.ones(n), [0.0]])[None]
    found = linprog(cost, A_ub=limit, b_ub=[1.0], A_eq=equal, b_eq=np.zeros(d), bounds=(0, None), method="highs")
    return max(float(-found.fun), 0.0) + 0.0 if found.status == 0 else 0.0


def likeness(points: Floats, direction: Floats) -> Floats:
    """Return the cosines (n,) of a direction with the tests' places (n, d); 0 for a test without a direction."""
    return np.asarray(_unit(points) @ direction)


def free(points: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Return random directions (m, d) that a new test could have, m up to ``count``; see ``candidates``."""
    units = _unit(points)
    least = min(0.0, float((units @ units.T).min()))
    found = _unit(rng.standard_normal((count, points.shape[1])))
    return np.asarray(found[(found @ units.T).min(axis=1) >= least - _TINY])


def _unit(vectors: Floats) -> Floats:
    """Return vectors of length 1, zeros where there is none."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(np.divide(vectors, length, out=np.zeros_like(vectors), where=length > _TINY))
