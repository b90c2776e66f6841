"""How often to repeat what: the least cost of a variance that several sources add to.

A source with n repetitions adds v / n to the variance, and one more repetition costs c. The cheapest numbers that bring
the sum Σ v / n down to a target are n = λ √(v / c), with one λ for all sources (Cochran 1977, Sampling Techniques, 5.5:
Neyman's allocation under costs). Numbers only grow here: n = max(now, λ √(v / c)), so the larger λ is, the more sources
grow, and every λ is the cheapest way to the variance that it gives.

Which source of noise the variance of a number comes from, in shares that add up to 1.

Sources act together: what goes when one of them is known exactly hangs on which others are known already. A source's
part is therefore the mean, over all orders in which the sources can become known, of what goes when its turn comes
(the Shapley value; for variances Owen, Sobol' indices and Shapley value, SIAM/ASA J. Uncertainty Quantification 2
(2014) 245-251). The parts add up to the whole in every order, so they do in the mean.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import factorial

import numpy as np
import numpy.typing as npt

from aiq.records.estimate import Floats

# ---- Which source of noise the variance of a number comes from, in shares that add up to 1 -------


def shapley(values: npt.ArrayLike) -> Floats:
    """Return the parts (..., p) of the p members, which add up to ``values[..., -1] - values[..., 0]``.

    ``values`` (..., 2^p) is what each set is worth; bit i of a set's place says whether member i is in it.
    """
    worth = np.asarray(values, dtype=np.float64)
    return np.asarray(worth @ _weights(worth.shape[-1].bit_length() - 1))


@cache
def _weights(p: int) -> Floats:
    """Return what turns worths into parts, (2^p, p): s others come before a member in s! (p - s - 1)! orders."""
    weights = np.zeros((2**p, p))
    for others in range(2**p):
        size = others.bit_count()
        for i in range(p):
            if not others >> i & 1:
                weight = factorial(size) * factorial(p - size - 1) / factorial(p)
                weights[others, i] -= weight
                weights[others | 1 << i, i] += weight
    return weights


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
    shares = each / each.sum(axis=1, keepdims=True)
    spread = ((shares - shares.mean(axis=0)) ** 2).sum(axis=0) * first / count
    return whole / whole.sum(), np.sqrt(spread)


# ---- How often to repeat what --------------------------------------------------------------------


class Allocation:
    """What growing the numbers of some sources buys and costs.

    Args:
        parts: what each source adds to the variance now, shape (S,), 0 or more.
        now: its repetitions, shape (S,), above 0.
        prices: the cost of one more, shape (S,), above 0.

    Attributes:
        begins: the level from which on each source grows, shape (S,); infinite where it adds nothing.

    Raises:
        ValueError: shapes differ, or a number is outside its range.
    """

    def __init__(self, parts: npt.ArrayLike, now: npt.ArrayLike, prices: npt.ArrayLike) -> None:
        self.parts, self.now, self.prices = (np.array(each, dtype=np.float64) for each in (parts, now, prices))
        self._slope = np.sqrt(self.parts * self.now / self.prices)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.begins = np.where(self._slope > 0, self.now / self._slope, np.inf)
        self._order = np.argsort(self.begins, kind="stable")
        self._begin = self.begins[self._order]

    def numbers(self, level: float) -> Floats:
        """Return the repetitions at a level λ, shape (S,)."""
        return np.maximum(self.now, level * self._slope)

    def variance(self, numbers: npt.ArrayLike) -> float:
        """Return the variance that the sources leave with some repetitions."""
        return float((self.parts * self.now / np.asarray(numbers, dtype=np.float64)).sum())

    def cost(self, numbers: npt.ArrayLike) -> float:
        """Return what growing to some repetitions costs."""
        return float(self.prices @ (np.asarray(numbers, dtype=np.float64) - self.now))

    def for_variance(self, target: float) -> float:
        """Return the smallest level whose variance is at most a target; infinite where no number of them is enough."""
        if self.parts.sum() <= target:
            return 0.0
        if target <= 0:
            return float("inf")

        def level(first: npt.NDArray[np.intp], rest: npt.NDArray[np.intp]) -> float:
            left = target - self.parts[rest].sum()
            grown = np.sqrt(self.parts[first] * self.now[first] * self.prices[first]).sum()
            return float(grown / left) if left > 0 else float("inf")

        return self._first(level)

    def for_cost(self, budget: float) -> float:
        """Return the largest level whose cost is at most a budget, 0 or more; infinite where nothing grows."""

        def level(first: npt.NDArray[np.intp], rest: npt.NDArray[np.intp]) -> float:
            slope = (self.prices[first] * self._slope[first]).sum()
            return float((budget + self.prices[first] @ self.now[first]) / slope)

        return self._first(level) if (self.parts > 0).any() else float("inf")

    def _first(self, level: Callable[[npt.NDArray[np.intp], npt.NDArray[np.intp]], float]) -> float:
        """Return the level that lies where it belongs: the sources that grow at it are those that it was made of."""
        growing = int(np.isfinite(self._begin).sum())
        for count in range(1, growing + 1):
            reached = level(self._order[:count], self._order[count:])
            if count == growing or reached <= self._begin[count]:
                return reached
        return float("inf")
