"""Performance on merged tests: against the share of a test, and against the size of the network (2020, Figs. 2, 3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.table import Table
from aiq.wings.similarity2020.records import TestPerformance

_COLUMNS = (
    *("test", "kind", "a", "b", "share_of_a", "halvings", "parameters"),
    *("performance", "low", "high", "trainings", "lost"),
)


@style.styled
@written("share p of", "performance on the merged test")
def similarity_shares(performances: Sequence[TestPerformance]) -> Drawing:
    """Draw the performance on samples of two tests against the share of the easier one, between both alone (Fig. 3).

    Args:
        performances: of one sampled pair at several shares, and of both tests alone, under one network.

    Raises:
        InputError: not two tests alone, or no merged one.
    """
    alone = sorted((p for p in performances if p.kind == "alone"), key=lambda p: -p.performance.value)
    merged = sorted((p for p in performances if p.kind == "sampled"), key=lambda p: p.at)
    if len(alone) != 2 or not merged:
        raise InputError(f"{len(alone)} tests alone and {len(merged)} merged ones; needed are 2 and at least 1")
    easy, hard = alone
    swapped = merged[0].a != easy.a
    x = np.array([1 - p.at if swapped else p.at for p in merged])
    order = np.argsort(x)
    x, merged = x[order], [merged[k] for k in order]
    figure = style.new_figure(style.SINGLE + 1.2, 3.2)
    axes = figure.subplots()
    for found, words, ink, ls in (
        (easy, f"V_A: {easy.a} alone", style.GREEN, "--"),
        (hard, f"V_B: {hard.a} alone", style.VERMILION, "-."),
    ):
        axes.axhline(found.performance.value, color=ink, ls=ls, lw=1.0, label=words)
        if found.performance.interval is not None:
            axes.axhspan(*found.performance.interval, color=ink, alpha=0.15, lw=0)
    line = [hard.performance.value, easy.performance.value]
    axes.plot([0, 1], line, color=style.GREY, ls=":", lw=1.0, label="straight line")
    estimates = [p.performance for p in merged]
    label = f"({easy.a}, {hard.a})"
    axes.plot(x, [e.value for e in estimates], "o-", color=style.BLUE, label=label)
    style.interval_bars(axes, "y", estimates, x, style.BLUE)
    axes.set_xlabel(f"share p of {easy.a} in the merged test")
    axes.set_ylabel("performance on the merged test")
    axes.set_xlim(-0.03, 1.03)
    style.grid(axes)
    style.legend_below(figure, axes, 2)
    below = [p.performance for p in merged if (p.performance.interval or (1, 1))[1] < hard.performance.value]
    above = [p.performance for p in merged if (p.performance.interval or (0, 0))[0] > easy.performance.value]
    caption = (
        f"Performance on samples of {easy.a} and {hard.a} with the number of training samples held constant, as in "
        "Fig. 3 of the 2020 paper; S is 0 on the straight line at p = 1/2. At p = 0 and 1 the network has the outputs "
        "of both tests, so it need not reach V_B and V_A. "
        f"{len(below)} of {len(merged)} intervals lie below V_B, {len(above)} above V_A. "
        f"{style.interval_sentence([*estimates, easy.performance, hard.performance])} Bands are those of V_A and V_B."
    )
    alt = (
        f"From {style.number(estimates[0].value)} at p = {style.number(float(x[0]))} to "
        f"{style.number(estimates[-1].value)} at p = {style.number(float(x[-1]))}."
    )
    return finish(figure, _table([*alone, *merged]), caption, alt)


@style.styled
@written("parameters of the network (log scale)", "performance (share of right answers)")
def similarity_halvings(performances: Sequence[TestPerformance]) -> Drawing:
    """Draw the performance on two tests, alone and merged both ways, against the size of the network (Fig. 2).

    Args:
        performances: of two tests alone, their controls, and merged, under several halvings of the filters; sampled
            ones at one share.

    Raises:
        InputError: there is nothing to draw.
    """
    if not performances:
        raise InputError("there is no performance to be drawn; train at least one test")
    figure = style.new_figure(style.DOUBLE, 3.8)
    axes = figure.subplots()
    labels = list(dict.fromkeys(p.label for p in performances))
    for index, label in enumerate(labels):
        mine = sorted((p for p in performances if p.label == label), key=lambda p: -p.halvings)
        x = np.array([p.parameters for p in mine], np.float64)
        look = {"color": style.colour(index), "marker": style.marker(index), "linestyle": style.line(index)}
        axes.plot(x, [p.performance.value for p in mine], label=label, **look)  # type: ignore[arg-type]
        style.interval_bars(axes, "y", [p.performance for p in mine], x, style.colour(index))
    axes.set_xscale("log", base=2)
    axes.set_xlabel("parameters of the network (log scale)")
    axes.set_ylabel("performance (share of right answers)")
    style.grid(axes)
    style.legend_below(figure, axes, 3)
    halvings = sorted({p.halvings for p in performances})
    caption = (
        "Performance against the size of the network, whose filters are halved "
        f"{', '.join(str(h) for h in halvings)} times, as in Fig. 2 of the 2020 paper: A and B alone, (A, B) with "
        "samples of either, A|B stitched side by side with two labels (the mean of both halves), A|A and B|B the "
        "controls. A stitched network is asked two questions at once and has wider pictures, so it has more "
        f"parameters. {style.interval_sentence([p.performance for p in performances])}"
    )
    last = [p for p in performances if p.halvings == halvings[0]]
    words = "; ".join(f"{p.label} {style.number(p.performance.value)}" for p in last)
    return finish(figure, _table(performances), caption, f"With the widest network: {words}.")


def _table(performances: Sequence[TestPerformance]) -> Table:
    rows = [
        (
            *(p.label, p.kind, p.a, p.b, p.at, p.halvings, p.parameters),
            *(*style.interval_cells(p.performance), p.performance.n, p.lost),
        )
        for p in performances
    ]
    return Table.of(_COLUMNS, rows)
