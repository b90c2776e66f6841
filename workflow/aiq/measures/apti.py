"""APTI: an agent's performance relative to a baseline's (3.4.2 of the 2025 paper).

Asymptotic Performance Task Improvement: P / (P + P_baseline), both near the end of training, in [0, 1]. 1/2 says
that the agent does as well as the baseline, 0 that it fails where the baseline does not, 1 the opposite. Where both
performances are 0 the quotient is undefined; equal performances count 1/2 here whatever their size, so 0/0 does too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.records.comparison import Apti
from aiq.records.estimate import Estimate, Floats
from aiq.seeding import generator
from aiq.stats import percentile_interval


def ratio(performance: npt.ArrayLike, baseline: npt.ArrayLike) -> Floats:
    """Return P / (P + P_baseline) element by element, 1/2 where both are 0.

    Raises:
        InputError: a performance outside [0, 1].
    """
    own, other = np.broadcast_arrays(np.asarray(performance, np.float64), np.asarray(baseline, np.float64))
    for what, values in (("performance", own), ("performance of the baseline", other)):
        wrong = values[~((values >= 0) & (values <= 1))]
        if wrong.size:
            raise InputError(f"the {what} is {wrong.flat[0]}; it must lie within [0, 1]")
    total = own + other
    return np.asarray(np.divide(own, total, out=np.full(own.shape, 0.5), where=total > 0))


def measure(
    performances: Sequence[npt.ArrayLike],
    baselines: Sequence[npt.ArrayLike],
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> Apti:
    """Measure an agent's APTI on every domain, and its mean over the domains, from repetitions on each, (R,) in [0, 1].

    The quotient is that of the means over repetitions. The agent's and the baseline's repetitions on each domain are
    resampled independently, for intervals of 95 %; a side with one repetition stays as it is.

    Raises:
        InputError: no domain, another number of baselines, no repetition, a performance outside [0, 1].
    """
    own, other = ([np.asarray(values, dtype=np.float64) for values in side] for side in (performances, baselines))
    values = np.array([float(ratio(a.mean(), b.mean())) for a, b in zip(own, other, strict=True)])
    replicates = np.empty((resamples, len(own)))
    for k, (a, b) in enumerate(zip(own, other, strict=True)):
        rng = generator(seed, "apti", k)
        replicates[:, k] = ratio(_means(a, resamples, rng), _means(b, resamples, rng))
    method = "ratio of mean performances; percentile bootstrap over the repetitions of agent and baseline"

    def estimate(value: float, series: Floats, n: int, repeated: bool) -> Estimate:
        interval = percentile_interval(series) if repeated else None
        return Estimate(value, interval, n, method, seed)

    repeated = [a.size > 1 or b.size > 1 for a, b in zip(own, other, strict=True)]
    domains = tuple(
        estimate(float(values[k]), replicates[:, k], own[k].size + other[k].size, repeated[k]) for k in range(len(own))
    )
    mean = estimate(float(values.mean()), replicates.mean(axis=1), len(own), any(repeated))
    return Apti(domains, mean, replicates)


def _means(values: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    return np.asarray(values[rng.integers(values.size, size=(resamples, values.size))].mean(axis=1))
