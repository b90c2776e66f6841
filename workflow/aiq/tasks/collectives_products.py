"""Figures and tables of collectives, from stored results."""

from __future__ import annotations

import math
from pathlib import Path

from aiq import figures
from aiq.records.table import Table
from aiq.tasks.collectives import CollectivesResult, CollectivesSetup, read_result
from aiq.tasks.figures import Draw, save
from aiq.tasks.publishing import publish


def draw_collectives(run: CollectivesSetup, source: str | Path) -> None:
    """Draw Υ against H, scores against K, and one episode."""
    found = read_result(run, source)
    drawings: dict[str, Draw] = {
        "collectives-uncertainty": lambda: figures.collectives_uncertainty(found.intelligence),
        "collectives-episode": lambda: figures.collectives_episode(
            found.drawn, pictures=run.configuration.drawn.pictures
        ),
    }
    for part in found.by_complexity:
        drawings[f"collectives-complexity-{part.pattern}"] = lambda part=part: figures.collectives_complexity(
            part.scores, pattern=part.pattern
        )
    save(run.layout, drawings)


def intelligence_table(found: CollectivesResult) -> Table:
    """Return Υ of every kind at every side, with its coefficient of variation (empty where there is none)."""
    rows = [
        (
            *(g.kind, g.rows, g.uncertainty, g.estimate.value, *(g.estimate.interval or (None, None))),
            *(g.estimate.n, g.variation if math.isfinite(g.variation) else None),
        )
        for g in found.intelligence
    ]
    columns = ("kind", "side", "uncertainty", "upsilon", "upsilon_low", "upsilon_high", "episodes", "variation")
    return Table.of(columns, rows)


def ordering_table(found: CollectivesResult) -> Table:
    """Return every ordering with the difference that decides it."""
    columns = ("statement", "side", "difference", "difference_low", "difference_high", "holds")
    rows = [
        (o.statement, o.side, o.difference.value, *(o.difference.interval or (None, None)), o.holds)
        for o in found.orderings
    ]
    return Table.of(columns, rows)


def write_tables(run: CollectivesSetup, source: str | Path) -> None:
    """Write the tables of a run."""
    found = read_result(run, source)
    publish(run, {"intelligence": intelligence_table(found), "orderings": ordering_table(found)})
