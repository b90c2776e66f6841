"""Parametric replicates of agents' performances, from few repetitions each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from aiq.stats import moderated_means

Floats = npt.NDArray[np.float64]

PRIOR_DF = 4.0


def draws(
    samples: Sequence[npt.ArrayLike], count: int, rng: np.random.Generator, prior_df: float = PRIOR_DF
) -> Floats | None:
    """Draw the mean performances of one agent, (count, n) in [0, 1]; None where no domain was repeated.

    Each mean is Student t about the observed one. Its variance is drawn towards the mean variance of the agent over
    all domains (``prior_df`` + R - 1 degrees of freedom); a domain with one repetition takes its variance from the
    others.

    Args:
        samples: the repetitions on each of n domains, at least one each.
        count: number of replicates.
        rng: source of randomness.
        prior_df: weight of the agent's mean variance, as degrees of freedom.
    """
    means, errors = moderated_means(samples, prior_df=prior_df)
    known = [error for error in errors if error is not None]
    if len(known) < len(errors):
        return None
    noise = np.column_stack([error.se * rng.standard_t(error.df, size=count) for error in known])
    return np.asarray(np.clip(means + noise, 0.0, 1.0))


def draws_known(
    samples: Sequence[npt.ArrayLike],
    se: npt.ArrayLike,
    count: int,
    rng: np.random.Generator,
    prior_df: float = PRIOR_DF,
) -> Floats | None:
    """Draw the mean performances of one agent, (count, n) in [0, 1], with standard errors that are known.

    A test with one repetition has its standard error where that is given (normal draws); the other tests are drawn as
    by :func:`draws`. None where a test has neither and no test was repeated.

    Args:
        samples: the repetitions on each of n domains, at least one each.
        se: standard errors of the means, (n,), NaN where none is known.
        count: number of replicates.
        rng: source of randomness.
        prior_df: as in :func:`draws`.
    """
    arrays = [np.asarray(values, dtype=np.float64) for values in samples]
    known = np.isfinite(np.asarray(se, dtype=np.float64)) & (np.array([a.size for a in arrays]) == 1)
    means = np.array([a.mean() for a in arrays])
    if known.all():
        drawn = means + np.asarray(se) * rng.standard_normal((count, means.size))
        return np.asarray(np.clip(drawn, 0.0, 1.0))
    others = draws([a for a, k in zip(arrays, known, strict=True) if not k], count, rng, prior_df)
    if others is None:
        return None
    drawn = np.empty((count, means.size))
    drawn[:, ~known] = others
    drawn[:, known] = means[known] + np.asarray(se)[known] * rng.standard_normal((count, int(known.sum())))
    return np.asarray(np.clip(drawn, 0.0, 1.0))
