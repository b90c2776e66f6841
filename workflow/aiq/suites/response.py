"""Difficulty, discrimination and ability by item response theory: the graded response model of the library mirt.

A performance in [0, 1] is made a grade by cutting each test's performances at its own quantiles over the agents, so
that no shape of their distribution is assumed. In the graded response model (Samejima 1969) the probability of grade k
or more is logistic in ability, with one slope a test, its discrimination.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError

Floats = npt.NDArray[np.float64]

GRADES = 5
PER_GRADE = 6  # agents a grade, at least: fewer agents have fewer grades
FEWEST = 10  # agents below which no model is fitted
LOWER, UPPER = 0.1, 5.0  # between which mirt keeps the slope of the graded response model
_NEAR = 1e-3
_GRID = np.linspace(-4.0, 4.0, 161)


@dataclass(frozen=True, slots=True)
class Responses:
    """A fitted model: difficulty, location and discrimination by test (NaN: none), ability by agent."""

    difficulty: Floats
    location: Floats
    discrimination: Floats
    ability: Floats


def grades(performance: Floats, count: int) -> npt.NDArray[np.int64]:
    """Return each test's performances as grades 0, 1, ... by its quantiles, (agents, tests)."""
    cuts = np.quantile(performance, np.arange(1, count) / count, axis=0)
    found = np.stack(
        [
            np.unique(np.searchsorted(cut, column, side="right"), return_inverse=True)[1]
            for cut, column in zip(cuts.T, performance.T, strict=True)
        ],
        axis=1,
    )
    return np.asarray(found, dtype=np.int64)


def fit(performance: Floats, at: float = 0.5) -> Responses:
    """Return the graded response model of complete performances.

    Args:
        performance: in [0, 1], shape (A, T), A at least ``FEWEST``.
        at: performance whose location is asked for.

    Raises:
        InputError: the library is missing.
    """
    agents, tests = performance.shape
    graded = grades(performance, int(np.clip(agents // PER_GRADE, 2, GRADES)))
    moving = graded.max(axis=0) > 0
    difficulty = 1 - performance.mean(axis=0)
    location, discrimination = np.full(tests, np.nan), np.full(tests, np.nan)
    if moving.sum() < 2:
        return Responses(difficulty, location, discrimination, np.full(agents, np.nan))
    mirt = _mirt()
    counts = (graded[:, moving].max(axis=0) + 1).tolist()
    fitted = mirt.fit_mirt(
        graded[:, moving], "GRM", n_categories=counts, compute_standard_errors=False, max_iter=300, tol=1e-3
    )
    ability = np.asarray(mirt.fscores(fitted, graded[:, moving]).theta, dtype=np.float64).ravel()
    for place, test in enumerate(np.flatnonzero(moving)):
        chance = np.asarray(fitted.model.probability(_GRID[:, None], place), dtype=np.float64)[:, : counts[place]]
        means = [performance[graded[:, test] == k, test].mean() for k in range(counts[place])]
        expected = chance @ np.array(means) / chance.sum(axis=1)
        difficulty[test] = 1 - np.interp(0.0, _GRID, expected)
        discrimination[test] = float(np.ravel(fitted.model.discrimination)[place])
        if expected[0] < at < expected[-1]:
            location[test] = float(np.interp(at, expected, _GRID))
    return Responses(difficulty, location, discrimination, ability)


def bound(discrimination: float) -> str | None:
    """Say at which end of what the library allows a discrimination stands, None inside."""
    if discrimination <= LOWER + _NEAR:
        return "lower"
    return "upper" if discrimination >= UPPER - _NEAR else None


def resampled(performance: Floats, resamples: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return difficulties and discriminations over agents drawn with replacement, both (resamples, tests)."""
    difficulty, discrimination = np.empty((2, resamples, performance.shape[1]))
    for b in range(resamples):
        found = fit(performance[rng.integers(len(performance), size=len(performance))])
        difficulty[b], discrimination[b] = found.difficulty, found.discrimination
    return difficulty, discrimination


def _mirt() -> Any:
    """Return the library."""
    try:
        import mirt
    except ImportError as error:
        raise InputError(
            "difficulty and discrimination need the library mirt; install it with: pip install 'aiq[suites]'"
        ) from error
    return mirt
