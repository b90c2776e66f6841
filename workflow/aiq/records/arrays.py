"""What records share: arrays that cannot be written to, and the form in which they stand in JSON."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from aiq.records.estimate import Estimate

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
