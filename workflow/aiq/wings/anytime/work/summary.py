"""What a finished run of anytime tests found."""

from __future__ import annotations

from aiq.records.table import Table
from aiq.wings.anytime.run import AnytimeRun as Run
from aiq.wings.anytime.work.jobs import read_results

TITLE = "anytime test, at the largest budget"


def main_table(run: Run) -> Table:
    """The upsilon of every agent in every class at the last budget that it has."""
    found = read_results(run, [run.layout.result(name) for name in run.plan.classes])
    last = {(result.environments, point.agent): point for result in found for point in result.points}
    rows = [(made, agent, p.budget, *p.upsilon.cells()) for (made, agent), p in last.items()]
    return Table.of(("class", "agent", "budget", "upsilon", "low", "high"), rows)
