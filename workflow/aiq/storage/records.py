"""Dataclass records as trees and back, by their type hints."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


def pack(record: Any) -> dict[str, Any]:
    """Return the tree of a dataclass: fields become leaves, nested records and mappings subtrees."""
    return {f.name: _pack_value(getattr(record, f.name)) for f in dataclasses.fields(record)}


def _pack_value(value: Any) -> Any:
    """Return a leaf or a subtree."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return pack(value)
    if isinstance(value, Mapping):
        return {str(key): _pack_value(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        if any(dataclasses.is_dataclass(item) for item in value):
            return {f"{i:06d}": pack(item) for i, item in enumerate(value)}
        if any(isinstance(item, str) for item in value):
            return np.array(list(value), dtype=object)
        return np.asarray(value)
    return value


def unpack(kind: type[T], tree: Mapping[str, Any]) -> T:
    """Build a dataclass from the tree that ``pack`` made of it."""
    hints = typing.get_type_hints(kind)
    values = {}
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        if field.name not in tree:
            # an empty tuple of records or an empty mapping leaves no trace but its group
            values[field.name] = _unpack_value(hints[field.name], {})
            continue
        values[field.name] = _unpack_value(hints[field.name], tree[field.name])
    return kind(**values)


def _unpack_value(hint: Any, value: Any) -> Any:
    """Turn a leaf or subtree into what the type hint says."""
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        if value is None:
            return None
        options = [option for option in typing.get_args(hint) if option is not type(None)]
        return _unpack_value(options[0], value) if len(options) == 1 else value
    if dataclasses.is_dataclass(hint):
        return unpack(typing.cast(type, hint), value)
    arguments = typing.get_args(hint)
    if origin is tuple:
        if isinstance(value, Mapping):
            return tuple(_unpack_value(arguments[0], value[key]) for key in sorted(value))
        return _nested_tuple(value)
    if origin in (dict, Mapping) or getattr(origin, "__name__", "") == "Mapping":
        return {key: _unpack_value(arguments[1], item) for key, item in value.items()}
    return value


def _nested_tuple(value: Any) -> Any:
    """Turn an array back into (nested) tuples of plain numbers or strings."""
    plain = value.tolist() if isinstance(value, np.ndarray) else value
    return tuple(_nested_tuple(item) if isinstance(item, list) else item for item in plain)
