"""The record behind every public number."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its uncertainty.

    ``interval`` is None where the input holds no repetition from which to compute one; ``n`` counts
    the independent units behind the number (chunks, repetitions, episodes); ``method`` says in words
    how value and interval came about; ``seed`` is the root seed of the resampling, if any.
    """

    value: float
    interval: tuple[float, float] | None
    n: int
    method: str
    seed: int | None = None
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if self.n < 0:
            raise ValueError(f"an estimate cannot rest on {self.n} units")
        if not 0 < self.confidence < 1:
            raise ValueError(f"confidence {self.confidence} is outside (0, 1)")
        if self.interval is not None:
            low, high = self.interval
            if math.isnan(low) or math.isnan(high) or low > high:
                raise ValueError(f"interval {self.interval} is not ordered")

    def cells(self) -> tuple[float | None, float | None, float | None]:
        """Return value, low and high end as cells of a table; empty where there is no number or no interval."""
        return self.value if math.isfinite(self.value) else None, *(self.interval or (None, None))

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping of all fields; a value that is not finite is null (JSON has no NaN)."""
        interval = None if self.interval is None else list(self.interval)
        return asdict(self) | {"value": self.cells()[0], "interval": interval}


def cells(*estimates: Estimate | None) -> list[float | None]:
    """Return the cells of estimates, three each; all empty where there is none."""
    return [cell for estimate in estimates for cell in ((None,) * 3 if estimate is None else estimate.cells())]


@dataclass(frozen=True, slots=True)
class StandardError:
    """A standard error and the degrees of freedom behind it (infinite where it is known, not estimated)."""

    se: float
    df: float

    def __post_init__(self) -> None:
        if not self.se >= 0 or not math.isfinite(self.se):
            raise ValueError(f"a standard error cannot be {self.se}")
        if not self.df > 0:
            raise ValueError(f"a standard error cannot have {self.df} degrees of freedom")
