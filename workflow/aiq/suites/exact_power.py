"""Power of McNemar's exact test: the smallest difference of answers of 0 and 1 that it finds, the items it needs."""

from __future__ import annotations

import math

import numpy as np
from scipy import optimize, special, stats

MOST = 2000  # items up to which the power is summed; above, the normal test with a continuity correction is as near


def power_of(items: int, size: float, variance: float, alpha: float) -> float:
    """Return the probability that the two-sided exact test tells two agents apart.

    Of the items D differ, binomial with the share ``variance`` + ``size``^2 (at least ``size``), and of these W speak
    for the better agent; the test rejects where 2 P(W or more of D tosses of a coin) is at most ``alpha``.

    Args:
        items: n.
        size: the difference of the means, in (0, 1].
        variance: of the difference of two answers to one item.
        alpha: level.
    """
    differ = min(max(variance + size**2, size), 1.0)
    count = np.arange(items + 1)
    enough = stats.binom.isf(alpha / 2, count, 0.5) + 1
    win = min((1 + size / differ) / 2, 1.0)
    found = stats.binom.sf(enough - 1, count, win) + stats.binom.cdf(count - enough, count, win)
    return float(stats.binom.pmf(count, items, differ) @ found)


def smallest_exact(error: float, items: int, power: float, alpha: float) -> float:
    """Return the difference of answers of 0 and 1 that McNemar's exact test finds with probability ``power``.

    Above 1 where no difference is found: at .05 six items have to differ.

    Args:
        error: standard error of a difference.
        items: their number, n.
        power: probability of rejection.
        alpha: level of the two-sided test.
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
    """Return the fewest items on which McNemar's exact test finds a difference with probability ``power``.

    Args:
        variance: of the difference of two answers to one item.
        size: the difference of the two means, above 0.
        power: probability of rejection.
        alpha: level of the two-sided test.
    """
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
