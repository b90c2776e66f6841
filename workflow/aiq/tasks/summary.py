"""What a run found and what it cost, as tables."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from aiq import storage
from aiq.records.table import Table
from aiq.tasks.baseline import read_baseline
from aiq.tasks.complexity import DomainComplexity
from aiq.tasks.dissimilarity import SuiteDissimilarity
from aiq.tasks.job import Run
from aiq.tasks.space import AgentScores


def scores(run: Run) -> AgentScores:
    """Return the stored scores of a run.

    Raises:
        StorageError: there are none, or they are of another configuration.
    """
    return storage.read_result(run.layout.scores, "scores", AgentScores, run.plan.scores())


def cost(run: Run) -> Table:
    """Return what each stage cost: jobs, their wall seconds, and the seconds spent training in them.

    Wall seconds come from Snakemake's benchmark files, training seconds from the shards; the rest is
    process starts, imports, reading and writing.
    """
    root = Path(run.layout.benchmark("x")).parent
    training = _training_seconds(run)
    rows = []
    for stage in (
        "domains",
        "trials",
        "agents",
        "mixtures",
        "baseline",
        "plays",
        "outside",
        "complexity",
        "entropy",
        "reduction",
    ):
        files = sorted((root / stage).rglob("*.tsv")) if stage != "reduction" else sorted(root.glob("*.tsv"))
        wall = [_seconds(path) for path in files]
        if wall:
            rows.append((stage, len(wall), sum(wall), training.get(stage, 0.0)))
    total = ("total", sum(r[1] for r in rows), sum(r[2] for r in rows), sum(r[3] for r in rows))
    return Table.of(("stage", "jobs", "wall_seconds", "training_seconds"), [*rows, total])


def _training_seconds(run: Run) -> Mapping[str, float]:
    """Return the seconds of training by stage, from the stored results."""
    plan, layout = run.plan, run.layout
    names = run.configuration.domains
    records = [
        storage.read_result(layout.complexity(n), "complexity", DomainComplexity, plan.complexity(n)) for n in names
    ]
    suite = storage.read_result(layout.dissimilarity, "dissimilarity", SuiteDissimilarity, plan.dissimilarity())
    seconds = {"trials": sum(record.core_seconds for record in records), "mixtures": suite.core_seconds}
    if Path(layout.scores).exists():
        seconds["agents"] = scores(run).core_seconds
    seconds["baseline"] = sum(
        one.trial.seconds for name in plan.baseline_domains for one in read_baseline(run, name, layout.baseline(name))
    )
    return seconds


def _seconds(path: Path) -> float:
    """Return the wall seconds of one benchmark file (the last run, if a job was run again)."""
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return float(rows[-1]["s"]) if rows else 0.0
