"""Volumes of agents and suite under the bootstrap, each replicate in its own number of dimensions.

Many small hulls are made at once. The hull of some points and the origin is the union of the cones from the origin over
its facets. d points in general position span the plane a.x = 1 with a = P^-1 1; it is a facet exactly if no other point
lies beyond it, and its cone has the volume |det P| / d!. Points scaled by performances v have the same P^-1 with 1 / v
in place of 1, so agents share the inverses. Points that lie in one plane by construction (a merged test, a performance
twice) would be counted in several triangulations at once: performances are therefore moved by some 1e-9 of themselves,
each domain by an amount of its own that is the same for all agents and replicates, so that equal profiles keep equal
ratios.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from aiq.measures.quotient import hull
from aiq.measures.quotient.hull import Budget, cost
from aiq.records.estimate import Estimate, Floats
from aiq.records.quotient import Beyond, HullVolume
from aiq.records.space import Space
from aiq.seeding import generator
from aiq.stats import moderated_means, percentile_interval

MOST_SUBSETS = 3000  # of d points: above this Qhull is faster
SMALLEST = 1e-13  # determinants below this part of their Hadamard bound span no facet
FEWEST = 20  # replicates below which no interval is given
FEWEST_AGENTS = 3  # two agents are always on one line
PRIOR_DF = 4.0
_CHUNK = 500
_MOVED = 1e-9
_FLAT = 1e-12

# ---- Parametric replicates of agents' performances, from few repetitions each --------------------


def agent_draws(
    samples: Sequence[npt.ArrayLike],
    count: int,
    rng: np.random.Generator,
    prior_df: float = PRIOR_DF,
    se: npt.ArrayLike | None = None,
) -> Floats | None:
    """Draw the mean performances of one agent, (count, n) in [0, 1]; None where nothing is known of their errors.

    Each mean is Student t about the observed one. Its variance is drawn towards the mean variance of the agent over all
    tests (``prior_df`` + R - 1 degrees of freedom); a test with one repetition has its standard error where that is
    given (``se`` (n,), not NaN; normal draws), else its variance from the others. Where a test has neither and none was
    repeated, it stays at its value in every draw, so that the errors of the others are kept. ``samples`` are the
    repetitions on each of n tests, at least one each.
    """
    arrays = [np.asarray(values, dtype=np.float64) for values in samples]
    errors_given = np.full(len(arrays), np.nan) if se is None else np.asarray(se, dtype=np.float64)
    given = np.isfinite(errors_given) & (np.array([a.size for a in arrays]) == 1)
    means = np.array([a.mean() for a in arrays])
    drawn = np.empty((count, means.size))
    others = [a for a, stated in zip(arrays, given, strict=True) if not stated]
    if others:
        _, errors = moderated_means(others, prior_df=prior_df)
        measured = [error for error in errors if error is not None]
        if len(measured) < len(errors) and not given.any():
            return None
        drawn[:, ~given] = means[~given]
        if len(measured) == len(errors):
            drawn[:, ~given] += np.column_stack([error.se * rng.standard_t(error.df, size=count) for error in measured])
    drawn[:, given] = means[given] + errors_given[given] * rng.standard_normal((count, int(given.sum())))
    return np.asarray(np.clip(drawn, 0.0, 1.0))


# ---- Volumes of agents and suite in every replicate ----------------------------------------------


@dataclass(frozen=True, slots=True)
class Replicates:
    """What B bootstrap steps say of A agents.

    ``log_volumes`` (B, A) and ``log_suite`` (B,), natural logarithms, in the estimate's number of dimensions;
    ``per_dimension`` (B, A) and ``solid`` (B,) in the number that each replicate keeps, NaN and False where the suite
    has no volume there;
    ``performance`` (B, A, n); ``given``: how many steps were offered.
    """

    log_volumes: Floats
    log_suite: Floats
    per_dimension: Floats
    performance: Floats
    given: int

    @property
    def used(self) -> int:
        """Number of steps."""
        return int(self.log_volumes.shape[0])

    @property
    def flat(self) -> npt.NDArray[np.bool_]:
        """Steps in which the suite has no volume in the estimate's number of dimensions, (B,)."""
        return np.asarray(np.isneginf(self.log_suite))

    @property
    def solid(self) -> npt.NDArray[np.bool_]:
        """Steps in which the suite has volume in their own number of dimensions, (B,)."""
        return np.asarray(np.isfinite(self.per_dimension).all(axis=1))


def bootstrap(space: Space, table: Floats, resampled: Floats | None, budget: Budget, seed: int) -> Replicates | None:
    """Return volumes of all agents and of the suite in as many replicates as the budget allows.

    ``table`` (A, n) are performances, ``resampled`` (B, A, n) replicates of them.
    """
    boot = space.bootstrap if space.bootstrap is not None and len(space.bootstrap.coordinates) else None
    sizes = [len(part) for part in (None if boot is None else boot.coordinates, resampled) if part is not None]
    if not sizes:
        return None
    given, (n, d) = max(sizes), space.coordinates.shape
    used = min(given, budget.total // ((table.shape[0] + (boot is not None)) * cost(n, d, budget)))
    row = _pairing(0 if boot is None else len(boot.coordinates), used, given, seed, "space")
    performance = np.broadcast_to(table, (used, *table.shape))
    if resampled is not None:
        performance = resampled[_pairing(len(resampled), used, given, seed, "agents")]
    with_suite = np.concatenate([performance, np.ones((used, 1, n))], axis=1)
    turned: Mapping[int, Floats] = {d: space.coordinates[None]}
    if boot is not None:
        turned = {d: boot.coordinates, **boot.by_dimension}
    numbers = np.full(used, d) if boot is None or boot.numbers is None else boot.numbers[row].astype(np.int64)
    by_dimension = {}
    for k in sorted({d, *(int(k) for k in np.unique(numbers))} & set(turned)):
        steps = np.arange(used) if k == d else np.flatnonzero(numbers == k)
        where = turned[k][row[steps]] if boot is not None else np.broadcast_to(turned[k], (used, n, k))
        by_dimension[k] = (steps, _volumes(where, with_suite[steps], budget, seed, k))
    per_dimension = np.full(performance.shape[:2], np.nan)
    for k, (steps, volumes) in by_dimension.items():
        own = numbers[steps] == k
        per_dimension[steps[own]] = relative(volumes[own]) ** (1 / k)
    volumes = by_dimension[d][1]
    return Replicates(volumes[:, :-1], volumes[:, -1], per_dimension, performance, given)


def relative(logs: Floats) -> Floats:
    """Return agents' volumes over the suite's, from logarithms of which the suite's is the last: (B, A + 1) → (B, A).

    NaN without a volume of the suite.
    """
    suite = logs[:, -1:]
    ratio = np.subtract(logs[:, :-1], suite, out=np.full_like(logs[:, :-1], np.nan), where=~np.isneginf(suite))
    return np.asarray(np.exp(np.minimum(ratio, 0.0)))


def _volumes(points: Floats, performance: Floats, budget: Budget, seed: int, key: int) -> Floats:
    """Return log volumes (B, A) of scaled points (B, n, d), stacked where hulls are small."""
    n, d = points.shape[1:]
    if fits(n, d):
        return log_volumes(points, performance)
    out = np.empty(performance.shape[:2])
    for b, (where, rows) in enumerate(zip(points, performance, strict=True)):
        for a, row in enumerate(rows):
            rng = generator(seed, "quotient", "replicate", key, b)
            out[b, a] = hull.volume(where * row[:, None], budget.of_replicates(), rng).log_volume
    return out


def _pairing(size: int, used: int, given: int, seed: int, word: str) -> npt.NDArray[np.int64]:
    """Return which replicate of a source serves each bootstrap step: its own, or drawn where it has fewer."""
    if size in (0, given):
        return np.arange(used)
    return generator(seed, "quotient", "pairing", word).integers(size, size=used)


def fits(points: int, dimension: int) -> bool:
    """Whether hulls of so many points are few enough subsets to be listed."""
    return math.comb(points, dimension) <= MOST_SUBSETS


def log_volumes(points: Floats, performance: Floats) -> Floats:
    """Return natural logarithms of the volumes of conv({0} and v_i p_i), (B, A); -inf where there is none.

    ``points`` (B, n, d) are the locations of n tests, ``performance`` (B, A, n) v in [0, 1].
    """
    size, n, d = points.shape
    scale = performance * (1 + _MOVED * np.modf((np.arange(n) + 1) * (math.sqrt(5) - 1) / 2)[0])
    out = np.full((size, performance.shape[1]), -np.inf)
    for start in range(0, size, _CHUNK):
        part = slice(start, start + _CHUNK)
        out[part] = _part(points[part], scale[part])
    return out - math.lgamma(d + 1)


def _part(points: Floats, scale: Floats) -> Floats:
    """Return logarithms of d! times the volumes for some of the replicates."""
    n, d = points.shape[1:]
    total = np.full(scale.shape[:2], -np.inf)
    inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    length = np.linalg.norm(points, axis=2)
    with np.errstate(divide="ignore"):
        long, part = np.log(length), np.log(scale)
    for chosen in combinations(range(n), d):
        rows = list(chosen)
        corner = points[:, rows]
        size = np.linalg.slogdet(corner)[1]
        solid = size > math.log(SMALLEST) + long[:, rows].sum(axis=1)
        present = solid[:, None] & (scale[:, :, rows] > 0).all(axis=2)
        if not present.any():
            continue
        plane = points @ np.linalg.inv(np.where(solid[:, None, None], corner, np.eye(d)))
        height = np.einsum("bnd,bad->ban", plane, inverse[:, :, rows]) * scale
        height[:, :, rows] = 0.0
        facet = present & (height.max(axis=2) <= 1.0)
        total = np.logaddexp(total, np.where(facet, size[:, None] + part[:, :, rows].sum(axis=2), -np.inf))
    return total


# ---- What AIQ adds to plain performances ----------------------------------------------------------


def is_simplex(suite: HullVolume, agents: list[HullVolume]) -> bool:
    """Whether suite and agents have the same d vertices: relative AIQ is then a product of performances."""
    corners = set(suite.vertices)
    own = [set(hull.vertices) for hull in agents if hull.rank == hull.dimension]
    return len(corners) == suite.dimension == suite.rank and all(vertices == corners for vertices in own)


def geometric_means(performance: Floats) -> Floats:
    """Return geometric means over the last axis; 0 where a performance is 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.exp(np.log(performance).mean(axis=-1)))


def beyond(
    per_dimension: Floats, table: Floats, boot: Replicates | None, order: Sequence[int], confidence: float, seed: int
) -> Beyond | None:
    """Return how much of the agents' differences the geometric mean leaves unexplained; None for fewer than 3 agents.

    AIQ per dimension (A,) and performances (A, n) are of the agents as listed; ``order`` is where replicates have them.
    """
    count = per_dimension.size
    if count < FEWEST_AGENTS:
        return None
    rank, residual = _compare(per_dimension[None], geometric_means(table)[None])
    ranks = residuals = None
    if boot is not None and boot.used >= FEWEST:
        values, performance = boot.per_dimension[boot.solid][:, order], boot.performance[boot.solid][:, order]
        ranks, residuals = _compare(values, geometric_means(performance))

    def estimate(value: float, series: Floats | None, how: str) -> Estimate:
        interval = None if series is None else percentile_interval(series, confidence)
        return Estimate(value, interval, count, how, seed, confidence)

    return Beyond(
        estimate(float(rank[0]), ranks, "rank correlation of AIQ per dimension and geometric mean over the agents"),
        estimate(float(residual[0]), residuals, "1 - squared correlation of AIQ per dimension and geometric mean"),
    )


def _compare(values: Floats, other: Floats) -> tuple[Floats, Floats]:
    """Return rank correlations and residual shares of rows (B, A); rows without differences correlate by 1."""
    return _correlation(_ranks(values), _ranks(other)), 1 - _correlation(values, other) ** 2


def _ranks(values: Floats) -> Floats:
    """Return midranks within each row; differences of 1e-9 are ties."""
    rounded = np.round(values, 9)
    above = (rounded[:, :, None] > rounded[:, None, :]).sum(axis=2)
    equal = (rounded[:, :, None] == rounded[:, None, :]).sum(axis=2)
    return np.asarray(above + (equal - 1) / 2, dtype=np.float64)


def _correlation(first: Floats, second: Floats) -> Floats:
    """Return Pearson's correlation of rows (B, A); 1 where one of them does not vary."""
    x, y = (part - part.mean(axis=1, keepdims=True) for part in (first, second))
    size = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    flat = size <= _FLAT
    return np.clip(np.where(flat, 1.0, (x * y).sum(axis=1) / np.where(flat, 1.0, size)), -1.0, 1.0)
