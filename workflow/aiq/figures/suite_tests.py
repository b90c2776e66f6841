"""A suite through results alone, its tests: difficulty and discrimination, agreement, and what fewer of them tell."""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.ticker import MaxNLocator

from aiq.errors import InputError
from aiq.figures import many, style
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.suite_report import SuiteReport

NAMED = 20  # tests up to which each has its name beside its point


@style.styled
@written("difficulty", "discrimination")
def suite_tests(report: SuiteReport) -> Drawing:
    """Draw difficulty and discrimination of every test.

    Args:
        report: what results say of the suite; it needs a model of responses (ten agents or more).

    Raises:
        InputError: no model of responses was fitted.
    """
    tests = [test for test in report.tests if test.discrimination is not None]
    if not tests:
        raise InputError(f"a figure of tests needs a model of responses: {report.n} agents are too few, give ten")
    figure = style.new_figure(style.DOUBLE, 4.2)
    axes = figure.subplots()
    style.grid(axes)
    slopes = np.array([test.discrimination.value for test in tests if test.discrimination is not None])
    hard = np.array([test.difficulty.value for test in tests])
    if len(tests) <= 3 * NAMED:
        style.interval_bars(axes, "x", [test.difficulty for test in tests], slopes, ink=style.PALE)
        style.interval_bars(axes, "y", [t.discrimination for t in tests if t.discrimination], hard, ink=style.PALE)
    bad = np.array([test.suspicious for test in tests])
    axes.plot(hard[~bad], slopes[~bad], "o", color=style.BLUE, zorder=3, label=f"{report.by} in order")
    if bad.any():
        words = "better agents are worse: look at its key" if report.by == "items" else "better agents are worse"
        axes.plot(hard[bad], slopes[bad], "X", color=style.VERMILION, markersize=7, zorder=4, label=words)
    named = [k for k in np.lexsort((hard, np.round(slopes, 0))) if len(tests) <= NAMED or bad[k]]
    for turn, k in enumerate(named):
        at = (4, 3 if turn % 2 else -8)
        axes.annotate(tests[k].test, (hard[k], slopes[k]), at, textcoords="offset points", fontsize=style.SMALL)
    axes.axhline(0, color=style.BLACK, linewidth=0.6)
    axes.set_xlim(-0.03, 1.03)
    axes.set_xlabel("difficulty (1 − expected performance at average ability)")
    axes.set_ylabel("discrimination (slope in ability)")
    style.legend_below(figure, axes, 2)
    caption = (
        f"{len(tests)} {report.by} through the results of {report.n} agents; no training, and no AIQ. Difficulty and "
        f"discrimination by the graded response model. Upper right: hard, and telling good agents from average ones. "
        f"{style.interval_sentence([test.difficulty for test in tests])}"
        + ("" if len(tests) <= 3 * NAMED else " They are in the table alone.")
    )
    hardest = sorted(tests, key=lambda test: -test.difficulty.value)[:5]
    told = ", ".join(f"{test.test} {test.difficulty.value:.2f}" for test in hardest)
    return finish(
        figure,
        report.table("tests"),
        caption,
        f"Difficulty and discrimination of {len(tests)} tests; the hardest are {told}.",
    )


@style.styled
@written("distance by agreement")
def suite_agreement(report: SuiteReport) -> Drawing:
    """Draw distances between tests by agreement of agents, alike tests side by side.

    Args:
        report: what results say of the suite.
    """
    order = side_by_side(report)
    cells = report.agreement[np.ix_(order, order)]
    names = [report.tests[k].test for k in order]
    side = min(style.DOUBLE, max(style.SINGLE, 0.2 * len(names) + 2.2))
    figure = style.new_figure(side, 0.85 * side + 0.3)
    axes = figure.subplots()
    colours = matplotlib.colormaps[style.SEQUENTIAL].with_extremes(bad="#FFFFFF")
    top = max(1.0, float(np.nanmax(cells)))
    image = axes.imshow(np.ma.masked_invalid(cells), cmap=colours, vmin=0, vmax=top, interpolation="nearest")
    many.name_axes(axes, names)
    axes.set_xlabel("")
    axes.set_ylabel("")
    bar = figure.colorbar(image, ax=axes, shrink=0.8, label="distance by agreement\n(1 − correlation over agents)")
    bar.outline.set_visible(False)
    caption = (
        f"Distances between {len(names)} {report.by} by agreement of {report.n} agents, 1 − Pearson's correlation: 0 "
        "where agents differ alike, 1 where one says nothing of the other, above 1 where better agents are worse; "
        "white: cannot be had. This is not the paper's dissimilarity, which needs training on both tests together. "
        "Alike tests stand side by side."
    )
    if len(order) < len(report.tests):
        caption += f" Not drawn: {len(report.tests) - len(order)} {report.by} on which all agents score alike."
    return finish(
        figure, report.table("agreement"), caption, f"Heat map of distances by agreement of {len(names)} tests."
    )


def side_by_side(report: SuiteReport) -> list[int]:
    """Return the places of the tests that have a distance to another, alike ones side by side; all if none has one."""
    known = np.flatnonzero(np.isfinite(report.agreement).sum(axis=1) > 1)
    if not known.size:
        return list(range(len(report.tests)))
    return [int(known[k]) for k in many.seriation(report.agreement[np.ix_(known, known)])]


@style.styled
@written("kept", "rank correlation", "verdicts")
def suite_fewer(report: SuiteReport) -> Drawing:
    """Draw how order and verdicts hold on agents left out as tests are dropped.

    Args:
        report: what results say of the suite; it needs six agents or more.

    Raises:
        InputError: there are fewer agents.
    """
    found = report.reduction
    if found is None:
        raise InputError(f"{report.n} agents are too few to leave some out; give six")
    figure = style.new_figure(style.DOUBLE, 3.0)
    left, right = figure.subplots(1, 2)
    panels = (
        (left, found.rank_correlation, found.low, found.high, style.GREEN, "rank correlation with all"),
        (
            right,
            found.verdicts,
            found.verdicts_low,
            np.minimum(found.verdicts * 0 + 1, 1),
            style.PURPLE,
            "verdicts kept (share)",
        ),
    )
    for axes, middle, low, high, ink, words in panels:
        style.grid(axes)
        if axes is left:
            axes.fill_between(found.kept, low, high, color=style.PALE)
        else:
            axes.plot(found.kept, low, ":", color=ink, label=f"lower end of {report.confidence:.0%} of the halves")
        axes.plot(found.kept, middle, "-o", color=ink, markersize=2, label="mean")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel(f"{report.by} kept")
        axes.set_ylabel(f"{words},\nagents left out")
        axes.set_ylim(top=1.02)
    if found.enough is not None:
        right.axvline(
            found.enough, color=style.BLACK, linewidth=0.8, linestyle="--", label=f"{found.enough} are enough"
        )
    right.legend(loc="lower right")
    caption = (
        f"What fewer {report.by} tell of agents left out of the choice; they are dropped one by one as one half of the "
        f"agents chooses, the other half judges, mean and central {report.confidence:.0%} of {found.halves} random "
        f"halves. Left: Spearman's correlation of the order with that by all {len(report.tests)}. Right: share of the "
        "pairs told apart by all (two standard errors) that keep their order; enough: the lower end is .95."
    )
    return finish(figure, report.table("reduction"), caption, f"Order and verdicts by number of {report.by} kept.")
