"""A suite seen through results alone: tests, and how few of them keep the order of the agents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.suite_report import SuiteReport, TestReport

_ROW = 0.17  # inches a test
_TALLEST = 9.6
_MOST = 55  # tests that are drawn with their names


@style.styled
@written("difficulty", "discrimination", "rank correlation")
def suite_overview(report: SuiteReport) -> Drawing:
    """Draw difficulty, discrimination and redundancy of every test, and the order of agents with fewer tests.

    Args:
        report: what results say of the suite; it needs a model of responses (ten agents or more).

    Raises:
        InputError: no model of responses was fitted.
    """
    tests = sorted(report.tests, key=lambda t: t.difficulty.value)
    if all(t.discrimination is None for t in tests) or report.reduction is None:
        raise InputError(f"a figure of a suite needs a model of responses: {report.n} agents are too few, give ten")
    if len(tests) > _MOST:
        raise InputError(f"a figure of a suite names at most {_MOST} tests, and there are {len(tests)}; take fewer")
    figure = style.new_figure(style.DOUBLE, min(max(3.2, 1.0 + _ROW * len(tests)), _TALLEST))
    left, middle, right, lower = figure.subplots(1, 4, width_ratios=(1, 1, 1, 1.5))
    left.set_yticks(range(len(tests)), [t.test for t in tests])
    for axes in (left, middle, right):
        axes.set_ylim(-0.6, len(tests) - 0.4)
        style.grid(axes, "x")
        if axes is not left:
            axes.set_yticks(range(len(tests)), [""] * len(tests))
    _estimates(left, tests, "difficulty", style.BLUE, "o")
    left.set_xlim(0, 1)
    left.set_xlabel("difficulty\n(1 − expected\nperformance)")
    _estimates(middle, tests, "discrimination", style.VERMILION, "s")
    middle.set_xlim(0, 5.3)
    middle.set_xlabel("discrimination\n(slope in ability,\n0.1 to 5)")
    _redundancy(right, tests)
    _order(lower, report)
    caption = (
        f"{len(tests)} tests through the results of {report.n} agents, hardest on top; no training, and no AIQ. "
        "Difficulty (1 − expected performance at average ability) and discrimination by the graded response model, "
        f"with {report.confidence:.0%} intervals over agents. Predicted: share of a test's variance that one other "
        "test predicts on agents left out (below 0: worse than the mean). Right: Spearman's correlation of the order "
        "of agents left out by fewer tests with that by all, tests dropped one by one as the other half of the agents "
        f"chooses; mean and band over {report.reduction.halves} random halves. "
        "A slope at 0.1 or 5 stands at a bound of the library: at most, or at least, that."
    )
    hardest = ", ".join(f"{t.test} {t.difficulty.value:.2f}" for t in tests[::-1][:5])
    alt = f"Difficulty, discrimination and redundancy of {len(tests)} tests; the hardest are {hardest}."
    return finish(figure, report.table("tests"), caption, alt)


def _estimates(axes: Axes, tests: Sequence[TestReport], name: str, colour: str, marker: str) -> None:
    """Draw one estimate a test with its interval."""
    rows = [(place, one) for place, t in enumerate(tests) if (one := getattr(t, name)) is not None]
    places = np.array([place for place, _ in rows], dtype=np.float64)
    style.interval_bars(axes, "x", [one for _, one in rows], places)
    axes.plot([one.value for _, one in rows], places, marker, color=colour, zorder=3)


def _redundancy(axes: Axes, tests: Sequence[TestReport]) -> None:
    """Draw the share of each test that another predicts."""
    for place, t in enumerate(tests):
        if t.redundancy is not None:
            axes.barh(place, max(t.redundancy.value, -0.5), height=0.6, color=style.SKY)
    axes.axvline(0, color=style.BLACK, linewidth=0.6)
    axes.set_xlim(-0.5, 1)
    axes.set_xlabel("predicted by\none other test\n(share of variance)")


def _order(axes: Axes, report: SuiteReport) -> None:
    """Draw how the order of agents holds with fewer tests."""
    found = report.reduction
    if found is None:
        return
    style.grid(axes)
    axes.fill_between(found.kept, found.low, found.high, color=style.PALE, label=f"central {report.confidence:.0%}")
    axes.plot(found.kept, found.correlation, "-o", color=style.GREEN, markersize=2.5, label="mean")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("tests kept")
    axes.set_ylabel("rank correlation with all tests,\nagents left out")
    least = float(np.nanmin(found.low))
    axes.set_ylim(least - 0.05 * (1 - least) - 0.01, 1 + 0.02 * (1 - least) + 0.005)
    axes.legend(loc="lower right")
