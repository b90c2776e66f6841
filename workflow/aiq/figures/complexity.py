"""Complexity curves of domains with the trials behind them (Fig. 2 of the 2025 paper)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from aiq.errors import InputError
from aiq.figures import expected, many, style
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.arrays import Floats, read_only
from aiq.records.complexity import Complexity
from aiq.records.table import Table

_FILLINGS = {
    "observed": (style.SKY, "", "observed bins"),
    "interpolated": (style.GREEN, "\\\\\\\\\\", "interpolated bins"),
    "held": (style.PALE, ".....", "held (below the lowest observed)"),
    "extrapolated": (style.ORANGE, "/////", "extrapolated (above the highest observed)"),
}
_COLUMNS = (
    "domain", "kind", "performance", "performance_low", "performance_high", "size", "filling", "smallest", "missed",
    "mccp", "mccp_low", "mccp_high", "extrapolated_share",
)  # fmt: skip


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
        """Refuse trials whose performances and sizes do not go together."""
        object.__setattr__(self, "performance", read_only(self.performance))
        object.__setattr__(self, "size", read_only(self.size))
        if self.performance.ndim != 1 or self.performance.shape != self.size.shape:
            raise ValueError(f"{self.performance.size} performances do not go with {self.size.size} sizes")

    @classmethod
    def of(cls, domain: str, complexity: Complexity, performance: npt.ArrayLike, size: npt.ArrayLike) -> DomainTrials:
        """Make one from anything that numpy reads."""
        return cls(domain, complexity, read_only(performance), read_only(size))


@style.styled
@written("performance", "policy size (log₂ parameters)", "trial", "expected smallest of", "base")
def complexity_curve(measured: DomainTrials, *, unit: str = "log2") -> Drawing:
    """Draw the complexity curve of one domain.

    The blue steps are the expected smallest of k policies for each performance bin (with the paper's minimum: the
    smallest of all), the shaded area under them is the MCCP; what no policy reached has a colour and hatching of its
    own. The smallest of all is drawn dashed, with the base, under MCCP@k. Dots are trials.

    Args:
        measured: the domain's complexity and trials.
        unit: what counts as size: ``log2``, ``linear``, ``parameters``, ``bytes`` or ``compressed``.
    """
    figure = style.new_figure(style.SINGLE, 3.0)
    axes = figure.subplots()
    _draw(axes, measured, dots=9.0)
    axes.set_title(f"{measured.domain}\n{_headline(measured.complexity)}", color=_ink(measured.complexity))
    axes.set_xlabel("performance")
    axes.set_ylabel(style.size_label(unit))
    axes.set_ylim(0, _top([measured]))
    _legend(figure, [measured], columns=1)
    complexity = measured.complexity
    caption = f"Complexity curve of {measured.domain}: {_told(complexity, unit)}"
    return finish(figure, _table([measured]), caption, f"{measured.domain}: {_headline(complexity)}.")


@style.styled
@written("performance", "policy size (log₂ parameters)", "trial", "expected smallest of", "base")
def complexity_panel(measured: Sequence[DomainTrials], *, unit: str = "log2") -> Drawing:
    """Draw the complexity curves of all domains of a suite side by side on common axes.

    Of more than 24 domains 24 are drawn, evenly spread from the least to the most complex; the table has all.

    Args:
        measured: one entry a domain, in the order in which they are to be shown.
        unit: what counts as size, as in :func:`complexity_curve`.

    Raises:
        InputError: there is no domain.
    """
    if not measured:
        raise InputError("there is no domain whose complexity could be drawn; measure at least one")
    everything = measured
    measured = [measured[k] for k in many.evenly([m.complexity.value for m in measured], many.PICTURES)]
    columns = style.columns_for(len(measured))
    rows = -(-len(measured) // columns)
    figure = style.new_figure(style.SINGLE if columns == 1 else style.DOUBLE, 1.75 * rows + 0.75)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for index, axes in enumerate(grid.flat):
        if index >= len(measured):
            axes.set_visible(False)
            continue
        _draw(axes, measured[index], dots=4.0)
        complexity = measured[index].complexity
        title = f"{measured[index].domain}\n{style.estimate_words(complexity.estimate)}{_flag(complexity)}"
        axes.set_title(title, fontsize=style.SMALL, color=_ink(complexity))
        lowest = index + columns >= len(measured)
        axes.tick_params(labelbottom=lowest)
        axes.xaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
        axes.set_xlabel("performance" if lowest else "")
    grid[0, 0].set_ylim(0, _top(measured))
    figure.supylabel(style.size_label(unit), fontsize=style.NORMAL)
    _legend(figure, measured, columns=2 if columns > 1 else 1)
    flagged = [m.domain for m in measured if m.complexity.mostly_extrapolated]
    warning = f" More than half {_filled(measured[0].complexity)}: {', '.join(flagged)}." if flagged else ""
    chosen = expected.asked_for(measured[0].complexity)
    what = "the smallest policy size" if chosen is None else f"the expected size of the smallest of {chosen.k} policies"
    also = "" if chosen is None else " Dashed: the smallest of all policies, which falls as the pool grows."
    caption = (
        f"Complexity curves of {len(everything)} domains on common axes: {what} that reaches each performance; the "
        f"area under the steps is the MCCP (above each panel, with its interval; {style.complexity_units(unit)}). Dots "
        f"are trials.{also}{warning}{many.left_out(len(measured), len(everything), 'domains')}"
    )
    values = ", ".join(f"{m.domain} {style.number(m.complexity.value)}" for m in measured)
    return finish(figure, _table(everything), caption, f"Complexity curves. MCCP: {values}.")


def _draw(axes: Axes, measured: DomainTrials, dots: float) -> None:
    """Draw shaded bins, the step line above them and the trials."""
    curve, chosen = measured.complexity.curve, expected.asked_for(measured.complexity)
    if chosen is None:
        _draw_minimum(axes, measured.complexity)
    else:
        expected.draw_bins(axes, curve, chosen)
    shown = np.isfinite(measured.performance)
    axes.scatter(
        measured.performance[shown], measured.size[shown], s=dots, color=style.BLACK, alpha=0.55, linewidths=0,
        zorder=2,
    )  # fmt: skip
    margin = 0.02 * (curve.edges[-1] - curve.edges[0])
    axes.set_xlim(curve.edges[0] - margin, curve.edges[-1] + margin)


def _draw_minimum(axes: Axes, complexity: Complexity) -> None:
    """Draw the smallest size of each bin, and how the others were filled."""
    curve = complexity.curve
    widths = np.diff(curve.edges)
    for filling, (colour, hatch, _) in _FILLINGS.items():
        chosen = np.array([how == filling for how in curve.filling])
        if chosen.any():
            axes.bar(
                curve.edges[:-1][chosen], curve.size[chosen], widths[chosen], align="edge", color=colour,
                alpha=0.45, hatch=hatch, edgecolor=style.GREY if hatch else colour, linewidth=0, zorder=1,
            )  # fmt: skip
    axes.stairs(curve.size, curve.edges, baseline=None, color=style.BLUE, linewidth=1.3, zorder=3)


def _top(measured: Sequence[DomainTrials]) -> float:
    """Return the upper end of the size axis: all trials and all bins fit."""
    largest = 1e-9
    for entry in measured:
        chosen = expected.asked_for(entry.complexity)
        curves = (entry.complexity.curve.size, *([] if chosen is None else [chosen.size]))
        for values in (entry.size, *curves):
            finite = values[np.isfinite(values)]
            largest = max(largest, float(finite.max(initial=0.0)))
    return 1.06 * largest


def _legend(figure: Figure, measured: Sequence[DomainTrials], columns: int) -> None:
    """Put a legend of what occurs under the figure."""
    trial = Line2D([], [], color=style.BLACK, alpha=0.55, marker="o", linestyle="", markersize=3, label="trial")
    chosen = expected.asked_for(measured[0].complexity)
    if chosen is not None:
        figure.legend(handles=[*expected.handles(chosen), trial], loc="outside lower center", ncols=columns)
        return
    occurring = {how for entry in measured for how in entry.complexity.curve.filling}
    handles: list[Line2D | Patch] = [
        Line2D([], [], color=style.BLUE, label="smallest policy (area below: MCCP)"),
        trial,
    ]
    for filling, (colour, hatch, words) in _FILLINGS.items():
        if filling in occurring:
            edge = style.GREY if hatch else colour
            handles.append(Patch(facecolor=colour, alpha=0.45, hatch=hatch, edgecolor=edge, linewidth=0, label=words))
    figure.legend(handles=handles, loc="outside lower center", ncols=columns)


def _value(complexity: Complexity) -> str:
    """Return value and interval in words."""
    chosen = expected.asked_for(complexity)
    return f"MCCP{f'@{chosen.k}' if chosen else ''} {style.estimate_words(complexity.estimate)}"


def _headline(complexity: Complexity) -> str:
    """Return value, interval and extrapolated share in one line."""
    share = f", {complexity.extrapolated_share:.0%} {_filled(complexity)}"
    return _value(complexity) + share + _flag(complexity)


def _filled(complexity: Complexity) -> str:
    """Return the word for what rests on no policy."""
    return "extrapolated" if expected.asked_for(complexity) is None else "filled"


def _told(complexity: Complexity, unit: str) -> str:
    """Return what the curve of one domain shows, after its name."""
    chosen = expected.asked_for(complexity)
    if chosen is not None:
        return f"{style.size_label(unit)} that reaches each performance, {expected.caption(complexity, chosen)}"
    return (
        f"the smallest policy size ({style.size_label(unit)}) that reaches each performance, from "
        f"{complexity.n_trials} trials (dots){_failed(complexity)}; the area under the steps is the MCCP, "
        f"{_value(complexity)} ({complexity.envelope} envelope). It falls as the pool grows, whatever the domain. "
        f"{_share_sentence(complexity)}"
    )


def _flag(complexity: Complexity) -> str:
    """Return the mark of a complexity that is more than half extrapolated."""
    return " (!)" if complexity.mostly_extrapolated else ""


def _ink(complexity: Complexity) -> str:
    """Return the colour of a headline."""
    return style.VERMILION if complexity.mostly_extrapolated else style.BLACK


def _failed(complexity: Complexity) -> str:
    """Return how many trials failed, if any."""
    return f", {complexity.n_failed} more failed and count for nothing" if complexity.n_failed else ""


def _share_sentence(complexity: Complexity) -> str:
    sentence = f"{complexity.extrapolated_share:.0%} of it rests on bins outside the observed range."
    return sentence + (" Warning: more than half is extrapolated." if complexity.mostly_extrapolated else "")


def _table(measured: Sequence[DomainTrials]) -> Table:
    """Return bins and trials of all domains, one row each."""
    rows: list[tuple[str | float | None, ...]] = []
    for entry in measured:
        complexity, curve = entry.complexity, entry.complexity.curve
        low, high = complexity.estimate.interval or (None, None)
        tail = (complexity.value, low, high, complexity.extrapolated_share)
        chosen = expected.asked_for(complexity)
        sizes = curve.size if chosen is None else chosen.size
        missed = np.full(sizes.size, np.nan) if chosen is None else chosen.missed
        for k, (left, right) in enumerate(itertools.pairwise(curve.edges.tolist())):
            known = [None if np.isnan(value[k]) else float(value[k]) for value in (sizes, curve.size, missed)]
            place = (entry.domain, "bin", float(curve.centres[k]), left, right, known[0], curve.filling[k])
            rows.append((*place, *known[1:], *tail))
        for performance, size in zip(entry.performance, entry.size, strict=True):
            reached = None if np.isnan(performance) else float(performance)
            state = "failed" if reached is None else None
            rows.append((entry.domain, "trial", reached, None, None, float(size), state, None, None, *tail))
    return Table.of(_COLUMNS, rows)
