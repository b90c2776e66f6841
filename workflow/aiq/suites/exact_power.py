"""Power of McNemar's exact test: the smallest difference of answers of 0 and 1 that it finds, the items it needs."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy import optimize, special

MOST = 2000  # items up to which the power is summed; above, the normal test with a continuity correction is as near


def power_of(items: int, size: float, variance: float, alpha: float) -> float:
    """Return the probability that the two-sided exact test tells two agents apart.

    Of the items D differ, binomial with the share ``variance`` + ``size``^2 (at least ``size``), and of these W speak
    for the better agent; the test rejects where 2 P(W or more of D tosses of a coin) is at most ``alpha``. ``size`` is
    the difference of the means, in (0, 1], ``variance`` that of the difference of two answers to one item.
    """
    differ = min(max(variance + size**2, size), 1.0)
    count = np.arange(items + 1)
    enough = _enough(items, alpha)
    win = min((1 + size / differ) / 2, 1.0)
    found = special.bdtrc(enough - 1, count, win)
    found += np.where(enough <= count, special.bdtr(np.maximum(count - enough, 0), count, win), 0.0)
    log = special.gammaln(items + 1) - special.gammaln(count + 1) - special.gammaln(items - count + 1)
    return float(np.exp(log + special.xlogy(count, differ) + special.xlog1py(items - count, -differ)) @ found)


@cache
def _enough(items: int, alpha: float) -> npt.NDArray[np.int64]:
    """Return the fewest of D tosses, D from 0 to ``items``, that two-sidedly reject a coin; D + 1 where none do."""
    count = np.arange(items + 1)
    start = np.ceil(count / 2 + special.ndtri(1 - alpha / 2) * np.sqrt(count) / 2).astype(np.int64)
    tried = np.clip(start + np.arange(-3, 4)[:, None], 0, count + 1)
    rejects = (special.bdtrc(tried - 1, count, 0.5) <= alpha / 2) | (tried > count)
    return np.asarray(np.where(rejects, tried, items + 2).min(axis=0))


def smallest_exact(error: float, items: int, power: float, alpha: float) -> float:
    """Return the difference, of a standard error, that McNemar's exact test finds with a power.

    Above 1 where no difference is found: at .05 six items have to differ.
    """
    variance = error**2 * items
    if items > MOST:
        return _normal(power, alpha) * error + 1 / items
    if power_of(items, 1.0, variance, alpha) < power:
        return 1 + 1 / items
    low = 1e-9
    if power_of(items, low, variance, alpha) >= power:
        return low
    return float(optimize.brentq(lambda size: power_of(items, size, variance, alpha) - power, low, 1.0, xtol=1e-9))


def needed_exact(variance: float, size: float, power: float, alpha: float) -> int:
    """Return the fewest items on which McNemar's exact test finds a difference, as ``power_of`` takes it."""
    z = _normal(power, alpha) * math.sqrt(variance)
    normal = math.ceil(((z + math.sqrt(z**2 + 4 * size)) / (2 * size)) ** 2 - 1e-6)
    if normal > MOST or power_of(MOST, size, variance, alpha) < power:
        return normal
    low, high = 0, MOST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_of(middle, size, variance, alpha) >= power else (middle, high)
    return high


def _normal(power: float, alpha: float) -> float:
    """Return the difference in standard errors that a normal test finds with this power."""
    return float(special.ndtri(1 - alpha / 2) + special.ndtri(power))
