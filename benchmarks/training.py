"""Policies per minute of this project's trainers against named peers, alternating in one run.

    python benchmarks/training.py            # the whole comparison, writes benchmarks/results/training.*
    python benchmarks/training.py --quick    # a minute or two, to see that it works; writes nothing by default

Every contender runs in a process of its own with one thread; processes take turns, one round each, so that a busy
machine disturbs all alike. Ratios are medians over rounds of (peer's time a policy) / (our time a policy).
"""

from __future__ import annotations

import argparse
import csv
import datetime
import multiprocessing
import os
import platform
import statistics
import time
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path

import torch
from training_contenders import CONTENDERS, Case

from aiq.policies.size import reduced, weight_shapes

DENSE = ("ours", "preloaded, fused Adam", "DataLoader", "vmap")
PAIR = ("ours", "preloaded, fused Adam")

CASES = {
    "dense, batch 32": (Case("dense, batch 32", border=2), DENSE),
    "dense, batch 32, every pixel": (Case("dense, batch 32, every pixel"), DENSE),
    "dense, batch 128": (Case("dense, batch 128", border=2, batch=128), DENSE),
    "dense, up to 144 wide": (Case("dense, up to 144 wide", border=2, width=(1, 144)), DENSE),
    "dense, 128 policies": (Case("dense, 128 policies", border=2, policies=128), PAIR),
    "mixtures, 11 x 5": (
        Case("mixtures, 11 x 5", "mixture", border=2, layers=(2, 2), width=(32, 32), samples=4000),
        PAIR,
    ),
    "convolutional": (
        Case("convolutional", "convolutional", layers=(1, 2), policies=8, samples=640, peer_policies=4),
        PAIR,
    ),
}

COLUMNS = ("case", "contender", "policies_per_minute", "ratio", "gflops", "peak_share", "memory_mb", "accuracy")


@dataclass(frozen=True)
class Row:
    """One line of the table; ``ratio`` is our throughput over the contender's."""

    case: str
    contender: str
    policies_per_minute: float
    ratio: float
    gflops: float
    peak_share: float
    memory_mb: float
    accuracy: float


def work(pipe: Connection, name: str, case: Case) -> None:
    """Train a round whenever told, and answer with seconds, accuracies and the peak of memory in MB."""
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    run = CONTENDERS[name](case)
    pipe.send("ready")
    while (number := pipe.recv()) is not None:
        began = time.perf_counter()
        accuracies = run(number)
        seconds = time.perf_counter() - began
        pipe.send((seconds, accuracies, _peak_memory()))


def _peak_memory() -> float:
    """Return the largest resident memory of this process in MB (of this program alone, as Linux counts it)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


class Worker:
    """A contender in a process of its own."""

    def __init__(self, name: str, case: Case) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=work, args=(other, name, case), daemon=True)
        self._process.start()
        self._pipe.recv()

    def round(self, number: int) -> tuple[float, list[float], float]:
        """Return seconds, accuracies and peak memory of one round."""
        self._pipe.send(number)
        return self._pipe.recv()

    def close(self) -> None:
        """End the process."""
        self._pipe.send(None)
        self._process.join()


def peak() -> float:
    """Return the GFLOP/s of a single-precision product of two 1024 x 1024 matrices, the best of some."""
    torch.set_num_threads(1)
    a, b = torch.randn(1024, 1024), torch.randn(1024, 1024)
    seconds = []
    for _ in range(8):
        began = time.perf_counter()
        torch.mm(a, b)
        seconds.append(time.perf_counter() - began)
    return 2 * 1024**3 / min(seconds) / 1e9


def operations(case: Case) -> float:
    """Return the floating-point operations of one policy's training, products only, mean over the chunk.

    Two a multiplication forward, four backward (weights and inputs), two of them spared in the first layer. What a
    trainer leaves out because it is zero is counted: it is the same training.
    """
    shape, total = (1, case.side, case.side), 0
    outputs = 20 if case.family == "mixture" else 10
    chunk = case.chunk()
    for policy in chunk:
        side = case.side
        for layer, weight in enumerate(weight_shapes(policy.architecture, shape, outputs)):
            places = side * side if len(weight) == 4 else 1
            side = reduced(side, policy.architecture.reduction) if len(weight) == 4 else side
            total += (6 if layer else 4) * places * int(torch.tensor(weight).prod())
    return total / len(chunk) * case.samples * case.epochs


def compare(case: Case, names: tuple[str, ...], rounds: int) -> list[Row]:
    """Return the table's lines of one case: contenders take turns, the first round warms up and is not counted."""
    workers = {name: Worker(name, case) for name in names}
    times: dict[str, list[float]] = {name: [] for name in names}
    scores: dict[str, list[float]] = {name: [] for name in names}
    memory = dict.fromkeys(names, 0.0)
    peaks = []
    for number in range(rounds + 1):
        for name, worker in workers.items():
            seconds, accuracies, memory[name] = worker.round(number)
            if number:
                times[name].append(seconds / len(accuracies))
                scores[name] += accuracies
        peaks.append(peak())
    for worker in workers.values():
        worker.close()
    rows = []
    for name in names:
        each = statistics.median(times[name])
        ratio = statistics.median(a / b for a, b in zip(times[name], times["ours"], strict=True))
        gflops = operations(case) / each / 1e9
        share = gflops / statistics.median(peaks)
        rows.append(Row(case.name, name, 60 / each, ratio, gflops, share, memory[name], statistics.mean(scores[name])))
    return rows


def growth(quick: bool) -> list[tuple[str, float, float]]:
    """Return (what grows, its value, milliseconds a policy) of our trainer, one quantity at a time."""
    base = Case("growth", policies=32, samples=512, width=(16, 16), layers=(2, 2))
    series: dict[str, tuple[tuple[int, ...], str]] = {
        "policies a chunk": ((1, 4, 16, 64) if quick else (1, 2, 4, 8, 16, 32, 64, 128, 256, 512), "policies"),
        "width": ((8, 64) if quick else (8, 16, 32, 64, 128, 256), "width"),
        "samples": ((256, 1024) if quick else (256, 512, 1024, 2048, 4096, 8192), "samples"),
        "side of the pictures": ((8, 32) if quick else (8, 16, 24, 32, 48, 64), "side"),
    }
    found = []
    for label, (values, field) in series.items():
        for value in values:
            case = replace(base, **{field: (value, value) if field == "width" else value})
            worker = Worker("ours", case)
            seconds = [worker.round(number)[0] for number in range(2 if quick else 4)][1:]
            worker.close()
            found.append((label, float(value), 1000 * statistics.median(seconds) / case.policies))
    return found


def largest_chunk() -> float:
    """Return the peak of memory in MB of a chunk of 128 policies on 60,000 pictures of 32 x 32."""
    case = Case("memory", policies=128, samples=60_000, batch=600)
    worker = Worker("ours", case)
    megabytes = worker.round(0)[2]
    worker.close()
    return megabytes


def agreement(policies: int) -> str:
    """Return a sentence that compares final accuracies of the population with those of the same policies alone."""
    case = Case("agreement", policies=policies, border=2, samples=2000, epochs=2, peer_policies=policies)
    found = []
    for name in PAIR:
        worker = Worker(name, case)
        found.append(worker.round(0)[1])
        worker.close()
    differences = [a - b for a, b in zip(*found, strict=True)]
    error = statistics.stdev(differences) / len(differences) ** 0.5
    return (
        f"Final accuracies of {policies} policies, population less one at a time: mean difference "
        f"{statistics.mean(differences):+.5f} (standard error {error:.5f}), largest {max(map(abs, differences)):.4f}; "
        f"means {statistics.mean(found[0]):.4f} and {statistics.mean(found[1]):.4f}."
    )


def table(rows: list[Row]) -> str:
    """Return the lines as a Markdown table."""
    lines = [
        "| case | contender | policies a minute | ours is faster by | GFLOP/s | of the peak | peak MB | accuracy |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {r.case} | {r.contender} | {r.policies_per_minute:.0f} | {r.ratio:.2f} | {r.gflops:.1f} | "
        f"{r.peak_share:.0%} | {r.memory_mb:.0f} | {r.accuracy:.3f} |"
        for r in rows
    ]
    return "\n".join(lines)


def describe(quick: bool) -> str:
    """Return when, where and how this was measured."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"Measured {datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC on {platform.machine()}, "
        f"{os.cpu_count()} cores, load {load}, Python {platform.python_version()}, torch {torch.__version__}, "
        f"one thread a process{', quick settings' if quick else ''}; no GPU was at hand, so nothing here is about GPUs."
    )


def save(folder: Path, text: str, rows: list[Row], points: list[tuple[str, float, float]]) -> None:
    """Write table, lines and growth with its figure into a folder."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "training.md").write_text(text)
    with (folder / "training.csv").open("w", newline="") as file:
        csv.writer(file).writerows([COLUMNS, *([getattr(row, column) for column in COLUMNS] for row in rows)])
    with (folder / "training-growth.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("quantity", "value", "milliseconds_a_policy"), *points])
    labels = list(dict.fromkeys(label for label, _, _ in points))
    figure, axes = pyplot.subplots(1, len(labels), figsize=(3.2 * len(labels), 3), layout="constrained", squeeze=False)
    for axis, label in zip(axes[0], labels, strict=True):
        chosen = [(value, cost) for name, value, cost in points if name == label]
        axis.loglog(*zip(*chosen, strict=True), "o-")
        axis.set(xlabel=label, ylabel="milliseconds a policy")
    for suffix in ("png", "svg"):
        figure.savefig(folder / f"training-growth.{suffix}", dpi=150)


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few rounds of little work, to see that it runs")
    parser.add_argument("--only", choices=list(CASES), action="append", help="these cases only, without growth")
    parser.add_argument("--output", type=Path, help="folder of the results (default: benchmarks/results, quick: none)")
    given = parser.parse_args()
    rows: list[Row] = []
    for name in given.only or CASES:
        case, names = CASES[name]
        if given.quick:
            case = replace(case, samples=max(128, case.samples // 16))
        rows += compare(case, names, 1 if given.quick else 7)
        print(table(rows[-len(names) :]), flush=True)
    points, notes = [], []
    if not given.only:
        points = growth(given.quick)
        notes = [agreement(64), f"Chunk of 128 policies on 60,000 pictures of 32x32: {largest_chunk():.0f} MB at most."]
    text = "\n\n".join(["# Training: policies a minute", describe(given.quick), table(rows), *notes]) + "\n"
    print(text)
    folder = given.output or (None if given.quick or given.only else Path(__file__).parent / "results")
    if folder is not None:
        save(folder, text, rows, points)


if __name__ == "__main__":
    main()
