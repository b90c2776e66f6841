"""What the stages of a run cost, from the benchmark files of its jobs."""

from __future__ import annotations

import csv
from pathlib import Path

from aiq.plans.layout import Files

STAGES = (
    "domains",
    "programs",
    "trials",
    "tests",
    "episodes",
    "agents",
    "mixtures",
    "alone",
    "baseline",
    "plays",
    "outside",
    "complexity",
    "entropy",
)
"""Stages in the order in which they are told; what is new to this list comes after them."""
THREADED = ("trials", "agents", "mixtures", "alone", "baseline")
"""Stages whose jobs hold the configured number of cores."""


def benchmarks(layout: Files, threads: int = 1, since: float = 0.0) -> list[tuple[str, int, float, float]]:
    """Return stage, jobs, wall seconds and core-hours of every stage that a run, of any measure, has gone through.

    Args:
        layout: where the run's files lie.
        threads: cores that a training job holds.
        since: only jobs that ended after this moment, in seconds by the clock of the file system.
    """
    root = Path(layout.benchmark("x")).parent
    folders = {path.name for path in root.iterdir() if path.is_dir()} if root.is_dir() else set()
    found = []
    for stage in (*(name for name in STAGES if name in folders), *sorted(folders - set(STAGES)), "reduction"):
        files = sorted((root / stage).rglob("*.tsv")) if stage != "reduction" else sorted(root.glob("*.tsv"))
        wall = [job_seconds(path) for path in files if path.stat().st_mtime > since]
        if wall:
            cores = threads if stage in THREADED else 1
            found.append((stage, len(wall), sum(wall), sum(wall) * cores / 3600))
    return found


def job_seconds(path: str | Path) -> float:
    """Return the wall seconds of one benchmark file (the last run, if a job was run again); 0 where there is none."""
    try:
        with Path(path).open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
    except FileNotFoundError:
        return 0.0
    return float(rows[-1]["s"]) if rows else 0.0
