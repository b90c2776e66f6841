"""What the page of collectives opens with."""

from __future__ import annotations

from aiq import storage
from aiq.pages import Lead
from aiq.records.table import Table
from aiq.wings.collectives.run import CollectivesRun as Run


def opening(run: Run) -> tuple[Lead, list[tuple[str, str]]]:
    """Return Υ of every kind of group, how far to trust it, and facts.

    Raises:
        StorageError: a table is missing.
    """
    table = storage.read_published(run.layout.table("intelligence"))
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    rows.sort(key=lambda row: (-int(row["side"] or 0), -float(row["upsilon"] or 0.0)))
    wanted = ("kind", "side", "upsilon", "upsilon_low", "upsilon_high", "episodes")
    orders = storage.read_published(run.layout.table("orderings"))
    stated = [dict(zip(orders.columns, row, strict=True)) for row in orders.rows]
    broken = [f"{row['statement']} (side {row['side']})" for row in stated if not row["holds"]]
    rest = f" Not established: {', '.join(broken)}." if broken else ""
    said = [
        f"{len(stated) - len(broken)} of {len(stated)} expected statements about the order of the kinds hold here, as "
        f"the intervals of their differences tell.{rest} Brackets are intervals over episodes.",
        "Scores hang on the grid, the number of agents and the iterations: they compare kinds of groups within this "
        "setting.",
    ]
    facts = [
        ("kinds of groups", str(len({row["kind"] for row in rows}))),
        ("grids", str(len({row["side"] for row in rows}))),
    ]
    called = [name.replace("upsilon", "Υ") for name in wanted]
    return Lead("Groups", Table.of(called, [[row[name] for name in wanted] for row in rows]), said), facts
