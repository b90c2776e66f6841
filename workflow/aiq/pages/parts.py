"""What a page is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiq.records.table import Table

Trace = dict[str, Any]
"""One series as plotly.js takes it."""

INK, MUTED = "#000000", "#6E6E6E"
"""Colours that follow the theme: the page's script puts that of its text, and of its fainter text, in their place."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Tables that charts are made from, by name: those beside figures, and those of results.

    ``words`` replace words of axes by those with the units of the run.
    """

    figures: Mapping[str, Table]
    tables: Mapping[str, Table]
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Choice:
    """A list from which one word is chosen, with its label."""

    label: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A chart: one view per combination of choices.

    ``views`` are keyed by the numbers of the chosen words, joined by commas (empty without choices); each has
    ``data`` and ``layout`` as plotly.js takes them. ``height`` in pixels. ``more`` is what the script of a ``kind``
    of its own needs besides. ``note`` is a sentence to be read with the chart.
    """

    kind: str
    choices: tuple[Choice, ...] = ()
    views: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    height: int = 420
    more: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        return {
            "kind": self.kind,
            "choices": [{"label": one.label, "words": list(one.words)} for one in self.choices],
            "views": dict(self.views),
            "height": self.height,
            **self.more,
        }


@dataclass(frozen=True, slots=True)
class Numbers:
    """A table of the page: its name in files, the folder of its file, its words, and what it cannot tell."""

    name: str
    folder: str
    table: Table
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure of the page: title, caption, text for those who do not see it, chart, picture (PNG), numbers."""

    name: str
    title: str
    caption: str
    alt: str
    numbers: Numbers
    picture: bytes
    chart: Drawn | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page under one heading."""

    name: str
    title: str
    figures: Sequence[Shown] = ()
    tables: Sequence[Numbers] = ()


@dataclass(frozen=True, slots=True)
class Lead:
    """What the page opens with: the main table, and the sentences that say how far it can be trusted."""

    title: str
    table: Table
    trust: Sequence[str]


@dataclass(frozen=True, slots=True)
class Page:
    """A whole page.

    ``facts`` are short pairs (word, value) under the title; ``settings`` is the configuration as YAML, ``origin``
    pairs (word, value) that tell what made the results. ``beside``: whether tables and pictures lie beside the page;
    ``crate``: the file beside it that describes all of them as an RO-Crate, empty where there is none.
    """

    title: str
    measure: str
    facts: Sequence[tuple[str, str]]
    lead: Lead
    sections: Sequence[Section]
    settings: str
    origin: Sequence[tuple[str, str]]
    beside: bool = True
    crate: str = ""
