"""The columns of observations: which there are, names as codes, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from aiq.errors import InputError, choice
from aiq.records.estimate import Floats

NEEDED = ("agent", "domain", "performance")
LABELS = ("agent", "domain", "repetition", "item", "cluster", "epoch")
"""Columns of names; they are held as codes, so that ten million rows fit in half a gigabyte."""
COLUMNS = ("agent", "domain", "performance", "se", "repetition", "item", "cluster", "epoch", "weight")
"""All columns in their order; the last six are there where they were read."""
_KEY = ("agent", "domain", "item", "repetition", "epoch")


def checked(data: Any) -> Any:
    """Return a data frame or a mapping of columns as the frame of observations; see ``Observations.of``."""
    import pandas

    given = data if isinstance(data, pandas.DataFrame) else pandas.DataFrame(data)
    for name in NEEDED:
        if name not in given.columns:
            raise InputError(f"the results lack the column {name!r}; they have {', '.join(map(str, given.columns))}")
    for name in given.columns:
        if name not in COLUMNS:
            raise InputError(choice("a column of the results", name, COLUMNS))
    there = ~np.isnan(_numbers(given["performance"], "performance"))
    whole = bool(there.all())
    columns: dict[str, Any] = {}
    for name in (name for name in COLUMNS if name in given.columns):
        column = given[name] if whole else given[name][there]
        columns[name] = _labelled(column, name) if name in LABELS else _numbers(column, name)
    frame = pandas.DataFrame(columns)
    _check(frame)
    return frame


def _labelled(column: Any, name: str) -> Any:
    """Return a column of names as codes, in the order of first appearance."""
    import pandas

    codes, names = pandas.factorize(column)
    if name in ("agent", "domain", "item") and (codes < 0).any():
        raise InputError(f"row {int(np.argmax(codes < 0))} of the results (counted from 0): {name} is empty")
    texts = [str(label) for label in names]
    if len(set(texts)) < len(texts):
        again, words = pandas.factorize(np.array(texts, dtype=object))
        codes, texts = np.where(codes < 0, -1, again[codes]), list(words)
    return pandas.Categorical.from_codes(codes, pandas.Index(texts, dtype=object))


def _numbers(column: Any, name: str) -> Floats:
    try:
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"the column {name} of the results must hold numbers: {error}") from error


def _check(frame: Any) -> None:
    if not len(frame):
        raise InputError("the results hold no score; give at least one")
    limits = {"performance": (1.0, "in [0, 1]"), "se": (math.inf, "a number of at least 0")}
    limits["weight"] = limits["se"]
    for name, (high, words) in limits.items():
        if name in frame.columns:
            values = np.asarray(frame[name])
            wrong = (values < 0) | (values > high) | np.isinf(values)
            if wrong.any():
                row = frame.iloc[int(np.argmax(wrong))]
                raise InputError(
                    f"the {name} of {row['agent']} on {row['domain']} is {row[name]:g}, it must be {words}"
                )
    key = np.zeros(len(frame), dtype=np.int64)
    for name in (name for name in _KEY if name in frame.columns):
        key = key * (len(frame[name].cat.categories) + 1) + np.asarray(frame[name].cat.codes, dtype=np.int64) + 1
    if len(np.unique(key)) < len(key):
        order = np.argsort(key, kind="stable")
        row = frame.iloc[int(order[1:][np.diff(key[order]) == 0].min())]
        rest = "".join(f", {name} {row[name]}" for name in _KEY[2:] if name in frame.columns)
        raise InputError(f"agent {row['agent']} has domain {row['domain']}{rest} twice; keep one of them")
