"""What a finished run found and what it cost, as tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from aiq import storage
from aiq.config.base import fingerprint
from aiq.explain.finished import FinishedRun
from aiq.plans.layout import Files
from aiq.plans.run import AnyRun, measure_of
from aiq.plans.run import SuiteRun as Run
from aiq.records.table import Table
from aiq.records.variance import Variances
from aiq.run.costing import benchmarks
from aiq.run.job import settled
from aiq.run.reducing.comparison import read_baseline
from aiq.run.reducing.space import AgentScores


def main_table(run: Run) -> Table:
    """Return the domains with their complexities, where no agent is scored."""
    table = storage.read_published(run.layout.table("complexity"))
    wanted = [c for c in table.columns if c.startswith(("domain", "complexity", "normalised", "relative_excess"))]
    return Table.of(wanted, [[row[name] for name in wanted] for row in table.dicts])


def scores(run: Run) -> AgentScores:
    """Return the stored scores of a run."""
    return storage.read_result(run.layout.scores, "scores", AgentScores, run.plan.scores())


def cost(finished: FinishedRun) -> Table:
    """Return what each stage cost: jobs, their wall seconds, core-hours, and the seconds spent training in them.

    Wall seconds come from Snakemake's benchmark files, training seconds from the shards; the rest is process
    starts, imports, reading and writing. Core-hours are wall seconds times the cores that a job held: what a
    cluster accounts for. Core-hours of a run on GPUs are hours of the cores beside them.
    """
    training, run = _training_seconds(finished), finished.run
    spent = benchmarks(run.layout, run.configuration.threads)
    rows = [(stage, jobs, wall, hours, training.get(stage, 0.0)) for stage, jobs, wall, hours in spent]
    total = ("total", *(sum(row[k] for row in rows) for k in range(1, 5)))
    return Table.of(("stage", "jobs", "wall_seconds", "core_hours_held", "training_seconds"), [*rows, total])


def variance(run: Run) -> Variances | None:
    """Return the variance of the scores by source as the run has published it; None where it has not, or not yet."""
    c, tables = run.configuration, [run.layout.table(name) for name in ("variance", "advice")]
    beside = Path(run.layout.provenance("advice"))  # written last
    if not beside.exists() or not all(Path(table).exists() for table in tables):
        return None
    made_by = json.loads(beside.read_text(encoding="utf-8")).get("configuration_hash")
    if made_by != fingerprint("configuration", settled(c)):
        return None
    shares, advice = (storage.read_published(table) for table in tables)
    return None if shares.why_lacking else Variances.of(c.name, c.quotient.confidence, shares, advice)


def _training_seconds(finished: FinishedRun) -> Mapping[str, float]:
    """Return the seconds of training by stage, from the stored results."""
    run, suite = finished.run, finished.dissimilarity
    seconds = {"trials": sum(record.core_seconds for record in finished.complexity.values())}
    seconds |= {"mixtures": suite.core_seconds, "alone": suite.core_seconds_alone}
    if run.plan.scored and Path(run.layout.scores).exists():
        seconds["agents"] = scores(run).core_seconds
    trained = [read_baseline(run, name, run.layout.baseline(name)) for name in run.plan.baseline_domains]
    return {**seconds, "baseline": sum(one.trial.seconds for each in trained for one in each)}


@dataclass(frozen=True)
class Summary:
    """A finished run: its main table, what it cost by stage, and where its files lie."""

    measure: str
    title: str
    table: Table
    cost: Table
    layout: Files


def summarise(run: AnyRun) -> Summary:
    """Return what a finished run found and cost."""
    measure: str = run.configuration.measure
    its = measure_of(measure)
    spent = benchmarks(run.layout)
    total = ("total", *(sum(row[k] for row in spent) for k in (1, 2, 3)))
    cost = Table.of(("stage", "jobs", "wall_seconds", "core_hours_held"), [*spent, total])
    return Summary(measure, its.heading or its.title or measure, its.part("main_table")(run), cost, run.layout)
