"""What all results have in common: value, interval, n, how they are shown, and their figure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from aiq.records.table import Display, words

if TYPE_CHECKING:
    from pandas import DataFrame
    from rich.table import Table as Grid

    from aiq.figures import Drawing
    from aiq.records.table import Table

Interval = tuple[float, float]
_ROOM = "padding:.15em .6em;white-space:nowrap"
K = TypeVar("K")
R = TypeVar("R", bound="Number")


class Result(ABC):
    """A frozen record of results: shown as tables with sentences, on the screen and in a notebook.

    Attributes:
        record: everything that was measured.
    """

    record: Any

    @abstractmethod
    def parts(self) -> Sequence[Display]:
        """Return the tables and sentences that the verb of the same name prints."""

    @abstractmethod
    def plot(self) -> Drawing:
        """Draw the result.

        Returns:
            the drawing: ``figure`` is matplotlib's, ``caption`` and ``alt`` its words, ``table`` its numbers; a
            notebook shows picture and caption.
        """

    def table(self) -> Table:
        """Return all numbers as a table; every interval has a column for each end."""
        table: Table = self.record.table()
        return table

    def as_dict(self) -> dict[str, Any]:
        """Return what the verb of the same name gives with ``--json``."""
        return dict(self.record.as_dict())

    def display(self) -> Display:
        """Return the table and sentences that are printed last."""
        return self.parts()[-1]

    def to_frame(self) -> DataFrame:
        """Return all numbers as a pandas data frame; what is not known is NaN."""
        return frame(self.table())

    def __repr__(self) -> str:
        """Return tables and sentences as text."""
        return "\n\n".join(_text(part) for part in self.parts())

    def _repr_html_(self) -> str:
        return "".join(_html(part) for part in self.parts())


class Number(Result):
    """A result with one headline number."""

    @property
    @abstractmethod
    def value(self) -> float | None:
        """The number; None where it is undetermined."""

    @property
    @abstractmethod
    def interval(self) -> Interval | None:
        """Its confidence interval; None where nothing is known of its error."""

    @property
    @abstractmethod
    def n(self) -> int:
        """How many observations stand behind it."""


class Numbers(Result, Mapping[K, R], Generic[K, R]):
    """A result with several named numbers: a mapping from name to the result of each."""

    items_: Mapping[K, R]

    @property
    def value(self) -> dict[K, float | None]:
        """The number of each name."""
        return {name: number.value for name, number in self.items()}

    @property
    def interval(self) -> dict[K, Interval | None]:
        """The interval of each name."""
        return {name: number.interval for name, number in self.items()}

    @property
    def n(self) -> dict[K, int]:
        """How many observations stand behind each."""
        return {name: number.n for name, number in self.items()}

    @property
    def records(self) -> dict[Any, Any]:
        """Everything that was measured of each name."""
        return {name: number.record for name, number in self.items()}

    def __getitem__(self, name: K) -> R:
        """Return one result by name."""
        return self.items_[name]

    def __iter__(self) -> Iterator[K]:
        """Iterate over the names."""
        return iter(self.items_)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.items_)


def frame(table: Table) -> DataFrame:
    """Return a table as a pandas data frame; what is not known is NaN."""
    from pandas import DataFrame

    nan = float("nan")
    return DataFrame([[nan if cell is None else cell for cell in row] for row in table.rows], columns=[*table.columns])


def grid(table: Display, **style: Any) -> Grid:
    """Return a table for the screen: text left, numbers right, long cells folded and never cut off."""
    from rich.markup import escape as plain
    from rich.table import Table as Grid

    made = Grid(title=table.title or None, title_justify="left", **style)
    for place, column in enumerate(table.columns):
        numeric = all(not isinstance(row[place], str) for row in table.rows)
        made.add_column(plain(column), justify="right" if numeric else "left", overflow="fold")
    for row in table.rows:
        made.add_row(*(plain(words(cell)) for cell in row))
    return made


def _text(table: Display) -> str:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console

    out = StringIO()
    console = Console(file=out, width=180, highlight=False, color_system=None, force_jupyter=False)
    console.print(grid(table, box=SIMPLE_HEAD, pad_edge=False))
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    return "\n".join([*(line for line in lines if line), *table.sentences])


def _html(table: Display) -> str:
    head = "".join(f'<th scope="col" style="{_ROOM}">{escape(column)}</th>' for column in table.columns)
    body = "".join(f"<tr>{''.join(_cell(cell) for cell in row)}</tr>" for row in table.rows)
    title = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    notes = "".join(f"<p>{escape(sentence)}</p>" for sentence in table.sentences)
    return (
        f'<div class="aiq" style="overflow-x:auto"><table class="dataframe">{title}<thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>{notes}</div>"
    )


def _cell(cell: object) -> str:
    side = "left" if isinstance(cell, str) else "right"  # numbers and intervals stand right
    return f'<td style="{_ROOM};text-align:{side}">{escape(words(cell))}</td>'
