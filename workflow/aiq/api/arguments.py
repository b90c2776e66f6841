"""What a caller gives: arguments, refused in one sentence where they are not what the signature says, and tables.

Data frames, mappings of columns, arrays and files become the tables that aiq reads.
"""

from __future__ import annotations

import functools
import inspect
import os
import types
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from numbers import Real
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from aiq.api.results import Result
from aiq.errors import InputError, choice
from aiq.storage import RawTable, Source

BOUNDS = {"resamples": (2, 1_000_000), "bins": (1, 100_000), "halves": (2, 10_000)}
"""Argument -> the smallest and the largest number that it may be."""
SHOWN = 60  # letters of a value in a sentence
P = ParamSpec("P")
R = TypeVar("R")


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that refuses what its signature does not allow: missing and unknown arguments, other types.

    What is typed ``Any`` or by a class of its own is for the function to judge.
    """
    hints, signature = get_type_hints(function), inspect.signature(function)

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise InputError(f"aiq.{function.__name__}: {error}; see help(aiq.{function.__name__})") from None
        check(given, hints)
        return function(*args, **kwargs)

    return call


def check_options(given: Mapping[str, Any], function: Callable[..., object]) -> None:
    """Refuse options that a function does not have, or not with such values."""
    hints = get_type_hints(function)
    for name in given:
        if name not in hints:
            raise InputError(choice("the option", name, [word for word in hints if word != "return"]))
    check(given, hints)


def check(given: Mapping[str, Any], hints: Mapping[str, Any]) -> None:
    """Refuse the first argument that is not what its type says, and roots and numbers of resamples out of bounds.

    Raises:
        InputError: naming the argument, its value and what is allowed.
    """
    for name, value in given.items():
        allowed = _allowed(hints.get(name, Any))
        if not any(_fits(value, hint) for hint in allowed):
            said = repr(value) if len(repr(value)) <= SHOWN and "\n" not in repr(value) else f"a {type(value).__name__}"
            words = [word for hint in allowed if get_origin(hint) is Literal for word in get_args(hint)]
            if isinstance(value, str) and words:
                raise InputError(choice(name, value, map(str, words)))
            raise InputError(f"{name} is {said}; it must be {' or '.join(map(_words, allowed))}")
        if name == "seed" and value < 0:
            raise InputError(f"the seed is {value}; it must be a whole number of at least 0")
        least, most = BOUNDS.get(name, (None, None))
        if least is not None and not least <= value <= most:
            raise InputError(f"{name} is {value}; it must be a whole number of at least {least}, at most {most:,}")


def check_word(what: str, word: object, *allowed: str) -> None:
    """Refuse what is not one of some words."""
    if word not in allowed:
        raise InputError(choice(what, word, allowed))


def _allowed(hint: Any) -> list[Any]:
    if get_origin(hint) in (Union, types.UnionType):
        return [member for part in get_args(hint) for member in _allowed(part)]
    return [hint]


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a type, as far as can be seen without reading it."""
    kind = get_origin(hint) or hint
    if kind is Literal:
        return isinstance(value, str) and value in get_args(hint)
    if kind is float:
        return isinstance(value, Real) and not isinstance(value, bool)
    if kind is int:
        return hasattr(value, "__index__") and not isinstance(value, bool)
    if kind is tuple and Ellipsis not in get_args(hint):
        return isinstance(value, tuple | list) and len(value) == len(get_args(hint))
    if kind in (Sequence, tuple):
        listed = isinstance(value, Sized) and isinstance(value, Iterable)
        return listed and (float not in get_args(hint) or all(_fits(number, float) for number in value))
    return isinstance(value, kind) if kind in (str, bool, type(None), Mapping) else True


def _words(hint: Any) -> str:
    kind = get_origin(hint) or hint
    if kind is Literal:
        return ", ".join(map(str, get_args(hint)))
    if kind is tuple and Ellipsis not in get_args(hint):
        return f"{len(get_args(hint))} of them, as ('A', 'B')"
    if kind is Sequence and float in get_args(hint):
        return "a list of numbers"
    words = {float: "a number", int: "a whole number", type(None): "None", bool: "True or False", str: "a text"}
    return words.get(kind, "a list" if kind in (Sequence, tuple) else f"a {getattr(kind, '__name__', kind)}")


# ---- tables --------------------------------------------------------------------------------------

TableLike = Any
"""A data frame (pandas, polars or alike), a mapping of columns to sequences, a structured array, a result, or the path
of a CSV file."""


def file_of(place: Any, what: str) -> str:
    """Return the path of a file or folder."""
    if isinstance(place, str | os.PathLike):
        return os.fspath(place)
    raise InputError(f"{what} is {kind_of(place)}, not a path; give a file or folder by its name")


def target(place: Any) -> str:
    """Return the path of a file that is to be written; InputError where it is none or its folder is not there."""
    path = file_of(place, "the file to write")
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise InputError(f"{path} cannot be written: there is no folder {folder}; make it, or choose another")
    return path


def frame_of(data: Any, names: Sequence[str] = ()) -> Any:
    """Return an array of agents (rows) by tests (columns ``names``) as a data frame; anything else as it is."""
    array = isinstance(data, list | tuple) or (hasattr(data, "ndim") and not hasattr(data, "columns"))
    if not array or getattr(getattr(data, "dtype", None), "names", None):
        if len(names):
            raise _not_named(data)
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
    """Return a table that aiq reads; ``index`` names the column that a frame's index stands for where it lacks it.

    Raises:
        InputError: it is no table, or its columns differ in length.
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
    """Return the columns of a table in memory; a named index of a pandas frame is a column, so is one of words.

    Raises:
        InputError: it is no table.
    """
    if isinstance(data, Mapping):
        return {str(key): _listed(values, f"{name}: column {key}") for key, values in data.items()}
    names = getattr(getattr(data, "dtype", None), "names", None)
    if names:
        return {key: data[key].tolist() for key in names}
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        rows = getattr(data, "index", None)
        if rows is not None and index and index not in data.columns and rows.nlevels == 1 and rows.dtype.kind != "i":
            data = data.rename_axis(index)
        if rows is not None and any(level is not None for level in getattr(data.index, "names", ())):
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
    """Return an array of numbers with one of some numbers of dimensions; InputError where they are none."""
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
