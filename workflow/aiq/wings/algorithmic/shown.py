"""What a run of the algorithmic quotient shows: figures, tables, what its page opens with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from aiq import storage
from aiq.pages import Opening
from aiq.plans.products import Products
from aiq.records.estimate import Estimate
from aiq.records.table import Cell, Table, bounds
from aiq.run.job import read_stored
from aiq.run.products import Made
from aiq.wings.algorithmic.figures import FIGURES
from aiq.wings.algorithmic.records import AgentQuotient, Quotients
from aiq.wings.algorithmic.work import Run


def show(run: Run, declared: Products) -> Made:
    """Return every figure and table."""
    quotients = read_stored(run, "reduce_quotients", Quotients)
    by_name = tables(quotients)
    return Made(
        {name: partial(draw, quotients) for name, draw in FIGURES.items()},
        {name: partial(by_name.__getitem__, name) for name in by_name},
    )


def main_table(run: Run) -> Table:
    """Quotients of every agent at every length."""
    quotients = read_stored(run, "reduce_quotients", Quotients)
    rows = [(a.agent, a.length, *a.quotient.estimate.cells(), a.quotient.failures) for a in quotients.agents]
    return Table.of(("agent", "length", "quotient", "low", "high", "failed_pairs"), rows)


def tables(quotients: Quotients) -> dict[str, Table]:
    """Return the tables by name: quotients, differences, strata, program lengths, and the sample."""
    sample, agents = quotients.sample, quotients.agents
    strata = [
        (r.agent, r.length, v.stratum, v.probability, *v.estimate.cells(), _kept(v.estimate, v.deviation), v.estimate.n)
        for r in agents
        for v in r.quotient.strata
    ]
    lengths = [
        (r.agent, r.length, v.shortest, v.longest, v.share, *v.estimate.cells(), v.estimate.n)
        for r in agents
        for v in r.by_length
    ]
    differences = [
        (d.first, d.second, d.length, *d.estimate.cells(), d.probability, d.estimate.n) for d in quotients.differences
    ]
    counts = {
        "accepted": sample.size,
        "candidates": sample.candidates,
        "without input or output": sample.without_io,
        "failed": sample.failed,
        "passive": sample.passive,
    } | {f"stratum {k}": count for k, count in enumerate(sample.strata, start=1)}
    parts: dict[str, tuple[tuple[str, ...], list[Any]]] = {
        "quotients": (
            ("agent", "label", "kind", "length", "parameters", *bounds("quotient"), "half_from_trials",
             "half_from_strata", "runs", "failed_pairs", "reused_programs", "dropped_strata", "method"),
            [_quotient(record) for record in agents],
        ),
        "differences": (("first", "second", "length", *bounds("difference"), "probability", "pairs"), differences),
        "strata": (("agent", "length", "stratum", "probability", *bounds("mean"), "deviation", "pairs"), strata),
        "program-lengths": (("agent", "length", "shortest", "longest", "share", *bounds("mean"), "pairs"), lengths),
        "programs": (("programs", "count"), [*counts.items()]),
    }  # fmt: skip
    return {name: Table.of(columns, rows) for name, (columns, rows) in parts.items()}


def _quotient(record: AgentQuotient) -> tuple[Cell, ...]:
    q = record.quotient
    return (
        record.agent, record.label, record.kind, record.length,
        " ".join(f"{name}={value}" for name, value in record.parameters.items()), *q.estimate.cells(),
        _kept(q.estimate, q.half_sampling), _kept(q.estimate, q.half_weights), q.runs, q.failures, q.reused,
        " ".join(map(str, q.dropped)), q.estimate.method,
    )  # fmt: skip


def _kept(estimate: Estimate, value: float) -> float | None:
    """Return a number that hangs on there being an interval."""
    return None if estimate.interval is None else value


def opening(run: Run) -> tuple[Opening, list[tuple[str, str]]]:
    """Return the quotients, best first at the longest episodes, how far to trust them, and facts.

    Raises:
        StorageError: a table is missing.
    """
    table = storage.read_published(run.layout.table("quotients"))
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    rows.sort(key=lambda row: (-int(row["length"] or 0), -float(row["quotient"] or 0.0)))
    wanted = ("label", "length", "quotient", "quotient_low", "quotient_high", "runs", "failed_pairs")
    longest = int(rows[0]["length"] or 0)
    differences = storage.read_published(run.layout.table("differences"))
    columns = (differences.column(name) for name in ("first", "second", "length", "difference_low", "difference_high"))
    pairs = [
        (str(first), str(second), not float(low) <= 0 <= float(high))
        for first, second, length, low, high in zip(*columns, strict=True)
        if length == longest and low is not None and high is not None
    ]
    failed = sum(int(row["failed_pairs"] or 0) for row in rows)
    said = [
        _undecided(pairs, longest),
        "Programs are sampled from one reference machine, and quotients hang on it: they compare agents on this "
        "machine, not beyond it.",
    ]
    if failed:
        said.append(f"{failed} pairs of trials were replaced because their program failed.")
    agents = len({row["agent"] for row in rows})
    facts = [("agents", str(agents)), ("longest episodes", f"{longest} cycles")]
    called = ["agent", *wanted[1:]]
    return Opening("Agents", Table.of(called, [[row[name] for name in wanted] for row in rows]), said), facts


def _undecided(pairs: Sequence[tuple[str, str, bool]], longest: int) -> str:
    """Return the sentence on how many differences are decided, of two names and whether the interval leaves 0 out."""
    if not pairs:
        return "There is one agent alone, so there is nothing to compare."
    where, open_ = f" at {longest} cycles", [f"{a} and {b}" for a, b, decided in pairs if not decided]
    if not open_:
        return f"All {len(pairs)} differences between agents{where} are decided: their intervals leave 0 out."
    listed = ", ".join(open_[:8]) + (f" and {len(open_) - 8} more" if len(open_) > 8 else "")
    return (
        f"{len(pairs) - len(open_)} of {len(pairs)} differences between agents{where} are decided: their intervals "
        f"leave 0 out. Not decided: {listed}."
    )
