"""What a run that measures collectives shows: figures, tables, what its page opens with."""

from __future__ import annotations

import math
from functools import partial

from aiq import storage
from aiq.pages import Opening
from aiq.plans.products import Products
from aiq.records.table import Table
from aiq.run.products import Draw, Made
from aiq.run.units import read_stored
from aiq.wings.collectives.figures import collectives_complexity, collectives_episode, collectives_uncertainty
from aiq.wings.collectives.work import CollectivesResult, CollectivesRun


def read_result(run: CollectivesRun) -> CollectivesResult:
    """Return what a run found."""
    return read_stored(run, "reduce_episodes", CollectivesResult)


def show(run: CollectivesRun, declared: Products) -> Made:
    """Return Υ against H, scores against K, one episode, and the tables."""
    found = read_result(run)
    drawings: dict[str, Draw] = {
        f"collectives-complexity-{part.pattern}": partial(collectives_complexity, part.scores, pattern=part.pattern)
        for part in found.by_complexity
    }
    drawings["collectives-uncertainty"] = partial(collectives_uncertainty, found.intelligence)
    pictures = run.configuration.drawn.pictures
    drawings["collectives-episode"] = partial(collectives_episode, found.drawn, pictures=pictures)
    tables = {"intelligence": partial(intelligence_table, found), "orderings": partial(ordering_table, found)}
    return Made(drawings, tables)


def intelligence_table(found: CollectivesResult) -> Table:
    """Return Υ of every kind at every side, with its coefficient of variation (empty where there is none)."""
    rows = [
        (g.kind, g.rows, g.uncertainty, *g.estimate.cells(), g.estimate.n, _finite(g.variation))
        for g in found.intelligence
    ]
    columns = ("kind", "side", "uncertainty", "upsilon", "upsilon_low", "upsilon_high", "episodes", "variation")
    return Table.of(columns, rows)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def ordering_table(found: CollectivesResult) -> Table:
    """Return every ordering with the difference that decides it."""
    columns = ("statement", "side", "difference", "difference_low", "difference_high", "holds")
    rows = [(o.statement, o.side, *o.difference.cells(), o.holds) for o in found.orderings]
    return Table.of(columns, rows)


def main_table(run: CollectivesRun) -> Table:
    """The upsilon of every kind of group at every side."""
    found = read_result(run)
    rows = [(g.kind, g.rows, *g.estimate.cells(), g.estimate.n) for g in found.intelligence]
    return Table.of(("kind", "side", "upsilon", "low", "high", "episodes"), rows)


def opening(run: CollectivesRun) -> tuple[Opening, list[tuple[str, str]]]:
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
    return Opening("Groups", Table.of(called, [[row[name] for name in wanted] for row in rows]), said), facts
