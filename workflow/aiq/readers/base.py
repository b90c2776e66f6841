"""What every reader is given and gives: documents in, raw scores out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from aiq.errors import InputError
from aiq.readers.documents import DamagedError, Document
from aiq.readers.rows import Rows
from aiq.records.observations import Skipped

_BATCH = 50_000


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


@dataclass(frozen=True, slots=True)
class Wanted:
    """Choices of a person: what to take where there are several, and names where there are none.

    ``metrics``: in order of preference; ``names``: of tasks of arrays; ``items``: scores of items instead of tests;
    ``cluster``: the field of an item by which items belong together; ``columns``, ``drop``, ``rename``: columns of
    tables, and tests of all else.
    """

    metrics: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    items: bool = False
    cluster: str | None = None
    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    rename: Mapping[str, str] = field(default_factory=dict)

    def pick(self, there: Sequence[str], usual: Sequence[str] = ()) -> str | None:
        """Return the first metric asked for that is there, else the first usual one, else None."""
        return next((name for name in (*self.metrics, *usual) if name in there), None)


@dataclass(slots=True)
class Reading:
    """What a reader found.

    ``variant`` is what the variants of agents are called; ``apart`` is true where agents of several variants are
    always several agents, not only where two of them have a score on one test. ``guess`` is true where the scale of
    a test may be told from its scores, ``lenient`` where tests on no known scale are left out instead of refused.
    ``companions`` are names of files that were read beside others.
    """

    rows: Rows = field(default_factory=Rows)
    skipped: list[Skipped] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)
    variant: str = "variant"
    apart: bool = False
    guess: bool = False
    lenient: bool = False
    companions: set[str] = field(default_factory=set)
    damaged: list[InputError] = field(default_factory=list)
    _waiting: list[Raw] = field(default_factory=list)

    def skip(self, name: str, reason: str) -> None:
        """List something that is not taken."""
        self.skipped.append(Skipped(name, reason))

    def decide(self, sentence: str) -> None:
        """State what was done to the numbers, once."""
        if sentence not in self.decisions:
            self.decisions.append(sentence)

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
        mark = (self.rows.mark(), len(self.skipped))
        try:
            yield
        except DamagedError as error:
            self._waiting.clear()
            self.rows.cut(mark[0])
            del self.skipped[mark[1] :]
            self.skip(document.name, f"damaged: {error}")
            self.damaged.append(error)


@dataclass(frozen=True, slots=True)
class Format:
    """One format: how a document of it is known by its content, and how documents of it are read.

    ``takes`` are the choices of ``Wanted`` that mean something to it. ``knows_items`` and ``load_items`` are the same
    for scores of items, None where the format has none.
    """

    name: str
    words: str
    knows: Callable[[Document], bool] | None
    load: Callable[[Sequence[Document], Wanted], Reading] | None
    takes: tuple[str, ...] = ()
    knows_items: Callable[[Document], bool] | None = None
    load_items: Callable[[Sequence[Document], Wanted], Reading] | None = None


def text(value: object, default: str = "") -> str:
    """Return a value as a name, or the default where it is no text."""
    return value if isinstance(value, str) and value else default


def number(value: object) -> float | None:
    """Return a JSON value as a number, None where it is none (true and false are none)."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def part(value: object, *keys: str) -> Mapping[str, object]:
    """Return the mapping that keys lead to, empty where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def seconds(value: object) -> float:
    """Return a date as seconds since 1970: a number as it is, text by ISO 8601; NaN where it is none."""
    if isinstance(value, str):
        try:
            parsed = datetime.fromisoformat(value)
        except ValueError:
            return math.nan
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
    found = number(value)
    return math.nan if found is None else found
