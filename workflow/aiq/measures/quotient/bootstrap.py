"""Volumes of agents and suite under the bootstrap, each replicate in its own number of dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aiq.measures.quotient import hull, hull_stack
from aiq.measures.quotient.hull_budget import Budget, cost
from aiq.records.space import Space
from aiq.seeding import generator
from aiq.stats import moderated_means

# ---- Parametric replicates of agents' performances, from few repetitions each --------------------


Floats = npt.NDArray[np.float64]

PRIOR_DF = 4.0


def agent_draws(
    samples: Sequence[npt.ArrayLike],
    count: int,
    rng: np.random.Generator,
    prior_df: float = PRIOR_DF,
    se: npt.ArrayLike | None = None,
) -> Floats | None:
    """Draw the mean performances of one agent, (count, n) in [0, 1]; None where nothing is known of their errors.

    Each mean is Student t about the observed one. Its variance is drawn towards the mean variance of the agent over
    all tests (``prior_df`` + R - 1 degrees of freedom); a test with one repetition has its standard error where that is
    given (normal draws), else its variance from the others. Where a test has neither and none was repeated, it stays at
    its value in every draw, so that the errors of the others are kept.

    Args:
        samples: the repetitions on each of n tests, at least one each.
        count: number of replicates.
        rng: source of randomness.
        prior_df: weight of the agent's mean variance, as degrees of freedom.
        se: standard errors of the means, (n,), NaN where none is known; read for tests with one repetition.
    """
    arrays = [np.asarray(values, dtype=np.float64) for values in samples]
    errors_given = np.full(len(arrays), np.nan) if se is None else np.asarray(se, dtype=np.float64)
    given = np.isfinite(errors_given) & (np.array([a.size for a in arrays]) == 1)
    means = np.array([a.mean() for a in arrays])
    drawn = np.empty((count, means.size))
    others = [a for a, known in zip(arrays, given, strict=True) if not known]
    if others:
        _, errors = moderated_means(others, prior_df=prior_df)
        known = [error for error in errors if error is not None]
        if len(known) < len(errors) and not given.any():
            return None
        drawn[:, ~given] = means[~given]
        if len(known) == len(errors):
            drawn[:, ~given] += np.column_stack([error.se * rng.standard_t(error.df, size=count) for error in known])
    drawn[:, given] = means[given] + errors_given[given] * rng.standard_normal((count, int(given.sum())))
    return np.asarray(np.clip(drawn, 0.0, 1.0))


# ---- Volumes of agents and suite in every replicate ----------------------------------------------


FEWEST = 20  # replicates below which no interval is given


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

    Args:
        space: the space, with or without replicates.
        table: performances, (A, n).
        resampled: replicates of them, (B, A, n), or None.
        budget: guards of the hulls.
        seed: root seed of pairing and approximation.
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
    found = {}
    for k in sorted({d, *(int(k) for k in np.unique(numbers))} & set(turned)):
        steps = np.arange(used) if k == d else np.flatnonzero(numbers == k)
        where = turned[k][row[steps]] if boot is not None else np.broadcast_to(turned[k], (used, n, k))
        found[k] = (steps, _volumes(where, with_suite[steps], budget, seed, k))
    per_dimension = np.full(performance.shape[:2], np.nan)
    for k, (steps, volumes) in found.items():
        own = numbers[steps] == k
        per_dimension[steps[own]] = relative(volumes[own]) ** (1 / k)
    volumes = found[d][1]
    return Replicates(volumes[:, :-1], volumes[:, -1], per_dimension, performance, given)


def relative(logs: Floats) -> Floats:
    """Return agents' volumes over the suite's, which is the last column: (B, A + 1) → (B, A); NaN without suite.

    Args:
        logs: natural logarithms of volumes.
    """
    suite = logs[:, -1:]
    ratio = np.subtract(logs[:, :-1], suite, out=np.full_like(logs[:, :-1], np.nan), where=~np.isneginf(suite))
    return np.asarray(np.exp(np.minimum(ratio, 0.0)))


def _volumes(points: Floats, performance: Floats, budget: Budget, seed: int, key: int) -> Floats:
    """Return log volumes (B, A) of scaled points (B, n, d), stacked where hulls are small."""
    n, d = points.shape[1:]
    if hull_stack.fits(n, d):
        return hull_stack.log_volumes(points, performance)
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
