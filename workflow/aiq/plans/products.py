"""Figures and tables, each declared once: rules, jobs, the report and the page of figures read what stands here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

Of = Callable[[Any], Any]  # of the plan of the measure
PER_JOB = 100  # figures that one job draws; where there are more, several jobs share them
LEAST_MINUTES = 10


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
        turned: whether the page draws it as a space that can be turned, beside the picture.
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
    turned: bool = False
    paged: bool = True

    @property
    def entry(self) -> str:
        """The entry of ``figures.FIGURES`` that draws it."""
        return self.shows or self.name

    @property
    def caption_file(self) -> str:
        """The file of its caption, without suffix (see ``plans.workflow.caption``)."""
        return self.caption or self.entry

    def names(self, plan: Any) -> list[str]:
        """Return the names that a plan has: none, one, or one per word that fills the pattern."""
        if not self.when(plan):
            return []
        return [self.name] if self.each is None else [self.name.format(word) for word in self.each(plan)]

    def among(self, plan: Any, names: Collection[str]) -> Figure | None:
        """Return the part of the figure, or of the pattern, that has some of the names; None where it has none."""
        own = self.names(plan)
        kept = [name for name in own if name in names]
        if self.each is None or len(kept) == len(own):
            return self if kept else None
        words = [word for word, name in zip(self.each(plan), own, strict=True) if name in names]
        return replace(self, each=lambda plan: words) if kept else None

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
        shares: the job whose figures it draws a part of; empty where it draws its own.
        beside: whether it is an analysis that a run can do without: where it fails, its figures and tables say why,
            and the page is written all the same.
    """

    name: str
    needs: Callable[[Any], Mapping[str, list[str]]]
    follows: Of
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    megabytes: Callable[[Any], int] = lambda plan: 1000
    minutes: Callable[[Any], int] = lambda plan: 10
    when: Callable[[Any], bool] = always
    shares: str = ""
    beside: bool = False

    @property
    def maker(self) -> str:
        """The job under whose name the measure draws and tabulates."""
        return self.shares or self.name

    def jobs(self, plan: Any) -> list[Products]:
        """Return the job itself, or, where it has very many figures, several that share them; the first has the tables.

        Time is asked for in proportion to the figures.
        """
        names = self.figure_names(plan)
        if len(names) <= PER_JOB:
            return [self]

        def minutes(share: float) -> Callable[[Any], int]:
            return lambda plan: max(LEAST_MINUTES, ceil(share * self.minutes(plan)))

        jobs = []
        for first in range(0, len(names), PER_JOB):
            own = frozenset(names[first : first + PER_JOB])
            parts = tuple(part for figure in self.figures if (part := figure.among(plan, own)) is not None)
            number = first // PER_JOB + 1
            jobs.append(
                replace(
                    self,
                    name=self.name if first == 0 else f"{self.name}_{number}",
                    shares=self.name,
                    figures=parts,
                    tables=self.tables if first == 0 else (),
                    minutes=minutes(len(own) / len(names)),
                )
            )
        return jobs

    def figure_names(self, plan: Any) -> list[str]:
        """Return the names of the figures that a plan has."""
        return [name for figure in self.figures for name in figure.names(plan)]

    def table_names(self, plan: Any) -> list[str]:
        """Return the names of the tables that a plan has."""
        return [table.name for table in self.tables if table.when(plan)]
