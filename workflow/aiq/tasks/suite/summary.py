"""What a run found and what it cost, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from aiq import storage
from aiq.plans.run import SuiteRun as Run
from aiq.records.table import Table
from aiq.tasks.shell.benchmarks import benchmarks
from aiq.tasks.suite.reducing.comparison import read_baseline
from aiq.tasks.suite.reducing.complexity import DomainComplexity
from aiq.tasks.suite.reducing.dissimilarity import DRAWS, SuiteDissimilarity
from aiq.tasks.suite.reducing.space import AgentScores


def scores(run: Run) -> AgentScores:
    """Return the stored scores of a run.

    Raises:
        StorageError: there are none, or they are of another configuration.
    """
    return storage.read_result(run.layout.scores, "scores", AgentScores, run.plan.scores())


def cost(run: Run) -> Table:
    """Return what each stage cost: jobs, their wall seconds, core-hours, and the seconds spent training in them.

    Wall seconds come from Snakemake's benchmark files, training seconds from the shards; the rest is process
    starts, imports, reading and writing. Core-hours are wall seconds times the cores that a job held: what a
    cluster accounts for. Core-hours of a run on GPUs are hours of the cores beside them.
    """
    training = _training_seconds(run)
    spent = benchmarks(run.layout, run.configuration.threads)
    rows = [(stage, jobs, wall, hours, training.get(stage, 0.0)) for stage, jobs, wall, hours in spent]
    total = ("total", *(sum(row[k] for row in rows) for k in range(1, 5)))
    return Table.of(("stage", "jobs", "wall_seconds", "core_hours_held", "training_seconds"), [*rows, total])


def _training_seconds(run: Run) -> Mapping[str, float]:
    """Return the seconds of training by stage, from the stored results."""
    plan, layout = run.plan, run.layout
    names = run.configuration.domains
    records = [
        storage.read_result(layout.complexity(n), "complexity", DomainComplexity, plan.complexity(n)) for n in names
    ]
    suite = storage.read_result(
        layout.dissimilarity, "dissimilarity", SuiteDissimilarity, plan.dissimilarity(), without=DRAWS
    )
    seconds = {"trials": sum(record.core_seconds for record in records), "mixtures": suite.core_seconds}
    seconds["alone"] = suite.core_seconds_alone
    if Path(layout.scores).exists():
        seconds["agents"] = scores(run).core_seconds
    seconds["baseline"] = sum(
        one.trial.seconds for name in plan.baseline_domains for one in read_baseline(run, name, layout.baseline(name))
    )
    return seconds
