"""How often to repeat what: the least cost of a variance that several sources add to.

A source with n repetitions adds v / n to the variance, and one more repetition costs c. The cheapest numbers that bring
the sum Σ v / n down to a target are n = λ √(v / c), with one λ for all sources (Cochran 1977, Sampling Techniques, 5.5:
Neyman's allocation under costs). Numbers only grow here: n = max(now, λ √(v / c)), so the larger λ is, the more sources
grow, and every λ is the cheapest way to the variance that it gives.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


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
        if not self.parts.shape == self.now.shape == self.prices.shape or self.parts.ndim != 1:
            raise ValueError(f"shapes {self.parts.shape}, {self.now.shape} and {self.prices.shape} differ")
        if not ((self.parts >= 0).all() and (self.now > 0).all() and (self.prices > 0).all()):
            raise ValueError("parts must be 0 or more, numbers and prices above 0")
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
            found = level(self._order[:count], self._order[count:])
            if count == growing or found <= self._begin[count]:
                return found
        return float("inf")
