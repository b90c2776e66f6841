"""What a caller holds, as the tables that aiq reads: data frames, mappings of columns, arrays, files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from aiq.api.results import Result
from aiq.errors import InputError
from aiq.storage import RawTable, Source

TableLike = Any
"""A data frame (pandas, polars or alike), a mapping of columns to sequences, a structured array, a result, or the path
of a CSV file."""


def file_of(place: Any, what: str) -> str:
    """Return the path of a file or folder."""
    if isinstance(place, str | os.PathLike):
        return os.fspath(place)
    raise InputError(f"{what} is {kind_of(place)}, not a path; give a file or folder by its name")


def target(place: Any) -> str:
    """Return the path of a file that is to be written, in a folder that is there."""
    path = file_of(place, "the file to write")
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise InputError(f"{path} cannot be written: there is no folder {folder}; make it, or choose another")
    return path


def frame_of(data: Any, names: Sequence[str] = ()) -> Any:
    """Return an array of agents (rows) by tests (columns) as a data frame; anything else as it is.

    Args:
        data: what the caller gave.
        names: of the columns; without any they are numbered.
    """
    array = isinstance(data, list | tuple) or (hasattr(data, "ndim") and not hasattr(data, "columns"))
    if not array or getattr(getattr(data, "dtype", None), "names", None):
        if len(names):
            raise InputError(
                f"names are those of the columns of an array, but {kind_of(data)} was given; leave them out"
            )
        return data
    from pandas import DataFrame

    table = numbers("the array of results", data, (2,))
    named = [str(name) for name in names] or [f"test {place + 1}" for place in range(table.shape[1])]
    if len(named) != table.shape[1] or len(set(named)) != len(named):
        raise InputError(f"there are {len(named)} names for {table.shape[1]} columns; give each column one of its own")
    return DataFrame(table, columns=named, index=[f"agent {place + 1}" for place in range(len(table))])


def named_columns(
    what: str, data: Any, names: Sequence[str], rows: int
) -> tuple[np.ndarray[Any, np.dtype[np.float64]], list[str]]:
    """Return an array (rows, names), or a data frame of that shape, as numbers and the names of its columns."""
    if hasattr(data, "columns") and len(names):
        raise _not_named(data)
    called = [str(name) for name in (data.columns if hasattr(data, "columns") else names)]
    table = numbers(what, data, (1, 2))
    table = table[:, np.newaxis] if table.ndim == 1 else table
    if table.shape != (rows, len(called)) or len(set(called)) != len(called):
        raise InputError(
            f"{what} has shape {table.shape}, but there are {rows} rows and {len(called)} names; give one row "
            "each, and each column a name of its own"
        )
    return table, called


def _not_named(data: Any) -> InputError:
    return InputError(f"names are those of the columns of an array, but {kind_of(data)} was given; leave them out")


def kind_of(data: Any) -> str:
    """Return in words what a caller gave."""
    kind = type(data).__name__
    return "None" if data is None else f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def source(data: TableLike, name: str, index: str = "") -> Source:
    """Return a table that aiq reads.

    Args:
        data: what the caller gave.
        name: what it is called in refusals, unless it is a file.
        index: the column that the index of a data frame stands for where it lacks it.
    """
    if isinstance(data, RawTable):
        return data
    if isinstance(data, Result):
        table = data.table()
        return from_rows(table.columns, table.rows, name)
    if isinstance(data, str | os.PathLike):
        return os.fspath(data)
    return from_columns(columns(data, name, index), name)


def columns(data: TableLike, name: str, index: str = "") -> dict[str, list[Any]]:
    """Return the columns of a table in memory; a named index of a pandas frame is a column, so is one of words."""
    if isinstance(data, Mapping):
        return {str(key): _listed(values, f"{name}: column {key}") for key, values in data.items()}
    names = getattr(getattr(data, "dtype", None), "names", None)
    if names:
        return {key: data[key].tolist() for key in names}
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        rows = getattr(data, "index", None)
        if rows is not None and index and index not in data.columns and rows.nlevels == 1 and rows.dtype.kind != "i":
            data = data.rename_axis(index)
        if rows is not None and any(one is not None for one in getattr(data.index, "names", ())):
            data = data.reset_index()
        keys = [str(key) for key in data.columns]
        twice = [key for key in keys if keys.count(key) > 1]
        if twice:
            raise InputError(f"{name} has the column {twice[0]!r} twice; every column may occur once")
        return {str(key): _listed(data[key], f"{name}: column {key}") for key in data.columns}
    raise InputError(
        f"{name} cannot be read from {kind_of(data)}; give a data frame, a mapping of columns to arrays, or the "
        "path of a CSV file"
    )


def from_columns(table: Mapping[str, Sequence[Any]], name: str) -> RawTable:
    """Return a table of columns of one length."""
    lengths = {key: len(values) for key, values in table.items()}
    if len(set(lengths.values())) > 1:
        each = ", ".join(f"{key} {count}" for key, count in lengths.items())
        raise InputError(f"the columns of {name} differ in length ({each}); give one cell per row in each")
    return from_rows(list(table), zip(*table.values(), strict=True), name)


def from_rows(header: Sequence[str], rows: Iterable[Sequence[Any]], name: str) -> RawTable:
    """Return a table of rows."""
    return RawTable(name, tuple(header), tuple(tuple(row) for row in rows))


def numbers(what: str, values: Any, dimensions: Sequence[int] = (1,)) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return an array of numbers with one of some numbers of dimensions."""
    try:
        kind = np.asarray(values).dtype.kind
        if kind in ("c", "m", "M"):
            raise InputError(
                f"{what} holds {'complex numbers' if kind == 'c' else 'dates or times'}; give real numbers"
            )
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what} must be numbers, as many in each row") from None
    if array.ndim not in dimensions or array.size == 0:
        wanted = " or ".join(map(str, dimensions))
        raise InputError(f"{what} has shape {array.shape}; needed are {wanted} dimensions with at least one entry")
    return array


def _listed(values: Any, what: str) -> list[Any]:
    """Return a column as a list of Python's own numbers and texts."""
    is_column = isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping)
    if getattr(getattr(values, "dtype", None), "kind", "") in ("c", "m", "M"):
        raise InputError(f"{what} holds complex numbers, dates or times; give real numbers or texts")
    cells = values.tolist() if hasattr(values, "tolist") else list(values) if is_column else None
    if not isinstance(cells, list) or any(isinstance(cell, list | tuple) for cell in cells):
        raise InputError(f"{what} is not one sequence of cells; give one-dimensional columns")
    return cells
