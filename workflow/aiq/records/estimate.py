"""What records are made of: numbers with their uncertainty, read-only arrays, and the form of both in JSON."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt


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


# ---- Arrays, and the form of records in JSON -----------------------------------------------------


Floats = npt.NDArray[np.float64]


def read_only(values: npt.ArrayLike) -> Floats:
    """Return a copy of ``values`` as a double-precision array that cannot be written to."""
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


def freeze(record: Any) -> None:
    """Make the arrays of a frozen record, its fields of the type ``Floats``, read-only copies in double precision."""
    for name in _arrays(cast(Hashable, type(record))):
        values = getattr(record, name)
        if values is not None:
            object.__setattr__(record, name, read_only(values))


@cache
def _arrays(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if str(field.type).startswith("Floats"))


def plain(record: Any, *names: str) -> dict[str, Any]:
    """Return fields and properties of a record, JSON-ready; without names all of its fields.

    An estimate stands as its value, and as its interval under ``NAME_interval``; a number that is not finite is null.
    """
    mapping: dict[str, Any] = {}
    for name in names or [field.name for field in fields(record)]:
        value = getattr(record, name)
        if isinstance(value, Estimate):
            mapping |= {name: jsonable(value.value), f"{name}_interval": jsonable(value.interval)}
        else:
            mapping[name] = jsonable(value)
    return mapping


def jsonable(value: Any) -> Any:
    """Return a value as JSON has it: arrays as lists, records as mappings, what is not finite as null."""
    if isinstance(value, np.ndarray | np.generic):
        return jsonable(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [jsonable(item) for item in value]
    if hasattr(value, "as_dict"):
        return value.as_dict()
    return plain(value) if is_dataclass(value) else value
