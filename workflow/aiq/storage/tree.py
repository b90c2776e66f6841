"""Trees of arrays and single values in HDF5 groups, the hash of their content, and many alike trees as columns.

Columns are one array per leaf over all trees, where groups would be written one by one.
Format: ``docs/reference/file-format.md``; columns in section 3.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, repeat
from typing import Any

import h5py
import numpy as np

ROWS, COLUMNS = "rows", "columns"
PART, AT, OF = "@", "@at", "@of"  # names that no field of a record has
AS_COLUMNS = {"stored": "columns"}
"""Metadata of a dataclass field: its sequence of records is stored as columns."""

_INTEGERS = np.iinfo(np.int64)
Leaf = np.ndarray | str | int | float | bool | None
Tree = Mapping[str, Any]  # name -> Leaf or Tree

IDENTITY = ("aiq_kind", "schema_version", "configuration_hash", "seed")  # attributes of the file in its hash
_COMPRESS_FROM = 1 << 16  # bytes of an array


def write_group(group: h5py.Group, tree: Tree, compress: bool = True) -> None:
    """Write mappings as groups, arrays as datasets, single values as attributes, None as an empty attribute.

    Large arrays are compressed unless ``compress`` is false, where time counts more than space. TypeError for a value
    of a type that the format does not know, ValueError for a name that is empty or holds a slash.
    """
    for name, value in tree.items():
        path = isinstance(value, Mapping | np.ndarray)  # names of groups and datasets are parts of a path
        if not name or (path and (name in (".", "..") or "/" in name)):
            raise ValueError(f"{name!r} cannot be the name of an entry: it is empty, dots, or holds a slash")
        if isinstance(value, Mapping):
            write_group(group.create_group(name), value, compress)
        elif isinstance(value, np.ndarray):
            _write_array(group, name, value, compress)
        elif value is None:
            group.attrs[name] = h5py.Empty("f8")
        elif isinstance(value, str):
            group.attrs.create(name, str(value), dtype=h5py.string_dtype())
        elif isinstance(value, bool | int | float | np.bool_ | np.number):
            group.attrs[name] = value
        else:
            raise TypeError(f"entry {name!r} is a {type(value).__name__}, which the format cannot hold")


def _write_array(group: h5py.Group, name: str, array: np.ndarray, compress: bool) -> None:
    """Write numbers and truth values as they are, compressed where large, and words as UTF-8 strings."""
    if array.dtype.kind in "OU":
        if not all(isinstance(item, str) for item in array.ravel()):
            raise TypeError(f"array {name!r} holds objects that are not strings")
        group.create_dataset(name, data=array.astype(object), dtype=h5py.string_dtype())
    elif array.dtype.kind in "biuf":
        how = {"compression": "gzip", "compression_opts": 1} if compress and array.nbytes > _COMPRESS_FROM else {}
        group.create_dataset(name, data=array, **how)
    else:
        raise TypeError(f"array {name!r} is of type {array.dtype}, which the format cannot hold")


def read_group(
    group: h5py.Group, without: Collection[str] = (), place: tuple[str, ...] = (), rows: int = 0
) -> dict[str, Any]:
    """Read back what ``write_group`` wrote.

    ``without``: arrays that are not read, by the names of the fields down to them with dots between
    (``pairs.measured.replicates``; numbers of items are left out); in the place of each stands one without draws, the
    first index of an array. ``place``: the names down to the group; ``rows``: 1 below columns, whose first index is the
    record.
    """
    tree: dict[str, Any] = {}
    for name, value in group.attrs.items():
        tree[name] = None if isinstance(value, h5py.Empty) else value.item() if isinstance(value, np.generic) else value
    below = int(rows or "rows" in tree)
    for name, item in group.items():
        here = place if name.isdigit() or name[0] == "@" or (name == "columns" and below) else (*place, name)
        if isinstance(item, h5py.Group):
            tree[name] = read_group(item, without, here, below)
        elif ".".join(here) in without:
            tree[name] = np.zeros((*item.shape[:rows], 0, *item.shape[rows + 1 :]), dtype=item.dtype)
        elif h5py.check_string_dtype(item.dtype):
            tree[name] = np.array(_words(item), dtype=object).reshape(item.shape)
        else:
            tree[name] = item[...]
    return tree


def _words(dataset: h5py.Dataset) -> list[str]:
    """Return the strings of a dataset, last index fastest."""
    decoded: dict[bytes, str] = {}  # of many words most are the same
    return [decoded.setdefault(text, text.decode()) for text in np.asarray(dataset[...]).ravel()]


def content_hash(file: h5py.File) -> str:
    """Return the SHA-256 of the content and of what identifies it, whatever the layout and compression."""
    digest = hashlib.sha256()
    head = [word.encode() for name in IDENTITY for word in (name, str(file.attrs[name]))]
    for token in chain(head, _group_tokens(file["content"], "/content")):
        digest.update(len(token).to_bytes(8, "little"))
        digest.update(token)
    return digest.hexdigest()


def _group_tokens(group: h5py.Group, place: str) -> Iterator[bytes | memoryview]:
    """Yield a group: its path, its attributes, its members, each in the order of their names."""
    yield place.encode()
    for name in sorted(group.attrs):
        value = group.attrs[name]
        yield f"@{name}".encode()
        if isinstance(value, h5py.Empty):
            yield b"none"
        elif isinstance(value, str):
            yield b"text"
            yield value.encode()
        else:
            yield from _array_tokens(np.asarray(value))
    for name in sorted(group):
        item, here = group[name], f"{place}/{name}"
        if isinstance(item, h5py.Group):
            yield from _group_tokens(item, here)
        elif h5py.check_string_dtype(item.dtype):
            yield here.encode()
            yield b"text"
            yield ",".join(map(str, item.shape)).encode()
            yield from (word.encode() for word in _words(item))
        else:
            yield here.encode()
            yield from _array_tokens(item[...])


def _array_tokens(array: np.ndarray) -> Iterator[bytes | memoryview]:
    """Yield type, shape and numbers (little-endian, last index fastest) of an array."""
    little = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
    yield little.dtype.str.encode()
    yield ",".join(map(str, array.shape)).encode()
    yield little.tobytes()


def pack_columns(trees: Sequence[Any]) -> dict[str, Any]:
    """Return some trees as one tree of columns; ``unpack_columns`` gives them back."""
    return {ROWS: len(trees), COLUMNS: _column(trees)}


def are_columns(tree: Any) -> bool:
    """Whether a stored value is a tree of columns."""
    return isinstance(tree, Mapping) and set(tree) == {ROWS, COLUMNS}


def unpack_columns(tree: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the trees of a tree of columns, one by one: together they can be many times as large."""
    count = int(tree[ROWS])
    values = _values(tree[COLUMNS], count)
    yield from (next(values) for _ in range(count))


def _column(values: Sequence[Any]) -> Any:
    """Return one column, or, where the values are of several kinds, a part for each kind."""
    places: dict[tuple[Any, ...], list[int]] = {}
    for row, value in enumerate(values):
        places.setdefault(_kind(value), []).append(row)
    if len(places) == 1:
        return _alike(next(iter(places)), values)
    parts = enumerate(places.items())
    return {
        f"{PART}{number}": {AT: np.array(rows), OF: _alike(kind, [values[row] for row in rows])}
        for number, (kind, rows) in parts
    }


def _kind(value: Any) -> tuple[Any, ...]:
    """Return what a value must share with others to stand in one column with them."""
    if value is None:
        return ("nothing",)
    if isinstance(value, Mapping):
        return ("tree", *sorted(value))
    if isinstance(value, np.ndarray):
        return ("array", "text" if value.dtype.kind in "OU" else value.dtype.str, *value.shape)
    if isinstance(value, str):
        return ("text",)
    if isinstance(value, bool | np.bool_):
        return ("truth",)
    if isinstance(value, int | np.integer):
        return ("whole", _INTEGERS.min <= value <= _INTEGERS.max)
    if isinstance(value, float | np.floating):
        return ("number",)
    raise TypeError(f"a {type(value).__name__} cannot stand in a column")


def _alike(kind: tuple[Any, ...], values: Sequence[Any]) -> Any:
    """Return the column of values of one kind: nothing, a tree of columns, one word, or an array by rows."""
    if kind[0] == "nothing":
        return None
    if kind[0] == "tree":
        if any(name.startswith(PART) for name in kind[1:]):
            raise TypeError(f"no name in a tree of columns may begin with {PART}")
        return {name: _column([value[name] for value in values]) for name in kind[1:]}
    if kind[0] == "array":
        return np.stack(values)
    if kind[0] == "text":
        same = all(value == values[0] for value in values)
        return str(values[0]) if same else np.array(values, dtype=object)
    types = {"truth": np.bool_, "number": np.float64, "whole": np.int64 if kind[-1] else np.uint64}
    return np.array(values, dtype=types[kind[0]])


def _values(column: Any, count: int) -> Iterator[Any]:
    if isinstance(column, Mapping):
        split = any(name.startswith(PART) for name in column)
        return _joined(column, count) if split else _trees(column, count)
    if not isinstance(column, np.ndarray):
        return repeat(column, count)
    if len(column) != count:
        raise ValueError(f"a column has {len(column)} rows where {count} belong")
    return iter(column.tolist() if column.ndim == 1 else column)


def _trees(columns: Mapping[str, Any], count: int) -> Iterator[dict[str, Any]]:
    each = {name: _values(column, count) for name, column in columns.items()}
    return ({name: next(values) for name, values in each.items()} for _ in range(count))


def _joined(parts: Mapping[str, Any], count: int) -> Iterator[Any]:
    """Yield the values of all parts in the order of the rows."""
    which = np.full(count, -1)
    for number, part in enumerate(parts.values()):
        which[part[AT]] = number
    if (which < 0).any():
        raise ValueError(f"the parts of a column do not make {count} rows")
    each = [_values(part[OF], len(part[AT])) for part in parts.values()]
    return (next(each[number]) for number in which.tolist())
