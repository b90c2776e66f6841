"""Seconds that a job and a trial cost beside the training: locally, and on a SLURM of this machine (as root).

    python benchmarks/overhead.py [--jobs 8] [--chunks 16] [--no-slurm] [--out FILE]

A small pool is trained on digits, once as a few and once as more jobs of one chunk each, one after another. What a
further job takes on the clock beyond the time that it spends inside of aiq (its log's "finished in") is the overhead
of a job; core-seconds are those of all its processes. What a job spends inside of aiq beyond the seconds of training
that its shard holds, in one job with many chunks against one job with one, divided by the further trials, is the
overhead of a trial. On SLURM the seconds are those that the job held its allocation, from ``sacct``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from aiq.plans.run import Run
from aiq.storage import hdf5

ROOT = Path(__file__).resolve().parents[1]
SNAKEMAKE = [
    sys.executable,
    "-m",
    "snakemake",
    "--snakefile",
    str(ROOT / "workflow/Snakefile"),
    "--configfile",
    "c.yaml",
]
POLICIES = 8  # of a chunk
LOCAL = ["--quiet", "all", "--cores", "1"]


@dataclass(frozen=True)
class Outcome:
    """What some jobs took: on the clock, of cores, inside of aiq, and in training; seconds."""

    jobs: int
    wall: float
    core: float
    inside: float
    training: float


def suite(chunks: int, together: int) -> dict[str, Any]:
    """Return a pool of so many chunks on digits, so many of them in a job."""
    training = {"epochs": 2, "batch_size": 32, "optimizer": {"name": "adam", "learning_rate": 0.003}}
    return {
        "name": "overhead",
        "seed": 1,
        "results": "results",
        "domains": {"digits": {"source": "sklearn", "name": "digits", "limit": 300}},
        "pool": {"size": chunks * POLICIES, "policies_per_chunk": POLICIES, "layers": [1, 2], "width": [1, 16]},
        "training": training,
        "dissimilarity": {
            "proportions": 3,
            "repetitions": 1,
            "network": {"layers": 1, "width": 4},
            "training": training,
        },
        "jobs": {"chunks_per_job": together, "mixtures_per_job": 1, "agents_per_job": 1},
    }


def trained(raw: dict[str, Any], how: list[str], folder: Path, environment: dict[str, str]) -> Outcome:
    """Run the trials of a pool and return what they took; the domain is prepared before."""
    folder.mkdir(parents=True)
    (folder / "c.yaml").write_text(yaml.safe_dump(raw), encoding="utf-8")
    run = Run.of(raw)
    started([*LOCAL, run.layout.domain("digits")], folder, environment)
    paths = [path for path, (kind, _) in run.plan.shards().items() if kind == "trials"]
    wall, core = started([*how, *paths], folder, environment)
    inside = sum(_inside(folder / path) for path in sorted((folder / "results" / "logs" / "trials").rglob("*.log")))
    return Outcome(len(paths), wall, core, inside, sum(_training(folder / path) for path in paths))


def started(how: list[str], folder: Path, environment: dict[str, str]) -> tuple[float, float]:
    """Run Snakemake and return its wall seconds and the core-seconds of it and its children."""
    begun = time.perf_counter()
    with subprocess.Popen(
        [*SNAKEMAKE, *how], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        said = process.stdout.read() if process.stdout else ""
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"snakemake failed with status {process.returncode}: {said[-2000:]}")
    return time.perf_counter() - begun, used.ru_utime + used.ru_stime


def _inside(log: Path) -> float:
    """Return the seconds that a job's log says."""
    found = re.search(r"finished in ([\d.]+) s", log.read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit(f"{log} does not say how long the job took")
    return float(found[1])


def _training(shard: Path) -> float:
    """Return the seconds of training that a shard of trials holds."""
    units = hdf5.read(shard, "trials")[1].values()
    return float(sum(float(sum(unit["seconds"])) for unit in units))


def on_slurm(jobs: int, folder: Path) -> dict[str, float]:
    """Start a SLURM here, run jobs of one chunk through the shipped profile, one on each core, and return means."""
    sys.path.insert(0, str(ROOT / "tests" / "slurm"))
    import cluster

    if reason := cluster.missing():
        raise SystemExit(reason)
    slurm = cluster.Cluster(Path(tempfile.mkdtemp(prefix="aiq-slurm-", dir="/tmp")))
    try:
        slurm.start()
        environment = {**os.environ, **slurm.environment}
        how = ["--profile", str(ROOT / "profiles" / "slurm"), "--jobs", str(len(os.sched_getaffinity(0)))]
        found = trained(suite(jobs, 1), how, folder, environment)
        time.sleep(2)
        rows = _accounts(slurm, "--allocations", "--format=JobIDRaw,ElapsedRaw,Submit,Start")[-jobs:]
        ours = {row[0] for row in rows}
        steps = [row for row in _accounts(slurm, "--format=JobIDRaw,TotalCPU") if "." in row[0]]
        held = sum(float(row[1]) for row in rows) / jobs
        core = sum(_seconds(row[1]) for row in steps if row[0].split(".")[0] in ours) / jobs
        waited = sum(_clock(row[3]) - _clock(row[2]) for row in rows) / jobs
        return {"held": held, "core": core, "waited": waited, "inside": found.inside / jobs, "wall": found.wall}
    finally:
        slurm.stop()


def _accounts(slurm: Any, *words: str) -> list[list[str]]:
    """Return the rows of SLURM's accounting as lists of cells."""
    return [line.split("|") for line in slurm.run("sacct", "--noheader", "--parsable2", *words).splitlines()]


def _seconds(text: str) -> float:
    """Return a duration as SLURM writes it, ``[hours:]minutes:seconds``, in seconds."""
    total = 0.0
    for part in text.split(":"):
        total = 60 * total + float(part)
    return total


def _clock(text: str) -> float:
    """Return a moment as SLURM writes it, in seconds."""
    return time.mktime(time.strptime(text, "%Y-%m-%dT%H:%M:%S"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--chunks", type=int, default=16)
    parser.add_argument("--no-slurm", action="store_true")
    parser.add_argument("--out", type=Path, default=Path(".benchmarks/overhead.json"))
    options = parser.parse_args()
    if options.jobs < 3 or options.chunks < 2:
        raise SystemExit("--jobs must be 3 or more and --chunks 2 or more: overheads are differences")
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as place:
        few = trained(suite(1, 1), LOCAL, Path(place) / "few", environment)
        many = trained(suite(options.jobs, 1), LOCAL, Path(place) / "many", environment)
        long = trained(suite(options.chunks, options.chunks), LOCAL, Path(place) / "long", environment)
        table = {"local": _job(few, many), "trial": _trial(few, long, options.chunks)}
        if not options.no_slurm:
            table["slurm"] = on_slurm(options.jobs, Path(place) / "slurm")
    for name, row in table.items():
        print(name, "  ".join(f"{key} {value:.4g}" for key, value in row.items()))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps({"jobs": options.jobs, "chunks": options.chunks, **table}, indent=1) + "\n")
    print(f"saved to {options.out}")


def _job(few: Outcome, many: Outcome) -> dict[str, float]:
    """Return seconds of a further job: on the clock, of cores, inside of aiq, and the overhead on the clock."""
    further = many.jobs - few.jobs
    wall, inside = (many.wall - few.wall) / further, (many.inside - few.inside) / further
    return {"wall": wall, "core": (many.core - few.core) / further, "inside": inside, "overhead": wall - inside}


def _trial(short: Outcome, long: Outcome, chunks: int) -> dict[str, float]:
    """Return seconds of a further trial inside of a job: all of it, its training, and the rest."""
    further = POLICIES * (chunks - 1)
    inside, training = (long.inside - short.inside) / further, (long.training - short.training) / further
    return {"inside": inside, "training": training, "overhead": inside - training}


if __name__ == "__main__":
    main()
