"""What a finished run that measures similarities found."""

from __future__ import annotations

from aiq.records.table import Table
from aiq.wings.similarity2020.run import SimilarityRun as Run
from aiq.wings.similarity2020.work.reduction import read_result

TITLE = "similarity of tests"


def main_table(run: Run) -> Table:
    """The similarity of every pair, and what limits it."""
    found = read_result(run, run.layout.result)
    first = run.configuration.halvings[0]
    rows = []
    for pair in found.pairs:
        if pair.halvings == first and pair.a != pair.b:
            s = pair.similarity
            low, high = s.interval or (None, None)
            rows.append((pair.a, pair.b, pair.merge, s.value, low, high, s.sufficient, s.note or None))
    return Table.of(("a", "b", "merge", "similarity", "low", "high", "sufficient", "note"), rows)
