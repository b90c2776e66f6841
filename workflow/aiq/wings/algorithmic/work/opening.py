"""What the page of the algorithmic quotient opens with."""

from __future__ import annotations

from aiq import storage
from aiq.pages import Lead, undecided
from aiq.records.table import Table
from aiq.wings.algorithmic.run import AlgorithmicRun as Run


def opening(run: Run) -> tuple[Lead, list[tuple[str, str]]]:
    """Return the quotients, best first at the longest episodes, how far to trust them, and facts.

    Raises:
        StorageError: a table is missing.
    """
    table = storage.read_published(run.layout.table("quotients"))
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    rows.sort(key=lambda row: (-int(row["length"] or 0), -float(row["quotient"] or 0.0)))
    wanted = ("label", "length", "quotient", "quotient_low", "quotient_high", "runs", "failed_pairs")
    longest = int(rows[0]["length"] or 0)
    found = storage.read_published(run.layout.table("differences"))
    pairs = [
        (str(row["first"]), str(row["second"]), not float(low) <= 0 <= float(high))
        for row in (dict(zip(found.columns, cells, strict=True)) for cells in found.rows)
        if row["length"] == longest
        and (low := row["difference_low"]) is not None
        and (high := row["difference_high"]) is not None
    ]
    failed = sum(int(row["failed_pairs"] or 0) for row in rows)
    said = [
        undecided(pairs, f" at {longest} cycles"),
        "Programs are sampled from one reference machine, and quotients hang on it: they compare agents on this "
        "machine, not beyond it.",
    ]
    if failed:
        said.append(f"{failed} pairs of trials were replaced because their program failed.")
    agents = len({row["agent"] for row in rows})
    facts = [("agents", str(agents)), ("longest episodes", f"{longest} cycles")]
    called = ["agent", *wanted[1:]]
    return Lead("Agents", Table.of(called, [[row[name] for name in wanted] for row in rows]), said), facts
