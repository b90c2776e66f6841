"""The intelligence space from tables of complexities and of pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from aiq import storage
from aiq.errors import InputError, did_you_mean
from aiq.measures import dissimilarity
from aiq.measures import draws as space_draws
from aiq.measures.dissimilarity import landmarks
from aiq.records.estimate import Estimate, Floats, StandardError
from aiq.records.matrix import RELATIVE_COLUMNS, Relative, RelativePair
from aiq.records.space import Space
from aiq.records.table import Table
from aiq.storage import RawTable, Source
from aiq.tables import columns
from aiq.tables.locating import DRAWS, LengthErrors, Lengths, by_relative, completed, located, usual_length

_ERRORS = ("se", "df", "se_own", "df_own", "end_a", "end_b")


def space_from_tables(
    complexities: Source,
    dissimilarities: Source,
    *,
    complete: bool = False,
    length: str | None = None,
    distance: str = "departure",
    **how: Any,
) -> Space:
    """Return the intelligence space of a table of domains and a table of pairs, with what each test counts.

    The first table has one row per domain and a column ``relative_excess`` or ``complexity`` (or both), and errors in
    columns of that name with ``_se`` (``_df``), or in ``se``; the second ``a,b`` in any order and ``signed`` with
    ``signed_se`` (or ``se``), or ``dissimilarity[,se]``; its diagonal may be left out. With errors the values are
    signed areas, which may lie below 0; a self-pair may be without one. The tables that a run writes and the data
    frames that Python returns have these columns.

    ``complete``: fill in missing pairs from the domains that were measured against all others. ``length``:
    ``complexity``, ``relative_excess``, or None: the relative excess where the table has it. ``distance``:
    ``departure``; ``transfer``: the second table then holds transfer areas, self-pairs included; or ``relative``: it
    then holds ``relative`` with ``relative_se`` (``_df``) of every pair, as a run's ``relative.csv`` does. ``how``:
    options of ``measures.space.build``.

    Raises:
        InputError: for tables that cannot be used, naming a missing pair.
    """
    names, far = _lengths(complexities, length)
    seed = int(how.get("seed", 0))
    if distance == "relative":
        if complete:
            raise InputError("relative dissimilarities need every pair, so there is nothing to complete from landmarks")
        matrix, of_pairs = by_relative(names, _relatives(dissimilarities, names), DRAWS, seed)
        return located(names, far, matrix, of_pairs, distance=distance, **how)
    pairs = _pairs(dissimilarities, names, distance == "transfer")
    if distance == "transfer":
        if complete:
            raise InputError("distances by transfer need every pair, so there is nothing to complete from landmarks")
        return located(names, far, *_by_transfer(dissimilarities, names, pairs, seed), distance=distance, **how)
    missing = [(a, b) for i, a in enumerate(names) for j, b in enumerate(names) if i < j and np.isnan(pairs.area[i, j])]
    if not missing:
        return located(names, far, pairs.area, pairs.errors(), **how)
    full = [n for i, n in enumerate(names) if not np.isnan(np.delete(pairs.area[i], i)).any()]
    if not complete or not full:
        more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise InputError(
            f"{storage.called(dissimilarities)} lacks the pair {missing[0][0]}, {missing[0][1]}{more}; measure it, "
            "or measure some domains against all others and pass --landmarks (landmarks=True in Python)"
        )
    errors = None if pairs.se is None else space_draws.Errors(np.nan_to_num(pairs.se), pairs.ends, pairs.df)
    return located(names, far, *completed(pairs.area, errors, landmarks.named(names, full), seed), **how)


def _lengths(path: Source, asked: str | None) -> tuple[list[str], Lengths]:
    raw = storage.read_raw(path, ("domain", "complexity"))
    if not set(raw.columns) & set(columns.LENGTHS):
        raw.checked(("domain", asked or "complexity"), ("se",))  # says which column is missing
    names = [str(name) for name in raw.checked(("domain",), allows=columns.of_complexity).column("domain")]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{storage.called(path)} names the domain {name!r} twice; every domain may occur once")
    excesses = None
    if "relative_excess" in raw.columns and asked != "complexity":
        excess = ("relative_excess",)
        table = raw.checked(("domain",), excess, excess, blank=excess, allows=columns.of_complexity)
        excesses = columns.floats(table, *excess).tolist()
    kind, why = usual_length(excesses, asked)
    if kind == "relative_excess" and excesses is None:
        raw = raw.renamed({"complexity": kind})  # a table of one value may call it by its old name
    chunks = [column for column in raw.columns if column.startswith(columns.CHUNK)]
    errors = [c for c in (f"{kind}_se", f"{kind}_df", "se", *chunks) if c in raw.columns]  # may be empty throughout
    table = raw.checked(("domain", kind), errors, (kind, *errors), blank=errors, allows=columns.of_complexity)
    values = columns.floats(table, kind)
    if kind == "complexity":
        return names, Lengths(kind, values, se=_error_column(path, raw, table, kind), why=why)
    columns.check_shares(path, table, kind)
    parts = np.array([columns.floats(table, column) for column in chunks])
    if chunks and not np.isnan(parts).any():
        return names, Lengths(kind, values, LengthErrors.of_parts(parts), why=why)
    error = _error_column(path, raw, table, kind)
    if error is None:
        return names, Lengths(kind, values, why=why)
    df = columns.floats(table, "relative_excess_df")
    return names, Lengths(kind, values, LengthErrors(error, np.where(np.isnan(df), np.inf, df)), why=why)


def _error_column(path: Source, raw: RawTable, table: Table, kind: str) -> Floats | None:
    """Return the standard errors of lengths; None where they, or some of them, are not known."""
    if "se" in raw.columns and set(columns.LENGTHS) <= set(raw.columns):
        raise InputError(
            f"{storage.called(path)} has the columns {' and '.join(columns.LENGTHS)} and one column se; call it "
            f"{kind}_se if it is the standard error of {kind}"
        )
    column = f"{kind}_se" if f"{kind}_se" in table.columns else "se"
    if column not in table.columns:
        return None
    values = _errors(path, table, column)
    if column == "se" and np.isnan(values).any():
        row = int(np.flatnonzero(np.isnan(values))[0])
        raise InputError(
            f"{storage.place(path, table, row)}: se is empty; give one in every row or leave the column out"
        )
    return None if np.isnan(values).any() else values


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Areas (n, n), NaN where a pair is not there; standard errors of the pairs' own parts, and of shared ends (n,)."""

    area: Floats
    se: Floats | None
    ends: Floats
    df: float
    df_of: Floats

    def errors(self) -> dict[str, Any]:
        """Return the errors as options of ``space.build``."""
        if self.se is None:
            return {}
        ends = {"end_se": self.ends} if self.ends.any() else {}
        return {"dissimilarity_se": self.se, "dissimilarity_df": self.df, **ends}


def _pairs(path: Source, names: Sequence[str], by_transfer: bool) -> _Pairs:
    """Return the areas of a table of pairs with their errors.

    The standard error of a self-pair is read of transfer areas only, and may be empty else.
    """
    raw = storage.read_raw(path, ("a", "b", "dissimilarity"))
    if by_transfer:
        raw = raw.renamed({"dissimilarity": "transfer"})  # a table of one value may call it by its usual name
        _check_transfer(raw)
    value, with_errors = ("transfer", True) if by_transfer else _value_column(raw)
    errors = [c for c in ("se", *(f"{value}_{end}" for end in _ERRORS)) if with_errors and c in raw.columns]
    table = raw.checked(("a", "b", value), errors, (value, *errors), blank=errors, allows=columns.of_pairs)
    whole = next((c for c in (f"{value}_se", "se") if c in errors), None)
    own = next((c for c in (f"{value}_se_own", whole) if c in errors), None)
    n = len(names)
    area, se, ends = np.full((n, n), np.nan), np.zeros((n, n)), np.zeros((n, n))
    freedom = np.full((n, n), np.nan)
    own_se = None if own is None else _errors(path, table, own)
    df = next((c for c in (f"{value}_df_own", f"{value}_df") if own != "se" and c in errors), "none")
    dfs = columns.floats(table, df)
    shared = [columns.floats(table, f"{value}_end_{end}") for end in "ab" if f"{value}_end_a" in errors]
    for row, (a, b, cell) in enumerate(zip(*(table.column(c) for c in ("a", "b", value)), strict=True)):
        i, j = _place(path, str(a), str(b), names, area)
        _check_area(path, a, b, float(cell or 0.0), by_transfer, own_se is not None)
        area[i, j] = area[j, i] = float(cell or 0.0)
        if own_se is None:
            continue
        if np.isnan(own_se[row]) and (i != j or by_transfer):
            only = "" if by_transfer else "; only a domain with itself may be without one"
            raise InputError(f"{storage.place(path, table, row)}: se of {a} and {b} is empty{only}")
        se[i, j] = se[j, i] = np.nan_to_num(own_se[row])
        freedom[i, j] = freedom[j, i] = np.inf if np.isnan(dfs[row]) else dfs[row]
        if shared and i != j:
            ends[i, j], ends[j, i] = (np.nan_to_num(end[row]) for end in shared)
    least = float(np.nanmin(freedom)) if np.isfinite(freedom).any() else np.inf
    return _Pairs(area, None if own_se is None else se, ends.max(axis=1), least, freedom)


def _check_transfer(raw: RawTable) -> None:
    """Refuse a table of measured pairs, in which transfer areas have their column, but no control was measured."""
    at = raw.columns.index("transfer") if "transfer" in raw.columns else None
    if at is not None and raw.rows and all(storage.is_empty(row[at]) for row in raw.rows if len(row) > at):
        raise InputError(
            f"{raw.name} has no transfer area; distances by transfer need that of every pair: measure the "
            "dissimilarities with a column told and a table of domains alone"
        )


def _value_column(raw: RawTable) -> tuple[str, bool]:
    """Return the column that holds the areas, and whether its errors are read.

    These are the signed areas where the error of every pair is known, else the plain ones without errors. A table
    without signed areas has its one value, with its errors, in ``dissimilarity``.
    """
    at = {name: place for place, name in enumerate(raw.columns)}
    if "signed" not in at or not {"a", "b"} <= set(at):
        return "dissimilarity", True
    error = next((at[column] for column in ("signed_se", "se") if column in at), None)
    whole = error is not None and all(
        not storage.is_empty(row[error]) or row[at["a"]] == row[at["b"]] for row in raw.rows if len(row) == len(at)
    )
    return ("signed", True) if whole or "dissimilarity" not in at else ("dissimilarity", False)


def _place(path: Source, a: str, b: str, names: Sequence[str], area: Floats) -> tuple[int, int]:
    """Return where a pair belongs; refuse strangers and a pair that is there already."""
    for name in (a, b):
        if name not in names:
            hint = did_you_mean(name, names)
            raise InputError(
                f"{storage.called(path)} names the domain {name!r}{hint}, which has no complexity; add it there"
            )
    i, j = names.index(a), names.index(b)
    if not np.isnan(area[i, j]):
        raise InputError(
            f"{storage.called(path)} has the pair {a}, {b} twice; every pair may occur once, in either order"
        )
    return i, j


def _check_area(path: Source, a: object, b: object, value: float, by_transfer: bool, errors: bool) -> None:
    """Refuse a signed area without an error, and areas that no performances in [0, 1] have."""
    if by_transfer:
        return
    if not errors and value < 0:
        raise InputError(
            f"{storage.called(path)}: the dissimilarity of {a} and {b} is {value}, it must be 0 or more; "
            "signed areas need their standard errors in a column se"
        )
    if abs(value) > 1:
        raise InputError(
            f"{storage.called(path)}: the dissimilarity of {a} and {b} is {value}, it must lie in [-1, 1], as an "
            "area between performances in [0, 1]; divide what is in per cent by 100"
        )


def _relatives(path: Source, names: Sequence[str]) -> list[RelativePair]:
    """Return the relative dissimilarity of every pair of a table; an empty one is undefined."""
    cells = ("relative", "relative_se", "relative_df")
    raw = storage.read_raw(path, ("a", "b", cells[0]))
    if cells[0] not in raw.columns:
        raw.checked(("a", "b", cells[0]))  # says that it is missing
    own = [column for column in cells if column in raw.columns]
    table = raw.checked(("a", "b"), own, own, blank=own, allows=lambda column: column in RELATIVE_COLUMNS)
    seen, relatives = np.full((len(names), len(names)), np.nan), []
    columns_ = [table.column(c) if c in table.columns else [None] * len(table.rows) for c in ("a", "b", *cells)]
    for a, b, value, se, df in zip(*columns_, strict=True):
        i, j = _place(path, str(a), str(b), names, seen)
        seen[i, j] = seen[j, i] = 0.0
        estimate = Estimate(math.nan if value is None else float(value), None, 0, "from a table")
        error = None if se is None else StandardError(float(se), math.inf if df is None else float(df))
        why = "the table has none" if value is None else ""
        relatives.append(RelativePair(str(a), str(b), Relative(estimate, math.nan, math.nan, 0, why, error)))
    for i, j in zip(*np.nonzero(np.triu(np.isnan(seen), 1)), strict=True):
        raise InputError(f"{storage.called(path)} lacks the pair {names[i]}, {names[j]}; measure it")
    return relatives


def _by_transfer(path: Source, names: Sequence[str], pairs: _Pairs, seed: int) -> tuple[Floats, dict[str, Floats]]:
    """Return distances by transfer, and replicates where errors are known."""
    for i, j in zip(*np.nonzero(np.triu(np.isnan(pairs.area))), strict=True):
        itself = "; distances by transfer need every domain with itself" if i == j else "; measure it"
        raise InputError(f"{storage.called(path)} lacks the pair {names[i]}, {names[j]}{itself}")
    unknown = np.full_like(pairs.area, np.nan)
    distances = dissimilarity.transfer_geometry(pairs.area, unknown if pairs.se is None else pairs.se).distances
    if pairs.se is None:
        return distances, {}
    drawn = dissimilarity.transfer_replicates(pairs.area, pairs.se, df=pairs.df_of, resamples=DRAWS, seed=seed)
    return distances, {"dissimilarity_replicates": drawn}


def _errors(path: Source, table: Table, column: str) -> Floats:
    values = columns.floats(table, column)
    for row, value in enumerate(values):
        if value < 0:
            raise InputError(
                f"{storage.place(path, table, row)}: {column} is {value:g}, a standard error is at least 0"
            )
    return values
