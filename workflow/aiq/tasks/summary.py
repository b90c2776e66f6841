"""What a run found and what it cost, as tables."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from aiq import storage
from aiq.config.layout import Files
from aiq.records.table import Table
from aiq.tasks.comparison import read_baseline
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


STAGES = (
    "domains",
    "programs",
    "trials",
    "tests",
    "episodes",
    "agents",
    "mixtures",
    "baseline",
    "plays",
    "outside",
    "complexity",
    "entropy",
)
"""Stages in the order in which they are told; what is new to this list comes after them."""
THREADED = ("trials", "agents", "mixtures", "baseline")
"""Stages whose jobs hold the configured number of cores."""


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
    return Table.of(("stage", "jobs", "wall_seconds", "core_hours", "training_seconds"), [*rows, total])


def benchmarks(layout: Files, threads: int = 1) -> list[tuple[str, int, float, float]]:
    """Return stage, jobs, wall seconds and core-hours of every stage that a run, of any measure, has gone through."""
    root = Path(layout.benchmark("x")).parent
    folders = {path.name for path in root.iterdir() if path.is_dir()} if root.is_dir() else set()
    found = []
    for stage in (*(name for name in STAGES if name in folders), *sorted(folders - set(STAGES)), "reduction"):
        files = sorted((root / stage).rglob("*.tsv")) if stage != "reduction" else sorted(root.glob("*.tsv"))
        wall = [_seconds(path) for path in files]
        if wall:
            cores = threads if stage in THREADED else 1
            found.append((stage, len(wall), sum(wall), sum(wall) * cores / 3600))
    return found


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
