"""Figures and tables of collectives, from stored results."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from aiq.records.table import Table
from aiq.tasks.shell.publishing import Draw, Made, Needs
from aiq.wings.collectives.figures import collectives_complexity, collectives_episode, collectives_uncertainty
from aiq.wings.collectives.run import CollectivesRun as Run
from aiq.wings.collectives.work.jobs import CollectivesResult, read_result


def draw_collectives(run: Run, needs: Needs) -> Made:
    """Return Υ against H, scores against K, and one episode."""
    found = read_result(run, needs["result"][0])
    drawings: dict[str, Draw] = {
        "collectives-uncertainty": lambda: collectives_uncertainty(found.intelligence),
        "collectives-episode": lambda: collectives_episode(found.drawn, pictures=run.configuration.drawn.pictures),
    }
    for part in found.by_complexity:
        drawings[f"collectives-complexity-{part.pattern}"] = lambda part=part: collectives_complexity(
            part.scores, pattern=part.pattern
        )
    return Made(drawings)


def intelligence_table(found: CollectivesResult) -> Table:
    """Return Υ of every kind at every side, with its coefficient of variation (empty where there is none)."""
    rows = [
        (
            *(g.kind, g.rows, g.uncertainty, *g.estimate.cells()),
            *(g.estimate.n, g.variation if math.isfinite(g.variation) else None),
        )
        for g in found.intelligence
    ]
    columns = ("kind", "side", "uncertainty", "upsilon", "upsilon_low", "upsilon_high", "episodes", "variation")
    return Table.of(columns, rows)


def ordering_table(found: CollectivesResult) -> Table:
    """Return every ordering with the difference that decides it."""
    columns = ("statement", "side", "difference", "difference_low", "difference_high", "holds")
    rows = [(o.statement, o.side, *o.difference.cells(), o.holds) for o in found.orderings]
    return Table.of(columns, rows)


def tabulate(run: Run, needs: Needs) -> Made:
    """Return the tables of a run."""
    found = read_result(run, needs["result"][0])
    return Made(tables={"intelligence": lambda: intelligence_table(found), "orderings": lambda: ordering_table(found)})


MAKERS: Mapping[str, Callable[[Run, Needs], Made]] = {
    "draw_collectives": draw_collectives,
    "tabulate_collectives": tabulate,
}
"""By the name of the job."""
