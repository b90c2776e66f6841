"""What the page of the anytime test opens with."""

from __future__ import annotations

from itertools import combinations

from aiq import storage
from aiq.pages import Lead
from aiq.records.table import Cell, Table
from aiq.wings.anytime.run import AnytimeRun as Run


def opening(run: Run) -> tuple[Lead, list[tuple[str, str]]]:
    """Return Υ and the level at the largest budget, how far to trust them, and facts.

    Raises:
        StorageError: a table is missing.
    """
    table = storage.read_published(run.layout.table("anytime"))
    last: dict[tuple[Cell, Cell], dict[str, Cell]] = {}
    for cells in table.rows:
        row = dict(zip(table.columns, cells, strict=True))
        last[row["class"], row["agent"]] = row
    rows = sorted(last.values(), key=lambda row: (str(row["class"]), -float(row["upsilon"] or 0.0)))
    wanted = ("class", "agent", "budget", "upsilon", "upsilon_low", "upsilon_high", "level", "level_low", "level_high")
    apart = [_apart(one, other) for one, other in combinations(rows, 2) if one["class"] == other["class"]]
    count = int(rows[0]["tests"] or 0) if rows else 0
    said = [
        f"{sum(apart)} of {len(apart)} pairs of agents of one class have intervals of Υ that do not overlap; of the "
        "others the order is not established by these tests.",
        "Υ compares agents in one class of environments only: values of different classes have different meanings.",
    ]
    facts = [
        ("agents", str(len({row["agent"] for row in rows}))),
        ("classes of environments", str(len({row["class"] for row in rows}))),
        ("tests of each agent", str(count)),
    ]
    called = [name.replace("upsilon", "Υ").replace("level", "level ξ") for name in wanted]
    return Lead("Agents", Table.of(called, [[row[name] for name in wanted] for row in rows]), said), facts


def _apart(one: dict[str, Cell], other: dict[str, Cell]) -> bool:
    """Return whether two intervals have nothing in common; without intervals nothing is known."""
    ends = [row[f"upsilon_{end}"] for row in (one, other) for end in ("low", "high")]
    if any(end is None for end in ends):
        return False
    low, high, low_, high_ = (float(end or 0.0) for end in ends)
    return low > high_ or low_ > high
