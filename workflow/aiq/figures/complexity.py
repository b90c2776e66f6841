"""Complexity curves of domains with the trials behind them (2025 paper, Fig. 2), and complexity against k."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, figure, finish
from aiq.records.complexity import BestOfK, Complexity, ComplexityCurve, KCurve
from aiq.records.estimate import Floats, freeze
from aiq.records.table import Table, bounds, counted

Look = tuple[str, str]  # colour and hatching of bins

_REACHED, _FILLED = (style.SKY, ""), (style.ORANGE, "/////")
_FILLINGS = {
    "observed": (_REACHED, "observed bins"),
    "interpolated": ((style.GREEN, "\\\\\\\\\\"), "interpolated bins"),
    "held": ((style.PALE, "....."), "held (below the lowest observed)"),
    "extrapolated": (_FILLED, "extrapolated (above the highest observed)"),
}
_COLUMNS = (
    "domain", "kind", "performance", "performance_low", "performance_high", "size", "filling", "smallest", "missed",
    "mccp", "mccp_low", "mccp_high", "extrapolated_share",
)  # fmt: skip
_WRITTEN = ("performance", "policy size (log₂ parameters)", "trial", "expected smallest of", "base")


@dataclass(frozen=True, slots=True, eq=False)
class DomainTrials:
    """A domain's complexity together with the trials from which it came.

    ``performance`` (n,) in [0, 1], NaN where a trial failed; ``size`` (n,) in the unit in which the
    complexity was measured.
    """

    domain: str
    complexity: Complexity
    performance: Floats
    size: Floats

    def __post_init__(self) -> None:
        freeze(self)
        if self.performance.ndim != 1 or self.performance.shape != self.size.shape:
            raise ValueError(f"{self.performance.size} performances do not go with {self.size.size} sizes")

    @classmethod
    def of(cls, domain: str, complexity: Complexity, performance: npt.ArrayLike, size: npt.ArrayLike) -> DomainTrials:
        """Make one from anything that numpy reads."""
        return cls(domain, complexity, np.asarray(performance), np.asarray(size))


@figure("complexity-curve", *_WRITTEN)
def complexity_curve(measured: DomainTrials, *, unit: str = "log2") -> Drawing:
    """Draw the complexity curve of one domain.

    The blue steps are the expected smallest of k policies for each performance bin (with the paper's minimum: the
    smallest of all), the shaded area under them is the MCCP; what no policy reached has a colour and hatching of its
    own. The smallest of all is drawn dashed, with the base, under MCCP@k. Dots are trials. ``unit``: what counts as
    size: ``log2``, ``linear``, ``parameters``, ``bytes`` or ``compressed``.
    """
    complexity = measured.complexity
    expected = _asked_for(complexity)
    value = f"MCCP{f'@{expected.k}' if expected else ''} {style.estimate_words(complexity.estimate)}"
    headline = f"{value}, {complexity.extrapolated_share:.0%} {_filled(complexity)}{_flag(complexity)}"
    figure = style.new_figure(style.SINGLE, 3.0)
    axes = figure.subplots()
    _draw(axes, measured, dots=9.0)
    axes.set_title(f"{measured.domain}\n{headline}", color=_ink(complexity))
    axes.set_xlabel("performance")
    axes.set_ylabel(style.size_label(unit))
    axes.set_ylim(0, _top([measured]))
    _legend(figure, [measured], columns=1)
    shows = _minimum_words(complexity, value, unit) if expected is None else _expected_words(complexity, expected, unit)
    caption = f"Complexity curve of {measured.domain}: {shows}"
    return finish(figure, _table([measured]), caption, f"{measured.domain}: {headline}.")


@figure("complexity-panel", *_WRITTEN)
def complexity_panel(measured: Sequence[DomainTrials], *, unit: str = "log2") -> Drawing:
    """Draw the complexity curves of all domains of a suite side by side on common axes.

    Of more than 24 domains 24 are drawn, evenly spread from the least to the most complex; the table has all.

    Raises:
        InputError: there is no domain.
    """
    if not measured:
        raise InputError("there is no domain whose complexity could be drawn; measure at least one")
    drawn = [measured[k] for k in style.evenly([m.complexity.value for m in measured], style.PICTURES)]
    figure, grid = style.panels(len(drawn), "performance", room=0.75)
    for axes, entry in zip(grid, drawn, strict=True):
        _draw(axes, entry, dots=4.0)
        title = f"{entry.domain}\n{style.estimate_words(entry.complexity.estimate)}{_flag(entry.complexity)}"
        axes.set_title(title, fontsize=style.SMALL, color=_ink(entry.complexity))
        axes.xaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
    grid[0].set_ylim(0, _top(drawn))
    figure.supylabel(style.size_label(unit), fontsize=style.NORMAL)
    _legend(figure, drawn, columns=2 if len(drawn) > 1 else 1)
    flagged = [m.domain for m in drawn if m.complexity.mostly_extrapolated]
    warning = f" More than half {_filled(drawn[0].complexity)}: {', '.join(flagged)}." if flagged else ""
    expected, what, also = _asked_for(drawn[0].complexity), "the smallest policy size", ""
    if expected is not None:
        what = f"the expected size of the smallest of {expected.k} policies"
        also = " Dashed: the smallest of all policies, which falls as the pool grows."
    caption = (
        f"Complexity curves of {len(measured)} domains on common axes: {what} that reaches each performance; the "
        f"area under the steps is the MCCP (above each panel, with its interval; {style.complexity_units(unit)}). Dots "
        f"are trials.{also}{warning}{style.left_out(len(drawn), len(measured))}"
    )
    values = ", ".join(f"{m.domain} {style.number(m.complexity.value)}" for m in drawn)
    return finish(figure, _table(measured), caption, f"Complexity curves. MCCP: {values}.")


def _asked_for(complexity: Complexity) -> BestOfK | None:
    return complexity.best_of_k if complexity.estimator == "best_of_k" else None


# ---- Marks ---------------------------------------------------------------------------------------


def _draw(axes: Axes, measured: DomainTrials, dots: float) -> None:
    curve, expected = measured.complexity.curve, _asked_for(measured.complexity)
    if expected is None:
        for filling, (look, _) in _FILLINGS.items():
            size = np.where([how == filling for how in curve.filling], curve.size, 0.0)
            _bars(axes, curve, np.zeros_like(size), size, look)
        axes.stairs(curve.size, curve.edges, baseline=None, color=style.BLUE, linewidth=1.3, zorder=3)
    else:
        reached = expected.size - expected.filled
        _bars(axes, curve, np.zeros_like(reached), reached, _REACHED)
        _bars(axes, curve, reached, expected.filled, _FILLED)
        axes.stairs(expected.size, curve.edges, baseline=None, color=style.BLUE, linewidth=1.3, zorder=4)
        axes.stairs(curve.size, curve.edges, baseline=None, color=style.BLACK, linewidth=0.9, linestyle="--", zorder=3)
        base = expected.base.value / (curve.edges[-1] - curve.edges[0])
        axes.plot(curve.edges[[0, -1]], [base, base], color=style.VERMILION, linewidth=0.9, linestyle=":", zorder=3)
    there = np.isfinite(measured.performance)
    look = {"color": style.BLACK, "alpha": 0.55, "linewidths": 0, "zorder": 2}
    axes.scatter(measured.performance[there], measured.size[there], s=dots, **look)
    margin = 0.02 * (curve.edges[-1] - curve.edges[0])
    axes.set_xlim(curve.edges[0] - margin, curve.edges[-1] + margin)


def _bars(axes: Axes, curve: ComplexityCurve, bottom: Floats, height: Floats, look: Look) -> None:
    there, (colour, hatch) = height > 0, look
    if there.any():
        axes.bar(
            curve.edges[:-1][there], height[there], np.diff(curve.edges)[there], bottom=bottom[there], align="edge",
            color=colour, alpha=0.45, hatch=hatch, edgecolor=style.GREY if hatch else colour, linewidth=0, zorder=1,
        )  # fmt: skip


def _top(measured: Sequence[DomainTrials]) -> float:
    largest = 1e-9
    for entry in measured:
        expected = _asked_for(entry.complexity)
        for values in (entry.size, entry.complexity.curve.size, *([] if expected is None else [expected.size])):
            largest = max(largest, float(values[np.isfinite(values)].max(initial=0.0)))
    return 1.06 * largest


def _legend(figure: Figure, measured: Sequence[DomainTrials], columns: int) -> None:
    trial = Line2D([], [], color=style.BLACK, alpha=0.55, marker="o", linestyle="", markersize=3, label="trial")
    expected = _asked_for(measured[0].complexity)
    handles: list[Line2D | Patch]
    if expected is not None:
        k, fill = expected.k, "the largest network" if expected.fill == "largest" else "a straight line"
        handles = [
            Line2D([], [], color=style.BLUE, label=f"expected smallest of {k} (area below: MCCP@{k})"),
            _patch(_REACHED, "of which policies that reach it"),
            _patch(_FILLED, f"of which {fill}, as none of {k} does"),
            Line2D([], [], color=style.VERMILION, linestyle=":", label="base (all policies reach everything)"),
            Line2D([], [], color=style.BLACK, linestyle="--", label="smallest of all (the paper's minimum)"),
            trial,
        ]
    else:
        occurring = {how for entry in measured for how in entry.complexity.curve.filling}
        handles = [Line2D([], [], color=style.BLUE, label="smallest policy (area below: MCCP)"), trial]
        handles += [_patch(look, words) for filling, (look, words) in _FILLINGS.items() if filling in occurring]
    figure.legend(handles=handles, loc="outside lower center", ncols=columns)


def _patch(look: Look, words: str) -> Patch:
    colour, hatch = look
    edge = style.GREY if hatch else colour
    return Patch(facecolor=colour, alpha=0.45, hatch=hatch, edgecolor=edge, linewidth=0, label=words)


# ---- Words and numbers ---------------------------------------------------------------------------


def _filled(complexity: Complexity) -> str:
    return "extrapolated" if _asked_for(complexity) is None else "filled"


def _flag(complexity: Complexity) -> str:
    return " (!)" if complexity.mostly_extrapolated else ""


def _ink(complexity: Complexity) -> str:
    return style.VERMILION if complexity.mostly_extrapolated else style.BLACK


def _minimum_words(complexity: Complexity, value: str, unit: str) -> str:
    failed = f", {complexity.n_failed} more failed and count for nothing" if complexity.n_failed else ""
    warning = " Warning: more than half is extrapolated." if complexity.mostly_extrapolated else ""
    return (
        f"the smallest policy size ({style.size_label(unit)}) that reaches each performance, from "
        f"{complexity.n_trials} trials (dots){failed}; the area under the steps is the MCCP, "
        f"{value} ({complexity.envelope} envelope). It falls as the pool grows, whatever the domain. "
        f"{complexity.extrapolated_share:.0%} of it rests on bins outside the observed range.{warning}"
    )


def _expected_words(complexity: Complexity, expected: BestOfK, unit: str) -> str:
    failed = f", {complexity.n_failed} more failed and reach nothing" if complexity.n_failed else ""
    stand_in = "the largest network of the pool's design" if expected.fill == "largest" else "a straight line"
    warning = " (warning: more than half is filled)" if complexity.mostly_extrapolated else ""
    return (
        f"{style.size_label(unit)} that reaches each performance, from {complexity.n_trials} trials (dots){failed}. "
        f"Blue steps: expected size of the smallest of k = {expected.k} policies; the area below is "
        f"MCCP@{expected.k}, {style.estimate_words(expected.estimate)}. Where none of {expected.k} reaches a "
        f"performance, {stand_in} stands in (hatched): {expected.filled_share:.0%} of the value{warning}. Dotted: "
        f"base, {style.estimate_words(expected.base)}; excess {style.estimate_words(expected.excess)}, relative "
        f"excess {style.estimate_words(expected.relative_excess)}. Dashed: the smallest of all policies, which falls "
        f"as the pool grows; its area, the paper's minimum, is {style.number(complexity.minimum)}."
    )


def _table(measured: Sequence[DomainTrials]) -> Table:
    rows: list[tuple[str | float | None, ...]] = []
    for entry in measured:
        complexity, curve, expected = entry.complexity, entry.complexity.curve, _asked_for(entry.complexity)
        tail = (*complexity.estimate.cells(), complexity.extrapolated_share)
        sizes = curve.size if expected is None else expected.size
        missed = np.full(sizes.size, np.nan) if expected is None else expected.missed
        for k, (left, right) in enumerate(itertools.pairwise(curve.edges.tolist())):
            size, smallest, none = (_cell(array[k]) for array in (sizes, curve.size, missed))
            place = (entry.domain, "bin", float(curve.centres[k]), left, right)
            rows.append((*place, size, curve.filling[k], smallest, none, *tail))
        for performance, size in zip(entry.performance, entry.size, strict=True):
            state = "failed" if np.isnan(performance) else None
            rows.append((entry.domain, "trial", _cell(performance), None, None, float(size), state, None, None, *tail))
    return Table.of(_COLUMNS, rows)


def _cell(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


# ---- Complexity against the number of policies of which the smallest counts ----------------------


@figure("complexity-by-k", "policies of which the smallest counts", "bits: log₂ parameters × performance", "base")
def complexity_by_k(curves: Mapping[str, KCurve], *, unit: str = "log2") -> Drawing:
    """Draw MCCP@k of each domain against k with its interval, the base below it and the chosen k marked.

    Of more than 24 domains 24 are drawn, evenly spread from the least to the most complex; the table has all.

    Raises:
        InputError: there is no curve.
    """
    if not curves:
        raise InputError("there is no complexity against the number of policies to be drawn; measure at least one")
    names = list(curves)
    last = [curve.estimates[-1].value for curve in curves.values()]
    drawn = {names[k]: curves[names[k]] for k in style.evenly(last, style.PICTURES)}
    figure, grid = style.panels(len(drawn), "policies (k)", room=1.0)
    for axes, (name, curve) in zip(grid, drawn.items(), strict=True):
        _draw_by_k(axes, curve)
        axes.set_title(name, fontsize=style.SMALL)
    grid[0].set_ylim(bottom=0)
    figure.supylabel(style.complexity_label(unit), fontsize=style.NORMAL)
    confidence = next(iter(curves.values())).estimates[0].confidence
    _key_by_k(figure, list(drawn.values()), confidence)
    chosen = next((curve.chosen for curve in curves.values() if curve.chosen), None)
    marked = f" Dotted: k = {chosen}, at which the complexity is measured." if chosen else ""
    caption = (
        f"Complexity ({style.complexity_units(unit)}) of {counted(len(curves), 'domain')} against k: the "
        "expected smallest of k policies drawn from the pool that reach a performance. It falls with k for every "
        "domain, so values are comparable at one k alone. Dashed: base, what it would be if every policy reached "
        f"every performance. Shaded: {confidence:.0%} intervals; there is none where the pool without one chunk has "
        "fewer than k policies, and they widen as k nears the pool's size. "
        f"Hollow marks: more than half is filled.{marked}{style.left_out(len(drawn), len(curves))}"
    )
    rows = [
        (k, name, *estimate.cells(), float(base), float(share), k == curve.chosen)
        for name, curve in curves.items()
        for k, estimate, base, share in zip(curve.ks, curve.estimates, curve.base, curve.filled_share, strict=True)
    ]
    columns = ("k", "domain", *bounds("mccp_k"), "base", "filled_share", "chosen")
    return finish(figure, Table.of(columns, rows), caption, f"Complexity against k: {_values(drawn)}.")


def _draw_by_k(axes: Axes, curve: KCurve) -> None:
    value, k = np.array([estimate.value for estimate in curve.estimates]), np.array(curve.ks)
    style.grid(axes)
    axes.fill_between(k, *style.bounds(curve.estimates), color=style.BLUE, alpha=0.2, linewidth=0)
    axes.plot(k, value, color=style.BLUE, marker="o")
    hollow = curve.filled_share > 0.5
    axes.plot(k[hollow], value[hollow], linestyle="", marker="o", mfc="white", color=style.BLUE)
    axes.plot(k, curve.base, color=style.GREY, linestyle="--")
    if curve.chosen is not None:
        axes.axvline(curve.chosen, color=style.VERMILION, linewidth=0.9, linestyle=":", zorder=1)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(LogLocator(base=2, numticks=5))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.minorticks_off()


def _key_by_k(figure: Figure, curves: list[KCurve], confidence: float) -> None:
    handles: list[Line2D | Patch] = [
        Line2D([], [], color=style.BLUE, marker="o", label="MCCP@k (k: policies of which the smallest counts)"),
        Patch(facecolor=style.BLUE, alpha=0.2, label=f"{confidence:.0%} interval"),
        Line2D([], [], color=style.GREY, linestyle="--", label="base (all policies reach everything)"),
    ]
    chosen = sorted({curve.chosen for curve in curves if curve.chosen})
    if chosen:
        words = f"k = {', '.join(map(str, chosen))}, the complexity"
        handles.append(Line2D([], [], color=style.VERMILION, linestyle=":", label=words))
    if any((curve.filled_share > 0.5).any() for curve in curves):
        handles.append(Line2D([], [], ls="", marker="o", mfc="white", color=style.BLUE, label="more than half filled"))
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(curves), 2))


def _values(curves: Mapping[str, KCurve]) -> str:
    words = []
    for name, curve in curves.items():
        at = curve.ks.index(curve.chosen) if curve.chosen in curve.ks else -1
        words.append(f"{name} {style.number(curve.estimates[at].value)} at k = {curve.ks[at]}")
    return "; ".join(words)
