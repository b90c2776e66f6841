"""What a finished run that measures collectives found."""

from __future__ import annotations

from aiq.records.table import Table
from aiq.wings.collectives.run import CollectivesRun as Run
from aiq.wings.collectives.work.jobs import read_result

TITLE = "intelligence of groups"


def main_table(run: Run) -> Table:
    """The upsilon of every kind of group at every side."""
    found = read_result(run, run.layout.result)
    rows = [(g.kind, g.rows, *g.estimate.cells(), g.estimate.n) for g in found.intelligence]
    return Table.of(("kind", "side", "upsilon", "low", "high", "episodes"), rows)
