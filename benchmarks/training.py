"""Policies per minute of this project's trainers against named peers, alternating in one run.

    python benchmarks/training.py            # the whole comparison, writes benchmarks/results/training*
    python benchmarks/training.py --quick    # a minute or two, to see that it works; writes nothing by default

Every contender runs in a process of its own with one thread; processes take turns, one round each, so that a busy
machine disturbs all alike; times are the processor's, without what it gave to other programs. Ratios are medians over
rounds of (peer's time a policy) / (our time a policy), with quartiles. The table is written anew after every case.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import statistics
from dataclasses import replace
from pathlib import Path

import torch
from training_contenders import Case
from training_report import Point, Report
from training_turns import Worker, compare, contenders, peaks

DENSE = ("ours", "preloaded, fused Adam", "DataLoader", "vmap")
PAIR = ("ours", "preloaded, fused Adam")

CASES = {
    "dense, batch 32": (Case("dense, batch 32", border=2), DENSE),
    "dense, 128 policies": (Case("dense, 128 policies", border=2, policies=128), PAIR),
    "dense, batch 32, every pixel": (Case("dense, batch 32, every pixel"), PAIR),
    "dense, batch 128": (Case("dense, batch 128", border=2, batch=128), (*PAIR, "DataLoader", "vmap")),
    "dense, up to 144 wide": (Case("dense, up to 144 wide", border=2, width=(1, 144), samples=8000), DENSE),
    "mixtures, 11 x 5": (
        Case("mixtures, 11 x 5", "mixture", border=2, layers=(2, 2), width=(32, 32), samples=4000),
        PAIR,
    ),
    "convolutional": (
        Case("convolutional", "convolutional", layers=(1, 2), policies=8, samples=1600, epochs=2, peer_policies=4),
        (*PAIR, "DataLoader"),
    ),
}


def growth(quick: bool) -> list[Point]:
    """Return how our trainer's time grows, one quantity at a time: the least of some rounds, in one process."""
    base = Case("growth", policies=32, samples=512, width=(16, 16), layers=(2, 2))
    series: dict[str, tuple[tuple[int, ...], str]] = {
        "policies in the chunk": (
            (1, 4, 16, 64) if quick else (1, 2, 4, 8, 16, 32, 64, 128, 256, 512),
            "policies",
        ),
        "nodes of each layer": ((8, 64) if quick else (8, 16, 32, 64, 128, 256), "width"),
        "training samples": ((256, 1024) if quick else (256, 512, 1024, 2048, 4096, 8192), "samples"),
        "side of the pictures": ((8, 32) if quick else (8, 16, 24, 32, 48, 64), "side"),
    }
    found, worker = [], Worker()
    for label, (values, field) in series.items():
        for value in values:
            case = replace(base, **{field: (value, value) if field == "width" else value})
            worker.make("ours", case)
            seconds = [worker.round(number)[0] for number in range(2 if quick else 6)][1:]
            found.append(Point(label, float(value), 1000 * min(seconds) / case.policies))
    worker.close()
    return found


def largest_chunk() -> str:
    """Return the peak of memory of a chunk of 128 policies on 60,000 pictures of 32 x 32, as a sentence."""
    with contenders(("ours",), Case("memory", policies=128, samples=60_000, batch=600)) as workers:
        megabytes = workers["ours"].round(0)[2]
    return f"A chunk of 128 policies on 60,000 pictures of 32x32 takes {megabytes:.0f} MB at most."


def agreement(policies: int) -> str:
    """Return a sentence that compares final accuracies of the population with those of the same policies alone."""
    case = Case("agreement", policies=policies, border=2, samples=4000, epochs=2, peer_policies=policies)
    with contenders(PAIR, case) as workers:
        found = [worker.round(0)[1] for worker in workers.values()]
    differences = [a - b for a, b in zip(*found, strict=True)]
    error = statistics.stdev(differences) / len(differences) ** 0.5
    return (
        f"Final accuracies of {policies} policies, population less one at a time on the same batch order: mean "
        f"difference {statistics.mean(differences):+.5f} (standard error {error:.5f}), largest "
        f"{max(map(abs, differences)):.4f}; means {statistics.mean(found[0]):.4f} and {statistics.mean(found[1]):.4f}."
    )


def describe(quick: bool) -> str:
    """Return when, where and how this was measured."""
    load, (usual, fastest) = ", ".join(f"{value:.1f}" for value in os.getloadavg()), peaks()
    return (
        f"Measured {datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC on {platform.machine()}, "
        f"{os.cpu_count()} cores, load {load} at the start, Python {platform.python_version()}, torch "
        f"{torch.__version__}, one thread a process{', quick settings' if quick else ''}. Products of 1024 x 1024 "
        f"matrices at the start: {usual:.0f} GFLOP/s by `torch.mm`, {fastest:.0f} by the faster library. "
        "No GPU was at hand: nothing here is about GPUs."
    )


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few rounds of little work, to see that it runs")
    parser.add_argument("--only", choices=[*CASES, "growth"], action="append", help="these alone")
    parser.add_argument("--rounds", type=int, help="rounds of each case (default 7, quick: 1)")
    parser.add_argument("--output", type=Path, help="folder of the results (default: benchmarks/results, quick: none)")
    given = parser.parse_args()
    folder = given.output or (None if given.quick or given.only else Path(__file__).parent / "results")
    report = Report(folder, describe(given.quick))
    for name, (case, names) in CASES.items():
        if given.only and name not in given.only:
            continue
        if given.quick:
            case = replace(case, samples=max(128, case.samples // 16))
        report.add_rows(compare(case, names, given.rounds or (1 if given.quick else 7)))
    if not given.only or "growth" in given.only:
        report.add_points(growth(given.quick))
    if not given.only:
        report.add_note(agreement(64))
        report.add_note(largest_chunk())


if __name__ == "__main__":
    main()
