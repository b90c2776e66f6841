"""Dataclass records as trees and back, by their type hints; files of one record each, and of prepared domains."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from aiq.records.domains import ControlFacts
from aiq.storage import hdf5
from aiq.storage.tree import AS_COLUMNS, are_columns, pack_columns, unpack_columns

if TYPE_CHECKING:
    from aiq.domains.base import DataSheet, LabelledDomain

T = TypeVar("T")


# ---- Files ---------------------------------------------------------------------------------------


def write_result(path: str | Path, kind: str, record: object, fingerprint: str, seed: int) -> None:
    """Write a frozen dataclass of results atomically."""
    hdf5.write(path, hdf5.Header(kind, fingerprint, seed), pack(record))


def read_result(
    path: str | Path, kind: str, record: type[T], fingerprint: str | None = None, without: Collection[str] = ()
) -> T:
    """Read and validate a record of results from a file of a kind; see ``hdf5.read``, also for what it raises.

    ``without``: arrays of draws that are not needed, as ``tree.read_group`` names them; the record has none there.
    """
    _, tree = hdf5.read(path, kind, fingerprint, without)
    with hdf5.fitting(kind, path):
        return unpack(record, tree)


# ---- Trees ---------------------------------------------------------------------------------------


def pack(record: Any) -> dict[str, Any]:
    """Return the tree of a dataclass: fields become leaves, nested records and mappings subtrees.

    A field with the metadata ``younger`` is left out at its default, so that files are those from before it existed.

    Raises:
        TypeError: a mapping has keys that are neither words nor integers.
    """
    tree = {}
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        if field.metadata == AS_COLUMNS and value:
            tree[field.name] = pack_columns([pack_value(item) for item in value])
        elif not (field.metadata.get("younger") and value == field.default):
            tree[field.name] = pack_value(value)
    return tree


def pack_value(value: Any) -> Any:
    """Return the leaf of a value, or the subtree of a record, a mapping or a sequence of records."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return pack(value)
    if isinstance(value, Mapping):
        if any(isinstance(key, bool) or not isinstance(key, str | int) for key in value):
            raise TypeError("a mapping can be stored only if its keys are words or integers")
        return {str(key): pack_value(item) for key, item in value.items()}
    if not isinstance(value, tuple | list):
        return value
    array = _as_array(value) if value else np.zeros(0)
    return array if array is not None else {f"{i:06d}": pack_value(item) for i, item in enumerate(value)}


def _as_array(values: Sequence[Any]) -> np.ndarray | None:
    """Return equally long rows of words, or of numbers that an array holds exactly, as an array."""
    kinds = {type(item) for item in _items(values)}
    words = bool(kinds) and kinds <= {str}
    if not words and not (kinds and all(issubclass(k, bool | int | float | np.bool_ | np.number) for k in kinds)):
        return None
    try:
        array = np.array(values, dtype=object if words else None)
    except ValueError:  # rows of different length
        return None
    whole = all(issubclass(k, bool | int | np.bool_ | np.integer) for k in kinds)
    if words:
        return array if all(isinstance(item, str) for item in array.ravel()) else None
    return array if array.dtype.kind in ("biu" if whole else "f") else None


def _items(values: Sequence[Any]) -> typing.Iterator[Any]:
    for value in values:
        yield from _items(value) if isinstance(value, tuple | list) else [value]


def unpack(kind: type[T], tree: Mapping[str, Any]) -> T:
    """Build a dataclass from the tree that ``pack`` made of it; ValueError where it does not fit.

    A field that the tree lacks takes its default: such a file was written before the field existed.
    """
    hints, required = hints_of(kind), _required(kind)
    if not hints.keys() >= tree.keys():
        raise ValueError(f"unknown field {sorted(set(tree) - set(hints))[0]} of {kind.__name__}")
    if not tree.keys() >= required:
        raise ValueError(f"field {sorted(required - set(tree))[0]} of {kind.__name__} is missing")
    return kind(**{name: unpack_value(hint, tree[name]) for name, hint in hints.items() if name in tree})


@cache
def hints_of(kind: Any) -> dict[str, Any]:
    """Return the type hint of every field, in their order."""
    hints = typing.get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


@cache
def _required(kind: Any) -> frozenset[str]:
    nothing = dataclasses.MISSING
    fields = dataclasses.fields(kind)
    return frozenset(f.name for f in fields if f.default is nothing and f.default_factory is nothing)


def unpack_value(hint: Any, value: Any) -> Any:
    """Turn a leaf or subtree into what the type hint says."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        for option in arguments:
            if _fits(option, value):
                return unpack_value(option, value)
        raise ValueError(f"a {type(value).__name__} fits no part of {hint}")
    if dataclasses.is_dataclass(hint):
        return unpack(typing.cast(type, hint), value)
    if origin in (tuple, list):
        return origin(_sequence(origin, arguments, value))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        key = int if arguments[0] is int else str
        return {key(name): unpack_value(arguments[1], item) for name, item in value.items()}
    return value


def _sequence(origin: type, arguments: tuple[Any, ...], value: Any) -> list[Any]:
    """Return the items of an array, of columns or of a subtree of numbered items, each by its own hint."""
    if are_columns(value):
        return [unpack_value(arguments[0], item) for item in unpack_columns(value)]
    items = [value[key] for key in sorted(value)] if isinstance(value, Mapping) else value.tolist()
    alike = origin is list or (len(arguments) == 2 and arguments[1] is Ellipsis)
    hints = [arguments[0]] * len(items) if alike else list(arguments)
    if len(hints) != len(items):
        raise ValueError(f"{len(items)} items where {len(hints)} belong")
    return [unpack_value(h, np.asarray(v) if isinstance(v, list) else v) for h, v in zip(hints, items, strict=True)]


def _fits(option: Any, value: Any) -> bool:
    origin = typing.get_origin(option)
    if option is type(None) or option is None:
        return value is None
    if origin in (typing.Union, types.UnionType):
        return any(_fits(part, value) for part in typing.get_args(option))
    if origin is Literal:
        return isinstance(value, str | int) and value in typing.get_args(option)
    if dataclasses.is_dataclass(option):
        return isinstance(value, Mapping) and _required(option) <= value.keys() <= hints_of(option).keys()
    if origin in (tuple, list):
        numbered = isinstance(value, Mapping) and all(key.isdigit() for key in value)
        return numbered or are_columns(value) or isinstance(value, np.ndarray)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return isinstance(value, Mapping)
    if option is np.ndarray or origin is np.ndarray:
        return isinstance(value, np.ndarray)
    if option is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if option is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return option is Any or (isinstance(option, type) and isinstance(value, option))


# ---- Prepared domains, one file each with its data sheet -----------------------------------------


def write_domain(path: str | Path, domain: LabelledDomain, fingerprint: str, seed: int) -> None:
    """Write a prepared domain atomically."""
    tree: dict[str, Any] = {
        "name": domain.name,
        "kind": "image" if domain.is_image else "vector",
        "label_space": domain.label_space,
        "labels": domain.labels,
        "classes": np.array(domain.classes, dtype=np.int64),
        "shape": np.array(domain.shape, dtype=np.int64),
        "train": {"x": domain.train_x, "y": domain.train_y},
        "test": {"x": domain.test_x, "y": domain.test_y},
        "sheet": pack(domain.sheet),
    }
    if domain.numeric:
        tree["target"] = domain.target
    hdf5.write(path, hdf5.Header("domain", fingerprint, seed), tree)


def read_domain(path: str | Path, fingerprint: str | None = None) -> LabelledDomain:
    """Read and validate a prepared domain; see ``hdf5.read`` for what it raises."""
    from aiq.domains.base import DataSheet, LabelledDomain  # late: scores need no domains

    _, tree = hdf5.read(path, "domain", fingerprint)
    with hdf5.fitting("a domain", path):
        return LabelledDomain(
            name=tree["name"],
            train_x=tree["train"]["x"],
            train_y=tree["train"]["y"],
            test_x=tree["test"]["x"],
            test_y=tree["test"]["y"],
            label_space=tree["label_space"],
            labels=int(tree["labels"]),
            sheet=unpack(DataSheet, tree["sheet"]),
            target="number" if tree.get("target") == "number" else "classes",
        )


def write_control_domain(path: str | Path, facts: ControlFacts, sheet: DataSheet, fingerprint: str, seed: int) -> None:
    """Write what is known of a control domain atomically; its worlds are made anew from the settings."""
    tree = {"kind": "control", "facts": pack(facts), "sheet": pack(sheet)}
    hdf5.write(path, hdf5.Header("domain", fingerprint, seed), tree)


def read_control_domain(path: str | Path, fingerprint: str | None = None) -> tuple[ControlFacts, DataSheet]:
    """Read and validate what is known of a control domain; see ``hdf5.read`` for what it raises."""
    from aiq.domains.base import DataSheet

    _, tree = hdf5.read(path, "domain", fingerprint)
    with hdf5.fitting("a control domain", path):
        if tree["kind"] != "control":
            raise ValueError(f"kind is {tree['kind']}, not control")
        return unpack(ControlFacts, tree["facts"]), unpack(DataSheet, tree["sheet"])
