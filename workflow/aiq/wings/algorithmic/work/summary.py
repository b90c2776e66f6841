"""What a finished run of the algorithmic quotient found."""

from __future__ import annotations

from aiq import storage
from aiq.records.table import Table
from aiq.wings.algorithmic.records import Quotients
from aiq.wings.algorithmic.run import AlgorithmicRun as Run

TITLE = "algorithmic quotients"


def main_table(run: Run) -> Table:
    """Quotients of every agent at every length."""
    found = storage.read_result(run.layout.quotients, "quotients", Quotients, run.plan.quotients())
    rows = [(a.agent, a.length, *a.quotient.estimate.cells(), a.quotient.failures) for a in found.agents]
    return Table.of(("agent", "length", "quotient", "low", "high", "failed_pairs"), rows)
