"""Complexities, dissimilarities and similarities from tables that a person already has: no training needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from aiq import storage
from aiq.errors import InputError, did_you_mean
from aiq.measures import complexity, dissimilarity, similarity
from aiq.measures.complexity import excess
from aiq.measures.dissimilarity import mixture_curves
from aiq.measures.dissimilarity.relative import relative
from aiq.records.complexity import Complexity, affordable_k
from aiq.records.dissimilarity import Alone, Dissimilarity, Similarity
from aiq.records.estimate import Floats
from aiq.records.matrix import Relative
from aiq.records.table import Table, groups
from aiq.storage import Source
from aiq.tables import columns

# ---- Trials --------------------------------------------------------------------------------------

UNITS = {"log2": "log2", "linear": "parameters"}
"""How the sizes of a table count, and what that unit is called by the measure and in figures."""

LINEAR = 1e50
"""The largest size that counts as it is: fourth powers of it are taken."""

_TOO_LARGE = f"; a size that counts linearly may be at most {LINEAR:g}, count sizes as log2"


@dataclass(frozen=True, slots=True, eq=False)
class TableTrials:
    """The complexity of a domain of a table, with its trials: sizes as they count (n,), and performances (n,)."""

    complexity: Complexity
    size: Floats
    performance: Floats


def trials_from_table(
    path: Source, *, size: str, k: int | None = None, largest: float | None = None, **how: Any
) -> dict[str, TableTrials]:
    """Return the complexity of each domain of a table ``size,performance[,chunk][,domain]``, with its trials.

    A table without the column ``domain`` gives one entry under the empty name. ``size``: how sizes count, one of
    ``UNITS``. ``k``: of how many policies the smallest counts; None takes 16, or as many as every domain has without
    its largest chunk (so that there are intervals), the same for every domain. ``largest``: size of the largest policy
    of the pool's design, counted as the table's sizes; None takes each domain's largest. ``how``: options of
    ``measures.complexity.measure``.

    Raises:
        InputError: for a table or an option that cannot be used.
    """
    table = storage.read_table(path, ("size", "performance"), ("chunk", "domain"), ("size", "performance"))
    columns.check_shares(path, table, "performance")
    _check_sizes(path, table, size)
    domains = {name[0] if name else "": rows for name, rows in groups(table, ["domain"]).items()}
    chunked = "chunk" in table.columns  # else every trial is a chunk of its own
    labels = np.array(table.column("chunk"), dtype=str) if chunked else np.arange(len(table.rows))
    chunks = {name: np.unique(labels[rows], return_inverse=True)[1] for name, rows in domains.items()}
    how["k"] = min(affordable_k(c.size, int(np.bincount(c).max())) for c in chunks.values()) if k is None else k
    size_of, performance_of = (columns.floats(table, name) for name in ("size", "performance"))
    if largest is not None:
        _check_largest(largest, float(size_of.max()), size)
        how["largest"] = float(complexity.sizes([largest], None, unit=UNITS[size])[0])
    trials = {}
    for name, rows in domains.items():
        if name:
            excess.check_k(how["k"], len(rows), name)
        sizes = complexity.sizes(size_of[rows], None, unit=UNITS[size])
        measured = complexity.measure(performance_of[rows], sizes, chunk=chunks[name] if chunked else None, **how)
        trials[name] = TableTrials(measured, sizes, performance_of[rows])
    return trials


def _check_largest(largest: float, most: float, size: str) -> None:
    if not most <= largest < np.inf:
        raise InputError(
            f"the largest policy that could be drawn is given as {largest:g}, but the table has one of {most:g}; give "
            "a finite size at least as large"
        )
    if size == "linear" and largest > LINEAR:
        raise InputError(f"the largest policy that could be drawn is given as {largest:g}{_TOO_LARGE}")


def _check_sizes(path: Source, table: Table, size: str) -> None:
    for row, value in enumerate(columns.floats(table, "size")):
        if value < 1:
            raise InputError(f"{storage.place(path, table, row)}: size is {value:g}, a policy has at least 1 parameter")
        if size == "linear" and value > LINEAR:
            raise InputError(f"{storage.place(path, table, row)}: size is {value:g}{_TOO_LARGE}")


# ---- Mixture curves, and curves of domains alone -------------------------------------------------

Pair = tuple[str, ...]


def dissimilarity_from_table(
    path: Source, alone: Source | None = None, *, paired: str = "auto", **how: Any
) -> dict[Pair, Dissimilarity]:
    """Return the dissimilarity of each pair of a table ``p,performance[,repetition][,a,b][,se][,told]``.

    A table without ``a,b`` gives one entry under the empty tuple; ``se`` is the standard error of a performance where
    there are no repetitions. With ``told`` (performance when told which domain a sample is from) or ``alone`` (a table
    ``domain,p,performance[,repetition]`` of every domain trained alone with the share p of the samples) the records
    hold what the areas are made of. ``paired``: whether the points of a repetition may go together, so that errors come
    from whole repetitions: ``yes``, ``no``, or ``auto``: where the table names repetitions. ``how``: options of
    ``measures.dissimilarity.measure``.

    Raises:
        InputError: for a table that cannot be used; every repetition needs every proportion once.
    """
    _check_once(path, alone)
    table = _read(path, ("se", "told"))
    if alone is not None and "a" not in table.columns:
        raise InputError(
            f"{storage.called(path)} lacks the columns a and b, so it does not name the domains of --alone"
        )
    controls = None if alone is None else _alone(alone)
    if paired == "yes" and "repetition" not in table.columns:
        raise InputError(
            f"paired is 'yes', but {storage.called(path)} has no column repetition, which says what belongs together; "
            "add it, or leave paired at 'auto'"
        )
    whole = paired == "yes" or (paired == "auto" and "repetition" in table.columns and "se" not in table.columns)
    records: dict[Pair, Dissimilarity] = {}
    for pair, rows in groups(table, ("a", "b")).items():
        points, curves = _curves(path, table, "performance", rows, pair)
        se = None
        if "se" in table.columns:
            if len(curves) > 1:
                raise InputError(f"{storage.called(path)} has repetitions and a column se as well; give one of them")
            (se,) = _curves(path, table, "se", rows, pair)[1]
        record = dissimilarity.measure(points, curves, se=se, paired=whole, **how)
        if "told" in table.columns or controls is not None:
            told = _curves(path, table, "told", rows, pair)[1] if "told" in table.columns else None
            of_pair = None if controls is None else _of_pair(controls, pair, path, alone)
            level = how.get("confidence", 0.95)
            parts = dissimilarity.decompose(points, curves, told=told, alone=of_pair, paired=whole, confidence=level)
            record = replace(record, parts=parts)
        records[pair] = record
    return records


def relative_from_table(path: Source, twins: Source, *, confidence: float = 0.95) -> dict[Pair, Relative]:
    """Return the relative dissimilarity of each pair of a table of curves, from a table of mixtures with twins.

    A row ``a,b,twin`` of the second table ``twin,p,performance,repetition[,a,b]`` is of a mixture of the test a with
    the twin of that name of the test b; where the first table ``p,performance,repetition[,a,b]`` has no ``a,b`` the
    second has none, and every twin counts alike. Repetitions go together by name.

    Raises:
        InputError: for a table that cannot be used, or a pair without twins.
    """
    _check_once(path, twins)
    needed, numbers = ("p", "performance", "repetition"), ("p", "performance")
    curves = storage.read_table(path, needed, ("a", "b", "se", "told"), numbers)
    others = storage.read_table(twins, ("twin", *needed), ("a", "b"), numbers)
    for source, table in ((path, curves), (twins, others)):
        _check(source, table)
        if ("a" in table.columns, "b" in table.columns) != ("a" in curves.columns,) * 2:
            raise InputError(f"{storage.called(source)}: give both tables the columns a and b, or neither")
    of_twins = groups(others, ("a", "b", "twin"))
    relatives = {}
    for pair, rows in groups(curves, ("a", "b")).items():
        if pair and pair[0] == pair[1]:
            continue
        mine = {key: at for key, at in of_twins.items() if not pair or key[:2] in (pair, pair[::-1])}
        if not mine:
            raise InputError(f"{storage.called(twins)} has no mixtures with twins of {' and '.join(pair) or 'a pair'}")
        own = _departures(path, curves, rows, pair)
        against = [_departures(twins, others, at, key) for key, at in mine.items()]
        named = [name for name in own if all(name in departures for departures in against)]
        areas = [[departures[name] for name in named] for departures in (own, *against)]
        sides = [key[1] for key in mine] if pair else None
        relatives[pair] = relative(areas[0], np.reshape(areas[1:], (len(mine), -1)), sides, confidence=confidence)
    return relatives


def _check_once(path: Source, other: Source | None) -> None:
    if str(path) == str(other) == "-":
        raise InputError("both tables are '-', but standard input can be read once only; put one into a file")


def _read(path: Source, more: Sequence[str] = ()) -> Table:
    table = storage.read_table(path, ("p", "performance"), ("repetition", "a", "b", *more), ("p", "performance", *more))
    _check(path, table)
    if ("a" in table.columns) != ("b" in table.columns):
        raise InputError(f"{storage.called(path)} has only one of the columns a and b; give both or none")
    return table


def _departures(path: Source, table: Table, rows: Sequence[int], names: Pair) -> dict[str, float]:
    points, curves = _curves(path, table, "performance", rows, names)
    grid = mixture_curves.grid(points)
    repetitions = dict.fromkeys(str(table.column("repetition")[row]) for row in rows)
    return dict(zip(repetitions, (curves @ mixture_curves.area_weights(grid)).tolist(), strict=True))


def similarity_from_table(path: Source, **how: Any) -> dict[tuple[str, ...], Similarity]:
    """Return the 2020 similarity of each pair of a table ``p,performance[,repetition][,a,b]``.

    A table without ``a,b`` gives one entry under the empty tuple; a pair of one name is a self-pair.

    Raises:
        InputError: for a table that cannot be used; every repetition needs every proportion once, 0 and 1 and the
            share at which it is asked for among them.
    """
    table = _read(path)
    similarities = {}
    for pair, rows in groups(table, ("a", "b")).items():
        points, curves = _curves(path, table, "performance", rows, pair)
        try:
            similarities[pair] = similarity.measure(points, curves, self_pair=len(set(pair)) == 1, **how)
        except InputError as error:
            where = f", {pair[0]} and {pair[1]}" if pair else ""
            raise InputError(f"{storage.called(path)}{where}: {error}") from error
    return similarities


def _of_pair(controls: Mapping[str, Alone], pair: Pair, path: Source, alone: Source | None) -> list[Alone]:
    for name in pair:
        if name not in controls:
            hint = did_you_mean(name, list(controls))
            raise InputError(
                f"{storage.called(alone or '')} lacks the domain {name!r}{hint}, which {storage.called(path)} names"
            )
    return [controls[name] for name in dict.fromkeys(pair)]


def _alone(path: Source) -> dict[str, Alone]:
    table = storage.read_table(path, ("domain", "p", "performance"), ("repetition",), ("p", "performance"))
    _check(path, table)
    controls = {}
    for (name,), rows in groups(table, ("domain",)).items():
        kept = [row for row in rows if table.column("p")[row] != 0]
        if not kept:
            raise InputError(f"{storage.called(path)} has {name} with no samples only; give shares above 0")
        controls[name] = Alone(*_curves(path, table, "performance", kept, (name,)))
    return controls


def _curves(path: Source, table: Table, column: str, rows: Sequence[int], names: Pair) -> tuple[Floats, Floats]:
    name = f" of {' and '.join(names)}" if names else ""
    repetition = table.column("repetition") if "repetition" in table.columns else [""] * len(table.rows)
    cells: dict[tuple[str, float], float] = {}
    for row in rows:
        key = (str(repetition[row]), float(table.column("p")[row] or 0.0))
        if key in cells:
            extra = f" in repetition {key[0]}" if key[0] else "; add a column repetition if it was measured again"
            raise InputError(f"{storage.called(path)}: p = {key[1]:g}{name} is there twice{extra}")
        cells[key] = float(table.column(column)[row] or 0.0)
    points = sorted({p for _, p in cells})
    repetitions = list(dict.fromkeys(r for r, _ in cells))
    for r in repetitions:
        for p in points:
            if (r, p) not in cells:
                raise InputError(
                    f"{storage.called(path)}: p = {p:g}{name} is missing in repetition {r}; every one needs every p"
                )
    return np.array(points), np.array([[cells[r, p] for p in points] for r in repetitions])


def _check(path: Source, table: Table) -> None:
    for column in ("performance", "told"):
        if column in table.columns:
            columns.check_shares(path, table, column)
    for row, value in enumerate(columns.floats(table, "se") if "se" in table.columns else ()):
        if value <= 0:
            where = storage.place(path, table, row)
            raise InputError(
                f"{where}: se is {value:g}, it must be above 0; leave the column out where errors are unknown"
            )
