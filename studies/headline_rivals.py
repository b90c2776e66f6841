"""The candidates for the headline: each takes a suite, exact or as measured, to a value for every agent.

``M0``, ``M1``: means over independent skills. ``A1`` to ``A3``: mean volumes of breadth k,
(E vol_k(P K(v)) / E vol_k(P K(1)))^(1/k) with P a k x n matrix of standard normals and K(v) the hull of the origin and
the points v_i c_i s_i. ``volume``: the paper's AIQ per dimension, in as many dimensions as hold .90 of the spectrum
(``share``), stand above the noise (``noise``), or in three (``given``). ``mean`` and ``geometric`` need no suite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial import ConvexHull, QhullError

from aiq.errors import InputError
from aiq.measures import quotient, skills, space, weighing
from aiq.measures.quotient import bootstrap

Floats = npt.NDArray[np.float64]

GIVEN = 3
SAMPLES = {1: 1000, 2: 100, 3: 60}
"""Projections of a mean volume, the same for all agents and suites of one size."""
RULES: dict[str, int | str] = {"volume (share)": "share", "volume (noise)": "noise", "volume (given)": GIVEN}
CHEAP = ("M0", "M1", "A1", "A2", "A3", *RULES)


@dataclass(frozen=True, eq=False)
class Given:
    """What a suite is made of: dissimilarities or signed areas (n, n), lengths (n,), errors as options of ``build``."""

    dissimilarity: Floats
    length: Floats
    errors: dict[str, Any]
    length_errors: dict[str, Any]

    @property
    def names(self) -> list[str]:
        """Names of the tests."""
        return [f"t{i:02d}" for i in range(len(self.length))]


def values(measure: str, suite: Given, performance: Floats) -> Floats:
    """Return the value of every agent, (A,), NaN where there is none.

    Args:
        measure: one of ``CHEAP``, ``mean`` or ``geometric``.
        suite: exact, or as measured.
        performance: (A, n).
    """
    if measure == "mean":
        return np.asarray(performance.mean(axis=1))
    if measure == "geometric":
        return np.asarray(np.exp(np.log(np.maximum(performance, 1e-9)).mean(axis=1)))
    if measure in ("M0", "M1"):
        weights = weighing.weigh(suite.names, suite.length, suite.dissimilarity, **suite.errors, **suite.length_errors,
                               draws=50)  # fmt: skip
        if weights.reason:
            return np.full(len(performance), np.nan)
        return skills.mean(performance, weights.shares, int(measure[1]))
    if measure.startswith("volume"):
        return _volume(suite, performance, RULES.get(measure, "all"))
    return _breadth(suite, performance, int(measure[1]))


def _space(suite: Given, dimensions: int | str) -> Any:
    """Return the space of a suite; few draws, for no interval is read."""
    draws = 200 if dimensions == "noise" else 2
    how: dict[str, Any] = {**suite.errors, "draws": draws, "merge": False, "length": "relative_excess"}
    return space.build(suite.names, np.maximum(suite.length, 0), suite.dissimilarity, dimensions=dimensions, **how)


def _volume(suite: Given, performance: Floats, dimensions: int | str) -> Floats:
    try:
        at = _space(suite, dimensions)
        scores = quotient.score(at, [f"{i:03d}" for i in range(len(performance))], performance)
    except InputError:  # fewer dimensions than were asked for, or a suite without volume in them
        return np.full(len(performance), np.nan)
    by_name = sorted(scores.agents, key=lambda agent: agent.agent)
    return np.array([agent.per_dimension.value for agent in by_name])


def volume_intervals(suite: Given, samples: Floats, dimensions: int | str, seed: int) -> Floats:
    """Return value, low and high end of the volume per dimension of agents with repetitions (A, n, R), (A, 3)."""
    how: dict[str, Any] = {**suite.errors, "draws": 200, "merge": False, "length": "relative_excess"}
    errors = suite.length_errors["length_se"]
    at = space.build(suite.names, np.maximum(suite.length, 1e-6), suite.dissimilarity, dimensions=dimensions,
                     complexity_se=errors, seed=seed, **how)  # fmt: skip
    rng = np.random.default_rng(seed)
    drawn = [bootstrap.agent_draws(list(one), 200, rng) for one in samples]
    replicates = np.stack([one for one in drawn if one is not None], axis=1)
    agents = [f"{i:03d}" for i in range(len(samples))]
    scores = quotient.score(at, agents, samples.mean(axis=2), replicates, seed=seed)
    numbers = [(one.agent, one.per_dimension) for one in scores.agents]
    return np.array(
        [(one.value, *(one.interval or (np.nan, np.nan))) for _, one in sorted(numbers, key=lambda x: x[0])]
    )


def _breadth(suite: Given, performance: Floats, k: int) -> Floats:
    points = _space(suite, "all").coordinates
    rng = np.random.default_rng(k)
    projected = points @ rng.standard_normal((SAMPLES[k], points.shape[1], k))
    whole = _sizes(projected, np.ones(len(points)))
    return np.array([(_sizes(projected, v) / whole) ** (1 / k) for v in performance])


def _sizes(projected: Floats, performance: Floats) -> float:
    """Return the mean k-dimensional volume of hulls of the origin and scaled points (S, n, k)."""
    points = projected * performance[:, None]
    if points.shape[2] == 1:
        width = np.maximum(points.max(axis=1), 0) - np.minimum(points.min(axis=1), 0)
        return float(width.mean())
    origin = np.zeros((1, points.shape[2]))
    return float(np.mean([_hull(np.vstack([one, origin])) for one in points]))


def _hull(points: Floats) -> float:
    try:
        return float(ConvexHull(points).volume)
    except (QhullError, ValueError):  # points on a line or in a plane
        return 0.0
