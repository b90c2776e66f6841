"""A suite as an instrument: what each test is worth, and how the order of the agents holds on fewer tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.instrument import Dropping, Instrument, Worth

_ROW, _HEAD = 0.19, 1.3  # inches
_TALLEST = 9.6
_MOST = 45  # tests that are drawn with their names


@style.styled
@written("worth", "rank correlation")
def instrument(found: Instrument) -> Drawing:
    """Draw the worth of every test with its interval, and the rank correlation of the agents against suite size.

    Args:
        found: the suite as an instrument; without an order to keep the right part says so.

    Raises:
        InputError: more tests than can be named.
    """
    tests = sorted(found.tests, key=lambda one: (one.worth.value, one.needed or 0.0))
    if len(tests) > _MOST:
        raise InputError(f"a figure of a suite names at most {_MOST} tests, and there are {len(tests)}; take fewer")
    figure = style.new_figure(style.DOUBLE, min(max(2.9, _HEAD + _ROW * len(tests)), _TALLEST))
    left, right = figure.subplots(1, 2, width_ratios=(1.1, 1))
    _worths(left, tests)
    _order(right, found.dropping)
    handles, labels = right.get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside lower right", ncols=2)
    return finish(figure, found.table(), _caption(found), _alt(tests, found.dropping))


def _worths(axes: Axes, tests: Sequence[Worth]) -> None:
    """Draw the worths."""
    places = np.arange(len(tests), dtype=np.float64)
    style.grid(axes, "x")
    style.interval_bars(axes, "x", [one.worth for one in tests], places)
    axes.plot([one.worth.value for one in tests], places, "o", color=style.BLUE, zorder=3)
    axes.set_yticks(places, [one.test for one in tests])
    axes.set_ylim(-0.6, len(tests) - 0.4)
    axes.set_xlim(-0.03, 1.03)
    axes.set_xlabel("worth: share of the suite's volume\nthat goes with the test")


def _order(axes: Axes, drop: Dropping | None) -> None:
    """Draw the rank correlations on fewer tests."""
    axes.set_xlabel("tests kept")
    axes.set_ylabel("rank correlation with all tests")
    if drop is None:
        axes.set_xticks([])
        axes.set_yticks([])
        axes.text(0.5, 0.5, "no order of agents to keep", ha="center", va="center", transform=axes.transAxes)
        return
    style.grid(axes)
    least = 1.0
    for shift, (name, ink, mark, line) in zip(
        (-0.08, 0.08), (("chosen", style.GREEN, "o", "-"), ("random", style.VERMILION, "s", "--")), strict=True
    ):
        known = [(one.kept, series) for one in drop.steps if (series := getattr(one, name)) is not None]
        places = np.array([kept + shift for kept, _ in known])
        style.interval_bars(axes, "y", [series for _, series in known], places, ink)
        label = "dropped by choice" if name == "chosen" else "dropped at random"
        axes.plot(
            places, [series.value for _, series in known], ls=line, marker=mark, color=ink, markersize=3, label=label
        )
        least = min([least, *((series.interval or (series.value,))[0] for _, series in known)])
    axes.axhline(drop.enough, color=style.GREY, linewidth=0.6, linestyle=":")
    axes.set_ylim(min(least, drop.enough - 0.05) - 0.05, 1.03)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def _caption(found: Instrument) -> str:
    """Return what is drawn and what it cannot tell."""
    level, d = f"{found.confidence:.0%}", found.dimensions
    order = "There is no order of agents to keep."
    if found.dropping is not None:
        drop = found.dropping
        who = f"on {drop.judged} agents left out of the choice" if drop.left_out else (
            f"on the same {drop.judged} agents that choose, which flatters"
        )  # fmt: skip
        order = (
            f"Right: Spearman's correlation of the agents' order by AIQ on fewer tests with that on all, {who}; mean "
            f"and central {level} over {drop.splits} splits of the agents, each in one replicate of space and "
            f"performances. Dotted: {drop.enough:g}."
        )
    intervals = f" with {level} intervals" if found.replicates else "; nothing is known of its uncertainty"
    return (
        f"{len(found.tests)} tests in {d} dimension{'s' * (d > 1)}. Left: share of the suite's volume that goes with "
        f"each test alone{intervals} (replicates in their own number of dimensions); worths do not add up, and of two "
        f"tests that are alike each is worth little. {order}"
    )


def _alt(tests: Sequence[Worth], drop: Dropping | None) -> str:
    """Return the tests of most worth and how few keep the order."""
    most = ", ".join(f"{one.test} {style.number(one.worth.value)}" for one in tests[::-1][:4])
    kept = ""
    if drop is not None and drop.smallest is not None:
        kept = f" {drop.smallest} of {len(tests)} tests keep a mean rank correlation of {drop.enough:g}."
    return f"Worth of {len(tests)} tests; the largest are {most}.{kept}"
