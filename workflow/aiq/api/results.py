"""What all results have in common: value, interval, n, how they are shown, and their figure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from aiq.records.table import Shown, words

if TYPE_CHECKING:
    from pandas import DataFrame

    from aiq.figures import Drawing
    from aiq.records.table import Table

Interval = tuple[float, float]
_ROOM = "padding:.15em .6em;white-space:nowrap"
K = TypeVar("K")
R = TypeVar("R", bound="Number")


class Result(ABC):
    """A frozen record of results: shown as a table with its sentences, on the screen and in a notebook."""

    @abstractmethod
    def shown(self) -> Shown:
        """Return the table and sentences that the verb of the same name prints."""

    @abstractmethod
    def table(self) -> Table:
        """Return all numbers as a table; every interval has a column for each end."""

    @abstractmethod
    def as_dict(self) -> dict[str, Any]:
        """Return what the verb of the same name gives with ``--json``."""

    @abstractmethod
    def plot(self) -> Drawing:
        """Draw the result.

        Returns:
            the drawing: ``figure`` is matplotlib's, ``caption`` and ``alt`` its words, ``table`` its numbers; a
            notebook shows picture and caption.
        """

    def to_frame(self) -> DataFrame:
        """Return all numbers as a pandas data frame; what is not known is NaN."""
        return frame(self.table())

    def __repr__(self) -> str:
        """Return the table and its sentences as text."""
        return text(self.shown())

    def _repr_html_(self) -> str:
        """Return the table and its sentences for a notebook."""
        return html(self.shown())


def frame(table: Table) -> DataFrame:
    """Return a table as a pandas data frame; what is not known is NaN."""
    from pandas import DataFrame

    nan = float("nan")
    return DataFrame([[nan if cell is None else cell for cell in row] for row in table.rows], columns=[*table.columns])


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
        return {name: one.value for name, one in self.items()}

    @property
    def interval(self) -> dict[K, Interval | None]:
        """The interval of each name."""
        return {name: one.interval for name, one in self.items()}

    @property
    def n(self) -> dict[K, int]:
        """How many observations stand behind each."""
        return {name: one.n for name, one in self.items()}

    def __getitem__(self, name: K) -> R:
        """Return one result by name."""
        return self.items_[name]

    def __iter__(self) -> Iterator[K]:
        """Iterate over the names."""
        return iter(self.items_)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.items_)


def text(shown: Shown) -> str:
    """Return a table with aligned columns, and the sentences below it."""
    from rich import box
    from rich.console import Console
    from rich.markup import escape as plain
    from rich.table import Table as Grid

    grid = Grid(title=shown.title or None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for place, column in enumerate(shown.columns):
        numeric = all(not isinstance(row[place], str) for row in shown.rows)
        grid.add_column(plain(column), justify="right" if numeric else "left", overflow="fold")
    for row in shown.rows:
        grid.add_row(*(plain(words(cell)) for cell in row))
    out = StringIO()
    Console(file=out, width=180, highlight=False, color_system=None, force_jupyter=False).print(grid)
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    return "\n".join([*(line for line in lines if line), *shown.sentences])


def html(shown: Shown) -> str:
    """Return a table with a caption, and the sentences below it as paragraphs."""
    head = "".join(f'<th scope="col" style="{_ROOM}">{escape(column)}</th>' for column in shown.columns)
    body = "".join(f"<tr>{''.join(_cell(cell) for cell in row)}</tr>" for row in shown.rows)
    title = f"<caption>{escape(shown.title)}</caption>" if shown.title else ""
    notes = "".join(f"<p>{escape(sentence)}</p>" for sentence in shown.sentences)
    return (
        f'<div class="aiq" style="overflow-x:auto"><table class="dataframe">{title}<thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>{notes}</div>"
    )


def _cell(cell: object) -> str:
    """Return one cell; numbers and intervals stand right."""
    side = "left" if isinstance(cell, str) else "right"
    return f'<td style="{_ROOM};text-align:{side}">{escape(words(cell))}</td>'
