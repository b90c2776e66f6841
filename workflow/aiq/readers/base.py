"""What every reader is given and gives: documents in, raw scores out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple, overload

import numpy as np
import pandas

from aiq.errors import InputError
from aiq.readers.documents import DamagedError, Document
from aiq.records.observations import Skipped

_BATCH = 50_000
_NUMBERS: dict[str, tuple[Any, Any]] = dict.fromkeys(
    ("value", "se", "low", "high", "weight", "date"), (np.float64, np.nan)
)
_NUMBERS |= {"lower": (np.bool_, False), "bounded": (np.bool_, True), "line": (np.int32, 0)}
"""Columns that are no names -> their type, and what stands where a piece lacks one."""


class Raw(NamedTuple):
    """A score as a program wrote it.

    ``low`` and ``high`` are the ends of its range where the file states them. ``lower`` is true where lower is better.
    ``bounded`` is false where the metric is known to leave [0, 1], so that a range must be stated. ``run`` tells
    repetitions apart: two scores of one agent, domain, item and run are a duplicate. ``variant`` is what tells agents
    of one name apart (a revision, an image size), ``date`` when the score was made, in seconds since 1970. ``where``
    names the file and ``line`` its line, 0 where it has none.
    """

    agent: str
    domain: str
    value: float
    where: str
    run: str = ""
    se: float = math.nan
    lower: bool = False
    low: float = math.nan
    high: float = math.nan
    bounded: bool = True
    metric: str = "score"
    variant: str = ""
    date: float = math.nan
    item: str | None = None
    cluster: str | None = None
    epoch: str | None = None
    weight: float = math.nan
    line: int = 0


class Rows:
    """Many rows in little memory: they come in pieces, a name is stored once, numbers are arrays."""

    def __init__(self) -> None:
        self._codes: dict[str, dict[Any, int]] = {}
        self.pieces: list[dict[str, Any]] = []

    def __len__(self) -> int:
        """Return the number of rows."""
        return sum(len(piece["value"]) for piece in self.pieces)

    def add(self, columns: Mapping[str, Any]) -> None:
        """Take a piece: columns of one length, or one cell for all rows; ``value`` must be a column."""
        piece = {}
        for name, cells in columns.items():
            values = np.asarray(cells, dtype=_NUMBERS[name][0]) if name in _NUMBERS else self._coded(name, cells)
            if name == "value" or not np.all(np.isnan(values) if values.dtype == np.float64 else values < 0):
                piece[name] = values if values.ndim else np.full(len(columns["value"]), values)
        if len(columns["value"]):
            self.pieces.append(piece)

    def names(self, column: str) -> list[str]:
        """Return the names in a column so far."""
        return list(self._codes.get(column, ()))

    def choose(self, column: str, kept: Sequence[str], drop: Sequence[str], rename: Mapping[str, str]) -> None:
        """Keep the rows with some names (all where none are named) and not with others; rename, joining equal names."""
        old = self.names(column)
        if not old or not (kept or {*drop, *rename} & {*old}):
            return
        new = [rename.get(name, name) for name in old]
        codes = {name: code for code, name in enumerate(dict.fromkeys(new))}
        places = np.array([codes[name] for name in new], dtype=np.int32)
        stays = np.array([
            name not in drop and (not kept or not {*kept}.isdisjoint(names))
            for name, *names in zip(old, old, new, strict=True)
        ])  # fmt: skip
        for piece in self.pieces:
            mask = stays[piece[column]]
            piece.update({name: cells[mask] for name, cells in piece.items()})
            piece[column] = places[piece[column]]
        self._codes[column] = codes

    def frame(self) -> Any:
        """Return all rows as a pandas data frame, and forget them."""
        counts = [len(piece["value"]) for piece in self.pieces]
        columns = {}
        for name in dict.fromkeys(name for piece in self.pieces for name in piece):
            kind, empty = _NUMBERS.get(name, (np.int32, -1))
            parts = [piece.pop(name, None) for piece in self.pieces]
            whole = np.concatenate(
                [np.full(n, empty, dtype=kind) if p is None else p for p, n in zip(parts, counts, strict=True)]
            )
            if name in self._codes:
                whole = pandas.Categorical.from_codes(whole, pandas.Index(self.names(name), dtype=object))
            columns[name] = whole
        self.pieces.clear()
        return pandas.DataFrame(columns, copy=False)

    def _coded(self, name: str, cells: Any) -> Any:
        code_of = self._codes.setdefault(name, {})
        if cells is None or isinstance(cells, str):
            return np.asarray(-1 if cells is None else code_of.setdefault(cells, len(code_of)), dtype=np.int32)
        codes, unique = pandas.factorize(np.asarray(cells, dtype=object))
        places = np.array([code_of.setdefault(cell, len(code_of)) for cell in unique] or [0], dtype=np.int32)
        return np.where(codes < 0, np.int32(-1), places[codes])


@dataclass(frozen=True, slots=True)
class Wanted:
    """Choices of a person: what to take where there are several, and names where there are none.

    ``metrics``: in order of preference; ``names``: of tasks of arrays; ``items``: scores of items instead of tests;
    ``cluster``: the field of an item by which items belong together; ``columns``, ``drop``: columns of tables, and
    tests of all else; ``known``: tests with scores in [0, 1], 1 is best, whatever their names say.
    """

    metrics: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    items: bool = False
    cluster: str | None = None
    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    known: tuple[str, ...] = ()

    def pick(self, there: Sequence[str], usual: Sequence[str] = ()) -> str | None:
        """Return the first metric asked for that is there, else the first usual one, else None."""
        return next((name for name in (*self.metrics, *usual) if name in there), None)


@dataclass(slots=True)
class Reading:
    """What a reader found.

    ``variant`` is what the variants of agents are called; ``apart`` is true where agents of several variants are
    always several agents, not only where two of them have a score on one test. ``guess`` is true where the scale of
    a test may be told from its scores, ``lenient`` where tests on no known scale are left out instead of refused.
    ``files`` is how many are read, ``companions`` are names of files that were read beside others. ``blank`` holds the
    agents and tests of rows without a score; ``numbered`` is true where all tables number their repetitions.
    """

    variant: str = "variant"
    apart: bool = False
    guess: bool = False
    lenient: bool = False
    files: int = 1
    numbered: bool = False
    rows: Rows = field(default_factory=Rows)
    skipped: list[Skipped] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)
    companions: set[str] = field(default_factory=set)
    blank: dict[str, dict[str, None]] = field(default_factory=lambda: {"agent": {}, "domain": {}})
    damaged: list[InputError] = field(default_factory=list)
    _waiting: list[Raw] = field(default_factory=list)

    def skip(self, name: str, reason: str) -> None:
        """List something that is not taken."""
        self.skipped.append(Skipped(name, reason))

    def decide(self, sentence: str) -> None:
        """State what was done to the numbers, once."""
        if sentence not in self.decisions:
            self.decisions.append(sentence)

    def number(self, numbered: bool) -> None:
        """Note before the rows of a table are taken whether it numbers its repetitions."""
        self.numbered = numbered and (self.numbered or not len(self.rows))

    def add(self, raw: Raw) -> None:
        """Take a score."""
        self._waiting.append(raw)
        if len(self._waiting) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Turn scores that were taken one by one into columns."""
        if self._waiting:
            self.rows.add(dict(zip(Raw._fields, zip(*self._waiting, strict=True), strict=True)))
            self._waiting.clear()

    @contextmanager
    def of(self, document: Document) -> Iterator[None]:
        """Read one file: where it is damaged, nothing of it is kept, and it is listed among the skipped."""
        self.flush()
        pieces, skipped = len(self.rows.pieces), len(self.skipped)
        try:
            yield
        except DamagedError as error:
            self._waiting.clear()
            del self.rows.pieces[pieces:]
            del self.skipped[skipped:]
            self.skip(document.name, f"damaged: {error}")
            self.damaged.append(error)


def text(value: object, default: str = "") -> str:
    """Return a value as a name, or the default where it is no text."""
    return value if isinstance(value, str) and value else default


@overload
def number(value: object) -> float | None: ...
@overload
def number(value: object, default: float) -> float: ...
def number(value: object, default: float | None = None) -> float | None:
    """Return a JSON value as a number, the default where it is none (true and false are none)."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else default


def part(value: object, *keys: str) -> Mapping[str, object]:
    """Return the mapping that keys lead to, empty where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def parts(value: object) -> list[Mapping[str, object]]:
    """Return the members of a JSON list as mappings; none where it is no list."""
    return [part(member) for member in value] if isinstance(value, list) else []


def seconds(value: object) -> float:
    """Return a date as seconds since 1970: a number as it is, text by ISO 8601; NaN where it is none."""
    if isinstance(value, str):
        try:
            parsed = datetime.fromisoformat(value)
        except ValueError:
            return math.nan
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
    return number(value, math.nan)


def listed(names: Sequence[str], most: int = 8) -> str:
    """Return names for a sentence, the first few of them; those with a comma in quotes."""
    first = [repr(name) if "," in name else name for name in names[:most]]
    return ", ".join(first) + (f" and {len(names) - most} more" if len(names) > most else "")
