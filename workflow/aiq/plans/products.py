"""Figures and tables, each declared once: rules, jobs, the report and the page of figures read what stands here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aiq.plans.charts import Chart

Of = Callable[[Any], Any]  # of the plan of the measure


def always(plan: Any) -> bool:
    """Whether a product without a condition is made."""
    return True


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure, or one per domain, pair or the like.

    Attributes:
        name: its name in file names; with ``{}`` a pattern that ``each`` fills.
        category: its place in the report.
        subcategory: its place within the category.
        shows: the entry of ``figures.FIGURES`` that draws it, also the file of its caption in ``workflow/report``;
            empty where it is the name.
        caption: file of its caption where that is another one.
        when: whether a plan has it.
        each: what fills the pattern.
        title: its heading on the page, where that is not its name; with ``{}`` as in the name.
        chart: what the page draws of its table; None shows the picture alone.
        paged: whether the page has it (another figure of the page may show the same).
    """

    name: str
    category: str
    subcategory: str | None = None
    shows: str = ""
    caption: str = ""
    when: Callable[[Any], bool] = always
    each: Callable[[Any], Sequence[str]] | None = None
    title: str = ""
    chart: Chart | None = None
    paged: bool = True

    @property
    def entry(self) -> str:
        """The entry of ``figures.FIGURES`` that draws it."""
        return self.shows or self.name

    @property
    def caption_file(self) -> str:
        """The file of its caption in ``workflow/report``, without suffix."""
        return self.caption or self.entry

    def names(self, plan: Any) -> list[str]:
        """Return the names that a plan has: none, one, or one per word that fills the pattern."""
        if not self.when(plan):
            return []
        return [self.name] if self.each is None else [self.name.format(word) for word in self.each(plan)]

    def heading(self, name: str) -> str:
        """Return the heading of a figure of this name on the page."""
        before, _, after = self.name.partition("{}")
        word = name.removeprefix(before).removesuffix(after)
        return self.title.format(word) if self.title else name.replace("-", " ").capitalize()


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its name, its place in the report, the file of its caption, and whether a plan has it."""

    name: str
    category: str
    caption: str = "tables"
    when: Callable[[Any], bool] = always


@dataclass(frozen=True, slots=True)
class Products:
    """Figures and tables that one job makes.

    Attributes:
        name: the rule.
        needs: the files that it reads, by word.
        follows: the fingerprint, or fingerprints, of what it shows; a change of it redoes the job.
        figures: the figures.
        tables: the tables.
        megabytes: memory that it asks for.
        minutes: time that it asks for.
        when: whether a plan has it.
    """

    name: str
    needs: Callable[[Any], Mapping[str, list[str]]]
    follows: Of
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    megabytes: Callable[[Any], int] = lambda plan: 1000
    minutes: Callable[[Any], int] = lambda plan: 10
    when: Callable[[Any], bool] = always

    def figure_names(self, plan: Any) -> list[str]:
        """Return the names of the figures that a plan has."""
        return [name for figure in self.figures for name in figure.names(plan)]

    def table_names(self, plan: Any) -> list[str]:
        """Return the names of the tables that a plan has."""
        return [table.name for table in self.tables if table.when(plan)]
