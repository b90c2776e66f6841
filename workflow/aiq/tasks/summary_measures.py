"""What a run of one of the other measures found and what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aiq import storage
from aiq.config.algorithmic import Algorithmic
from aiq.config.anytime import Anytime
from aiq.config.layout import Files
from aiq.config.load import parse_any
from aiq.records.estimate import Estimate
from aiq.records.table import Table
from aiq.tasks.summary import benchmarks


@dataclass(frozen=True)
class Summary:
    """A finished run: its main table, what it cost by stage, and where its files lie."""

    measure: str
    title: str
    table: Table
    cost: Table
    layout: Files


def summarise(config: Mapping[str, Any]) -> Summary:
    """Return what a finished run of one of the other measures found.

    Raises:
        StorageError: it is not finished, or of another configuration.
    """
    configuration = parse_any(config)
    if isinstance(configuration, Algorithmic):
        return _summary("algorithmic", "algorithmic quotients", *_algorithmic(config))
    if isinstance(configuration, Anytime):
        return _summary("anytime", "anytime test, at the largest budget", *_anytime(config))
    return _summary("collectives", "intelligence of groups", *_collectives(config))


def _summary(measure: str, title: str, table: Table, layout: Files) -> Summary:
    """Add what the run cost."""
    spent = benchmarks(layout)
    total = ("total", *(sum(row[k] for row in spent) for k in (1, 2, 3)))
    cost = Table.of(("stage", "jobs", "wall_seconds", "core_hours"), [*spent, total])
    return Summary(measure, title, table, cost, layout)


def _ends(estimate: Estimate) -> tuple[float | None, float | None]:
    """Return the ends of an interval, or two empty cells."""
    return estimate.interval or (None, None)


def _algorithmic(config: Mapping[str, Any]) -> tuple[Table, Files]:
    """Quotients of every agent at every length."""
    from aiq.records.algorithmic import Quotients
    from aiq.tasks.algorithmic import AlgorithmicRun

    run = AlgorithmicRun.of(config)
    found = storage.read_result(run.layout.quotients, "quotients", Quotients, run.plan.quotients())
    rows = [
        (a.agent, a.length, a.quotient.estimate.value, *_ends(a.quotient.estimate), a.quotient.failures)
        for a in found.agents
    ]
    return Table.of(("agent", "length", "quotient", "low", "high", "failed_pairs"), rows), run.layout


def _anytime(config: Mapping[str, Any]) -> tuple[Table, Files]:
    """The upsilon of every agent in every class at the last budget that it has."""
    from aiq.tasks.anytime import AnytimeSetup, read_results

    run = AnytimeSetup.of(config)
    found = read_results(run, [run.layout.result(name) for name in run.plan.classes])
    last = {(result.environments, point.agent): point for result in found for point in result.points}
    rows = [(made, agent, p.budget, p.upsilon.value, *_ends(p.upsilon)) for (made, agent), p in last.items()]
    return Table.of(("class", "agent", "budget", "upsilon", "low", "high"), rows), run.layout


def _collectives(config: Mapping[str, Any]) -> tuple[Table, Files]:
    """The upsilon of every kind of group at every side."""
    from aiq.tasks.collectives import CollectivesSetup, read_result

    run = CollectivesSetup.of(config)
    found = read_result(run, run.layout.result)
    rows = [(g.kind, g.rows, g.estimate.value, *_ends(g.estimate), g.estimate.n) for g in found.intelligence]
    return Table.of(("kind", "side", "upsilon", "low", "high", "episodes"), rows), run.layout
