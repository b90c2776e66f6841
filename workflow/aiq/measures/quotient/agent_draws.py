"""Parametric replicates of agents' performances, from few repetitions each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from aiq.stats import moderated_means

Floats = npt.NDArray[np.float64]

PRIOR_DF = 4.0


def draws(
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
