"""An episode as text: one picture of the grid per iteration.

``+`` is Good, ``-`` Evil, ``.`` an empty cell; the digit after it counts the agents in the cell.
"""

from __future__ import annotations

from aiq.errors import InputError
from aiq.wings.collectives.records import EpisodeTrace


def render(trace: EpisodeTrace, iteration: int) -> str:
    """Return the grid after ``iteration`` (0: before the first move), a row a line, with the mean reward.

    Raises:
        InputError: the episode has no such iteration.
    """
    steps = trace.rewards.shape[0]
    if not 0 <= iteration <= steps:
        raise InputError(f"iteration {iteration} is not in the episode; choose one from 0 to {steps}")
    here = trace.agents[iteration].tolist()
    objects = {int(trace.good[iteration]): "+", int(trace.evil[iteration]): "-"}
    lines = []
    for row in range(trace.rows):
        marks = []
        for cell in range(row * trace.columns, (row + 1) * trace.columns):
            number = here.count(cell)
            mark = str(min(number, 9)) if number else " "
            marks.append(objects.get(cell, ".") + mark)
        lines.append(" ".join(marks).rstrip())
    reward = "" if iteration == 0 else f", mean reward {trace.rewards[iteration - 1].mean():+.2f}"
    return f"iteration {iteration}{reward}\n" + "\n".join(lines)
