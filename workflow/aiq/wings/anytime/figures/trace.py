"""The anytime test under way: the complexity level ξ and the mean reward R, environment by environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.table import Table
from aiq.wings.anytime.figures.rewards import key, logarithmic, panels
from aiq.wings.anytime.records import AnytimeRun

_FAINT = 5


@style.styled
@written("complexity level ξ", "mean reward R", "environments finished", "agent-1")
def anytime_trace(tests: Mapping[str, Mapping[str, Sequence[AnytimeRun]]]) -> Drawing:
    """Draw ξ (above) and R (below) against the number of the environment, one column per class.

    Args:
        tests: class -> agent -> repeated tests.

    Raises:
        InputError: no test finished an environment.
    """
    rows = [
        (name, agent, run.repetition, k + 1, row.complexity, row.level, row.next_level, row.interactions, row.reward)
        for name, agents in tests.items()
        for agent, runs in agents.items()
        for run in runs
        for k, row in enumerate(run.rows)
    ]
    if not rows:
        raise InputError("no test finished an environment, so there is no trace to be drawn; give a larger budget")
    classes = list(dict.fromkeys(row[0] for row in rows))
    names = list(dict.fromkeys(agent for agents in tests.values() for agent in agents))
    figure, axes = panels(len(classes), 2, 1.75)
    for column, name in enumerate(classes):
        above, below = axes[:, column]
        above.set_title(name, fontsize=style.SMALL)
        for agent, runs in tests[name].items():
            index = names.index(agent)
            _trace(above, [[row.next_level for row in run.rows] for run in runs], index, agent)
            _trace(below, [[row.reward for row in run.rows] for run in runs], index, agent)
        logarithmic(above, "y")
        below.set_xlabel("environments finished")
        below.axhline(0, color=style.GREY, linewidth=0.6, zorder=1)
        below.set_ylim(-1.05, 1.05)
        below.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
        for place, label in ((above, "complexity level ξ"), (below, "mean reward R")):
            place.set_ylabel(label if column == 0 else "")
            style.grid(place)
    key(figure, axes[0])
    caption = (
        "The course of the anytime test: above the complexity level ξ after each environment (logarithmic), below the "
        f"mean reward R in it. Thick: mean over tests; faint: up to {_FAINT} single tests of each agent."
    )
    columns = ("class", "agent", "test", "environment", "complexity", "level", "next_level", "interactions", "reward")
    alt = f"Traces of {len(names)} agents in {len(classes)} classes of environments: level and reward after each one."
    return finish(figure, Table.of(columns, rows), caption, alt)


def _trace(axes: Axes, runs: Sequence[Sequence[float]], index: int, label: str) -> None:
    """Draw the mean of some tests where at least half of them go on, and a few single ones faintly."""
    ink = style.colour(index)
    for values in runs[:_FAINT]:
        axes.plot(np.arange(1, len(values) + 1), values, color=ink, alpha=0.2, linewidth=0.6)
    lengths = np.array([len(values) for values in runs])
    shown = int(np.sort(lengths)[(lengths.size - 1) // 2])
    means = [float(np.mean([values[k] for values in runs if len(values) > k])) for k in range(shown)]
    x = np.arange(1, shown + 1)
    axes.plot(x, means, color=ink, linestyle=style.line(index), marker=style.marker(index), ms=2.5, label=label)
