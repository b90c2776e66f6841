"""Rounds of ``precision`` against growing every number alike, on small real suites: processor time for one width.

    python benchmarks/precision.py images|classes|control [--folder FOLDER]

A suite is made as it is configured, then grown twice from there: by rounds, as ``aiq run`` does, and by doubling every
number, until the mean half-width is that of the start over the root of two. Jobs run in this process, one after
another: seconds are processor seconds of trainings and reductions, without starts of processes. A program that was
ended goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "workflow"), str(ROOT / "tests" / "workflow"), str(ROOT / "tests")]

import tiny  # noqa: E402  what makes a suite in one process

from aiq.explain import rounds  # noqa: E402
from aiq.explain import rounds as running  # noqa: E402
from aiq.explain.spending import AIM  # noqa: E402
from aiq.plans import growth  # noqa: E402
from aiq.plans.run import Run  # noqa: E402
from aiq.run.call import Snakemake  # noqa: E402
from aiq.run.start import Start  # noqa: E402
from aiq.storage import hdf5  # noqa: E402

TRAINING = {"epochs": 4, "batch_size": 32, "optimizer": {"name": "adam", "learning_rate": 0.005}}
DQN = {
    "algorithm": "dqn", "steps": 200, "batch_size": 16, "optimizer": {"name": "adam", "learning_rate": 0.002},
    "evaluation": {"every": 100, "episodes": 2, "final_episodes": 4},
}  # fmt: skip
DIGITS = {"source": "sklearn", "name": "digits", "limit": 400, "limit_test": 300}
AGENTS = [{"name": f"dense-1x{w}", "layers": 1, "width": w} for w in (2, 8, 32)]
MOST = 16


def suite(name: str, domains: dict[str, Any], training: dict[str, Any]) -> dict[str, Any]:
    """Return a small suite."""
    return {
        "name": name, "seed": 11, "results": f"results/{name}", "domains": domains,
        "pool": {"size": 32, "policies_per_chunk": 4, "layers": [1, 2], "width": [1, 16]},
        "training": training,
        "dissimilarity": {"proportions": 5, "repetitions": 3, "network": {"layers": 1, "width": 16},
                          "training": training},
        "agents": {"repetitions": 3, "networks": AGENTS},
    }  # fmt: skip


SUITES = {
    "images": suite("images", {
        "digits": DIGITS, "noisy": {**DIGITS, "noise": 0.4},
        "cancer": {"source": "sklearn", "name": "breast_cancer", "limit": 300},
    }, TRAINING),
    "classes": suite("classes", {
        "low": {**DIGITS, "limit_test": 150, "classes": [0, 1, 2, 3]},
        "high": {**DIGITS, "limit_test": 150, "classes": [5, 6, 7, 8]},
        "mixed": {**DIGITS, "limit_test": 150, "classes": [1, 3, 8, 9]},
    }, TRAINING),
    "control": suite("control", {
        "normal": {"source": "cartpole", "steps": 60}, "heavy": {"source": "cartpole", "gravity": 60, "steps": 60},
        "weak": {"source": "cartpole", "force": 2, "steps": 60},
    }, DQN) | {"pool": {"size": 16, "policies_per_chunk": 2, "layers": [1, 2], "width": [1, 16]}},
}  # fmt: skip


def make(raw: dict[str, Any], book: Path) -> None:
    """Make what is missing or of other numbers up to the scores; write each job's processor seconds down."""
    run = Run.of(raw)
    wanted = {**run.plan.shards(), **run.plan.results()}
    for path, work in tiny.jobs(run).items():
        if path not in wanted or done(path, *wanted[path]):
            continue
        begun = time.process_time()
        work()
        seconds = time.process_time() - begun
        bench = Path(run.layout.benchmark_of(path))
        bench.parent.mkdir(parents=True, exist_ok=True)
        bench.write_text(f"s\n{seconds}\n", encoding="utf-8")
        with book.open("a", encoding="utf-8") as file:
            file.write(f"{seconds}\n")


def done(path: str, kind: str, fingerprint: str) -> bool:
    """Whether a file is there with the fingerprint that is wanted."""
    return Path(path).exists() and hdf5.glance(path, kind) == fingerprint


def spent(book: Path) -> float:
    """Return the processor seconds of all jobs so far."""
    return sum(map(float, book.read_text(encoding="utf-8").split())) if book.exists() else 0.0


def adaptive(raw: dict[str, Any], goal: float, book: Path, half: float) -> dict[str, Any]:
    """Grow by rounds to a goal, which is below the half-width of the start."""
    aimed = {**raw, "precision": {"per_dimension": goal, "budget": "1 core-hours"}}

    def called(start: Start, forced: object, lock: object, child: object) -> int:
        """Stand for Snakemake."""
        make(aimed, book)
        return 0

    running.called = called  # type: ignore[assignment]
    found = rounds.Goal(aimed)
    start = Start(
        Run.of(aimed), Snakemake("suite.yaml"), False, False, True, lambda words: print(" ", words, flush=True)
    )
    running.in_rounds(found)(start, (), None, [])  # type: ignore[arg-type]
    last = found.rounds.finished[-1]
    return {"half": last.half, "numbers": dict(last.numbers), "rounds": len(found.rounds.finished) - 1,
            "stop": found.rounds.stop}  # fmt: skip


def uniform(raw: dict[str, Any], goal: float, book: Path, half: float) -> dict[str, Any]:
    """Grow every number by one factor, aimed at a goal below the half-width of the start, at most doubled at once."""
    c = Run.of(raw).configuration
    have, whole, count, grown = growth.numbers(c), 1.0, 0, raw
    while half > goal and whole < MOST:
        whole, count = whole * min(2.0, max(1.1, (half / (AIM * goal)) ** 2)), count + 1
        numbers = {name: math.ceil(whole * number - 1e-9) for name, number in have.items()}
        grown = growth.applied(raw, c, numbers)
        make(grown, book)
        half = rounds.seen(Run.of(grown), "mean")[0]
        print("  uniform", round(whole, 2), half, flush=True)
    return {"half": half, "numbers": growth.numbers(Run.of(grown).configuration), "rounds": count}


def main() -> None:
    """Run one suite both ways and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("--folder", type=Path, default=Path("results/precision"))
    asked = parser.parse_args()
    raw, place = SUITES[asked.suite], asked.folder.resolve() / asked.suite
    (place / "start").mkdir(parents=True, exist_ok=True)
    with tiny.inside(place / "start"):
        make(raw, Path("book"))
        half, dimensions = rounds.seen(Run.of(raw), "mean")
        begun = spent(Path("book"))
    found: dict[str, Any] = {"suite": asked.suite, "start": {"half": half, "dimensions": dimensions, "seconds": begun}}
    for name, grow in (("adaptive", adaptive), ("uniform", uniform)):
        if not (place / name).exists():
            shutil.copytree(place / "start", place / f"{name}.part")
            (place / f"{name}.part").rename(place / name)
        with tiny.inside(place / name):
            found[name] = {**grow(raw, half / math.sqrt(2), Path("book"), half), "seconds": spent(Path("book")) - begun}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
