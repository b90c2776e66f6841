"""What the page draws of a figure's table beside its static picture, declared where the figure is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines over a number, with intervals where the table has ``{y}_low`` and ``{y}_high``.

    Attributes:
        x: column of the horizontal axis; of two columns the middle.
        y: columns that can be shown, each with the words of its axis.
        by: column with one line per word; empty for a single line.
        title: words of the horizontal axis, with units.
        facets: columns of which one word is shown at a time.
        log_x: whether the horizontal axis is logarithmic.
        log_y: columns of ``y`` whose axis is logarithmic.
        joined: whether the points are joined.
        ranged: whether the interval of ``x[0]`` is drawn too (columns ``_low`` and ``_high``).
    """

    x: tuple[str, ...]
    y: tuple[tuple[str, str], ...]
    by: str
    title: str
    facets: tuple[str, ...] = ()
    log_x: bool = False
    log_y: tuple[str, ...] = ()
    joined: bool = True
    ranged: bool = False


@dataclass(frozen=True, slots=True)
class Dots:
    """One row per word of a column, with one dot and interval per number.

    Attributes:
        label: column of the words.
        values: columns of numbers, each with its words.
        title: words of the axis of the numbers.
        ends: ends of that axis; None for as far as the numbers reach.
    """

    label: str
    values: tuple[tuple[str, str], ...]
    title: str
    ends: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Stack:
    """Bars that are put together from parts.

    Attributes:
        x: column of the bars.
        y: column of the heights.
        by: column of the parts.
        titles: words of the two axes.
    """

    x: str
    y: str
    by: str
    titles: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Spectrum:
    """Eigenvalues with their intervals and thresholds on a logarithmic axis."""


@dataclass(frozen=True, slots=True)
class SpaceView:
    """The intelligence space: in three dimensions, in any two, with the hulls of suite and agents.

    Attributes:
        performances: table of agents' performances, which scale the points.
        lengths: table with the domains' lengths and their intervals.
    """

    performances: str = "performance"
    lengths: str = "complexity"


@dataclass(frozen=True, slots=True)
class Matrix:
    """Pairs of domains as coloured cells; choosing a cell shows the pair's mixture curves.

    Attributes:
        table: table of all pairs with their values.
        values: columns that can be shown, each with its words.
        curves: figure whose table holds the curves of all pairs.
    """

    table: str
    values: tuple[tuple[str, str], ...]
    curves: str


@dataclass(frozen=True, slots=True)
class Curves:
    """Complexity curves, one domain at a time, with the trials behind them."""


Chart = Lines | Dots | Stack | Spectrum | SpaceView | Matrix | Curves
