"""What moves when one choice of a run is changed."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.sensitivity import Sensitivity, Tried

_ROW, _HEAD = 0.17, 1.2  # inches


@style.styled
@written("headline", "rank correlation with the run")
def sensitivity(found: Sensitivity) -> Drawing:
    """Draw the agents' headline under each other value of a choice, and how far orders of domains are kept.

    One row per choice and value. Left: the headline by agent, over a band that is the run's own interval. Right:
    rank correlations of complexities and of dissimilarities with the run's; beside them the number of dimensions.

    Args:
        found: choices that were computed, at least one.

    Raises:
        InputError: nothing was computed.
    """
    rows = found.computed
    if not rows:
        raise InputError("no choice was computed, so there is nothing to draw; leave --choice out")
    figure = style.new_figure(style.DOUBLE, _ROW * max(len(rows), 4) + _HEAD)
    left, right = figure.subplots(1, 2, width_ratios=(2, 1), sharey=True)
    _agents(left, found, rows)
    _orders(right, found, rows)
    left.set_yticks(range(len(rows)), [f"{one.choice} = {one.value}" for one in rows], fontsize=style.SMALL)
    left.set_ylim(len(rows) - 0.5, -0.5)
    for axes in (left, right):
        axes.tick_params(axis="y", length=0)
        style.grid(axes)
    handles, labels = left.get_legend_handles_labels()
    others = right.get_legend_handles_labels()
    figure.legend([*handles, *others[0]], [*labels, *others[1]], loc="outside lower center", ncols=4)
    return finish(figure, found.table(), _caption(found), _alt(found))


def _agents(axes: Axes, found: Sensitivity, rows: Sequence[Tried]) -> None:
    """Draw each agent's headline under each choice."""
    for place, name in enumerate(found.order):
        interval = found.intervals[name]
        if interval is not None:
            axes.axvspan(*interval, color=style.colour(place), alpha=0.10, linewidth=0, zorder=0)
        axes.axvline(found.values[name], color=style.colour(place), linewidth=0.6, zorder=1)
        known = [(y, one.values[name]) for y, one in enumerate(rows) if one.values is not None and name in one.values]
        axes.plot(
            [x for _, x in known], [y for y, _ in known], ls="", marker=style.marker(place),
            color=style.colour(place), markersize=3.5, label=name, zorder=3,
        )  # fmt: skip
    axes.set_xlabel("headline")
    axes.xaxis.set_major_locator(MaxNLocator(6))


def _orders(axes: Axes, found: Sensitivity, rows: Sequence[Tried]) -> None:
    """Draw the rank correlations, and write the numbers of dimensions."""
    drawn = (("complexity", "o", style.BLUE), ("dissimilarity", "s", style.ORANGE))
    for shift, (name, marker, ink) in zip((-0.12, 0.12), drawn, strict=True):
        known = [(y + shift, getattr(one, name).rank) for y, one in enumerate(rows) if getattr(one, name) is not None]
        known = [(y, rank) for y, rank in known if rank is not None]
        axes.plot(
            [x for _, x in known], [y for y, _ in known], ls="", marker=marker, color=ink, markersize=3.5,
            markerfacecolor="none", label=f"order of {'complexities' if name == 'complexity' else 'dissimilarities'}",
        )  # fmt: skip
    for y, one in enumerate(rows):
        weight = "bold" if one.dimensions != found.dimensions else "normal"
        axes.annotate(
            f"d = {one.dimensions}", (1.0, y), xycoords=("axes fraction", "data"), xytext=(4, 0), annotation_clip=False,
            textcoords="offset points", va="center", fontsize=style.SMALL, fontweight=weight,
        )  # fmt: skip
    axes.set_xlim(None, 1.04)
    axes.set_xlabel("rank correlation with the run")
    axes.xaxis.set_major_locator(MaxNLocator(4, prune="upper"))


def _caption(found: Sensitivity) -> str:
    """Return what is drawn and what it cannot tell."""
    percent = f"{found.confidence:.0%}"
    waiting = sum(one.kind == "untrained" for one in found.tried)
    refused = sum(one.kind == "refused" for one in found.tried)
    rest = (
        f" Not drawn: {waiting} values that need trainings, {refused} that do not apply." if waiting + refused else ""
    )
    apart = f" {found.incomparable}." if found.incomparable else ""
    return (
        f"One choice of {found.run} changed at a time. Left: the headline of each agent; lines and bands are the "
        f"values of the run and their {percent} intervals. Right: Spearman's rank correlation of the complexities and "
        f"of the dissimilarities with those of the run, and the number of dimensions (bold where it is not the run's "
        f"{found.dimensions}). Values in different numbers of dimensions compare roughly. Two choices "
        f"that are harmless apart may move the numbers together.{apart}{rest}"
    )


def _alt(found: Sensitivity) -> str:
    """Return what moves most."""
    judged = [one for one in found.computed if one.agents is not None]
    if not judged:
        return f"{len(found.computed)} choices; no agents."
    most = max(judged, key=lambda one: one.agents.largest if one.agents is not None else 0.0)
    kept = sum(bool(one.same_order) for one in judged)
    moved = "" if most.agents is None else f": {most.agents.name} by {style.number(most.agents.largest)}"
    return (
        f"{kept} of {len(judged)} other values keep the order of the agents. "
        f"The largest move is by {most.choice} = {most.value}{moved}."
    )
