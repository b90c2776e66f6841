"""Which source of noise the variance of a number comes from, in shares that add up to 1.

Sources act together: what goes when one of them is known exactly hangs on which others are known already. A source's
part is therefore the mean, over all orders in which the sources can become known, of what goes when its turn comes
(the Shapley value; for variances Owen, Sobol' indices and Shapley value, SIAM/ASA J. Uncertainty Quantification 2
(2014) 245-251). The parts add up to the whole in every order, so they do in the mean.
"""

from __future__ import annotations

from functools import cache
from math import factorial

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def shapley(values: npt.ArrayLike) -> Floats:
    """Return the parts (..., p) of the p members, which add up to ``values[..., -1] - values[..., 0]``.

    Args:
        values: what each set of members is worth, (..., 2^p); bit i of a set's place says whether member i is in it.
    """
    worth = np.asarray(values, dtype=np.float64)
    return np.asarray(worth @ _weights(worth.shape[-1].bit_length() - 1))


@cache
def _weights(p: int) -> Floats:
    """Return what turns worths into parts, (2^p, p): s others come before a member in s! (p - s - 1)! orders."""
    found = np.zeros((2**p, p))
    for others in range(2**p):
        size = others.bit_count()
        for i in range(p):
            if not others >> i & 1:
                weight = factorial(size) * factorial(p - size - 1) / factorial(p)
                found[others, i] -= weight
                found[others | 1 << i, i] += weight
    return found


def of_variance(drawn: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return each source's share of a variance, (p,), and its standard error over the replicates (jackknife), (p,).

    The errors say how well so many replicates tell the shares, not how well the noise itself is known. A share can lie
    below 0 where a number varies more once a source is known. NaN where nothing varies.

    Args:
        drawn: replicates of a number, (2^p, R), R at least 3; of several numbers, (2^p, R, A), whose variances are
            added. Bit i of the first place says whether source i is drawn or held; draws are the same in all places.
    """
    values = np.asarray(drawn, dtype=np.float64)
    values = values.reshape(*values.shape[:2], -1)
    count = values.shape[1]
    values = values - values.mean(axis=1, keepdims=True)
    square, first = (values**2).sum(axis=1, keepdims=True), count - 1
    whole = shapley(values.var(axis=1, ddof=1).sum(axis=-1))
    left = ((square - values**2) - values**2 / first) / (first - 1)
    each = shapley(left.sum(axis=-1).T)
    if not whole.sum() > 0:
        return np.full(whole.shape, np.nan), np.full(whole.shape, np.nan)
    told = each / each.sum(axis=1, keepdims=True)
    spread = ((told - told.mean(axis=0)) ** 2).sum(axis=0) * first / count
    return whole / whole.sum(), np.sqrt(spread)
