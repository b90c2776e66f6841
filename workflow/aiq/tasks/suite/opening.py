"""What the page of a suite opens with: the agents, and how far their order can be trusted."""

from __future__ import annotations

from collections.abc import Sequence

from aiq import storage
from aiq.pages import Lead, told_apart
from aiq.plans import growth
from aiq.plans.run import SuiteRun as Run
from aiq.records import relative
from aiq.records.table import Cell, Table
from aiq.tasks.suite.summary import main_table

_COLUMNS = ("rank", "agent", "value", "per_dimension", "mean", "probability_above_next")
_WORDS = {
    "value": "headline",
    "per_dimension": "AIQ per dimension",
    "mean": "mean performance",
    "probability_above_next": "probability above the next",
}


def opening(run: Run) -> tuple[Lead, list[tuple[str, str]]]:
    """Return the main table with its sentences, and facts.

    Raises:
        StorageError: a table is missing.
    """
    c = run.configuration
    space = storage.read_published(run.layout.table("space"))
    dimensions = sum(name.startswith("axis_") for name in space.columns)
    facts = [
        ("domains", str(len(c.domains))),
        ("dimensions", str(dimensions)),
        ("policies of the pool", str(c.pool.size)),
        ("repetitions of a mixture", str(c.dissimilarity.repetitions)),
    ]
    if not run.plan.scored:
        return _domains(run, space), facts
    table = storage.read_published(run.layout.table("agents"))
    scored = [row for row in table.rows if row[0] is not None]
    facts.insert(0, ("agents", str(len(scored))))
    words = [*_trust(run, table), *_kin(run), *_rounds(run)]
    return Lead("Agents", _agents(Table.of(table.columns, scored)), words), facts


def _kin(run: Run) -> list[str]:
    """Return the sentence on the tests that are most alike, where twins tell it."""
    twins = run.configuration.dissimilarity.twins
    return [relative.said(storage.read_published(run.layout.table("relative")))] if twins else []


def _rounds(run: Run) -> list[str]:
    """Return the sentence on precision as the goal: how many rounds there were, and why they stopped."""
    found = growth.read(run.layout.precision) if run.configuration.precision is not None else None
    if found is None or not found.stop:
        return []
    count = len(found.rounds) - 1
    said = f"Grown in {count} round{'' if count == 1 else 's'} ({found.spent:.3g} core-hours in all): {found.says}."
    return [said, "Rounds stop when intervals happen to be narrow, so these are on average somewhat too narrow."]


def _agents(table: Table) -> Table:
    """Return the columns that are read first; numbers with their intervals."""
    names = [name for name in _COLUMNS if name in table.columns]
    wanted = [c for name in names for c in (name, f"{name}_low", f"{name}_high") if c in table.columns]
    called = [_named(name) for name in wanted]
    return Table.of(called, [[row[table.columns.index(name)] for name in wanted] for row in table.rows])


def _named(column: str) -> str:
    """Return the heading of a column, the ends of intervals as they belong to it."""
    for end in ("_low", "_high"):
        base = column.removesuffix(end)
        if base != column and base in _WORDS:
            return _WORDS[base] + end
    return _WORDS.get(column, column)


def _trust(run: Run, table: Table) -> list[str]:
    """Return the sentences: the order, what intervals are, warnings, who could not be scored."""
    scored = [dict(zip(table.columns, row, strict=True)) for row in table.rows if row[0] is not None]
    sure = [None if (p := row["probability_above_next"]) is None else float(p) for row in scored]
    confidence = run.configuration.quotient.confidence
    first = told_apart([str(row["agent"]) for row in scored], sure[:-1] if len(sure) > 1 else [])
    if len(scored) == 1:
        first = "There is one agent alone, so there is no order."
    said = [f"{first} Brackets are {confidence:.0%} intervals."]
    said += [f"Warning: {words.rstrip('.')}." for words in _distinct([row["warnings"] for row in scored])]
    said += [_sentence(words) for words in _distinct([row["note"] for row in scored])]
    said += [_sentence(f"{row[1]}: {row[table.columns.index('method')]}") for row in table.rows if row[0] is None]
    return said


def _distinct(cells: Sequence[Cell]) -> list[str]:
    """Return the sentences of some cells, each once."""
    return list(dict.fromkeys(part for cell in cells if cell for part in str(cell).split("; ")))


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."


def _domains(run: Run, space: Table) -> Lead:
    """Return the domains where nobody is scored."""
    said = [f"Warning: {words.rstrip('.')}." for words in _distinct(space.column("warnings"))]
    first = f"Nobody is scored. Brackets are {run.configuration.complexity.confidence:.0%} intervals."
    return Lead("Domains", main_table(run), [first, *said, *_kin(run)])
