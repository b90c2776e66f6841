"""Contenders in processes of their own that take turns, and what is measured of them."""

from __future__ import annotations

import multiprocessing
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import torch
from training_contenders import CONTENDERS, Case

from aiq.policies.networks import reduced, weight_shapes
from aiq.training import flat


@dataclass(frozen=True)
class Row:
    """One line of the table: medians over rounds; ``ratio`` is our throughput over the contender's.

    ``low`` and ``high`` are the quartiles of the ratio over rounds, ``gflops`` those that the training asks for a
    second, ``peak_share`` their share of the fastest matrix product measured between the rounds.
    """

    case: str
    contender: str
    policies_per_minute: float
    ratio: float
    low: float
    high: float
    gflops: float
    peak_share: float
    memory_mb: float
    accuracy: float


def work(pipe: Connection) -> None:
    """Make a contender or train a round whenever told; answer with seconds, accuracies, peak memory in MB.

    The seconds are those of the processor: with one thread and nothing to wait for, they pass as the clock's do on an
    idle machine, and on a busy one they leave out the time given to others.
    """
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    run = None
    while (message := pipe.recv()) is not None:
        if isinstance(message, int):
            began = time.process_time()
            accuracies = run(message)
            pipe.send((time.process_time() - began, accuracies, _peak_memory()))
        else:
            name, case = message
            run = CONTENDERS[name](case)
            pipe.send(None)


def _peak_memory() -> float:
    """Return the largest resident memory of this process in MB (of this program alone, as Linux counts it)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


class Worker:
    """A process that is one contender after the other."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=work, args=(other,), daemon=True)
        self._process.start()

    def make(self, name: str, case: Case) -> None:
        """Become a contender."""
        self._pipe.send((name, case))
        self._pipe.recv()

    def round(self, number: int) -> tuple[float, list[float], float]:
        """Return seconds, accuracies and peak memory of one round."""
        self._pipe.send(number)
        return self._pipe.recv()

    def close(self) -> None:
        """End the process."""
        self._pipe.send(None)
        self._process.join()


@contextmanager
def contenders(names: tuple[str, ...], case: Case) -> Iterator[dict[str, Worker]]:
    """Give a process for each contender and end them at the end."""
    workers = {name: Worker() for name in names}
    for name, worker in workers.items():
        worker.make(name, case)
    yield workers
    for worker in workers.values():
        worker.close()


def peaks() -> tuple[float, float]:
    """Return the GFLOP/s of single-precision products of 1024 x 1024 matrices: torch's mm, and the faster library."""
    torch.set_num_threads(1)
    a, b = torch.randn(1024, 1024), torch.randn(1024, 1024)
    found = []
    for product in (torch.mm, flat.times_transposed if flat.available() else torch.mm):
        seconds = []
        for _ in range(6):
            began = time.process_time()
            product(a, b)
            seconds.append(time.process_time() - began)
        found.append(2 * 1024**3 / min(seconds) / 1e9)
    return found[0], max(found)


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
    times: dict[str, list[float]] = {name: [] for name in names}
    scores: dict[str, list[float]] = {name: [] for name in names}
    memory, fastest = dict.fromkeys(names, 0.0), []
    with contenders(names, case) as workers:
        for number in range(rounds + 1):
            for name, worker in workers.items():
                seconds, accuracies, memory[name] = worker.round(number)
                if number:
                    times[name].append(seconds / len(accuracies))
                    scores[name] += accuracies
            fastest.append(peaks()[1])
    rows = []
    for name in names:
        each = statistics.median(times[name])
        ratios = [a / b for a, b in zip(times[name], times["ours"], strict=True)]
        low, middle, high = statistics.quantiles(ratios * 2 if rounds == 1 else ratios, n=4, method="inclusive")
        gflops = operations(case) / each / 1e9
        share, score = gflops / statistics.median(fastest), statistics.mean(scores[name])
        rows.append(Row(case.name, name, 60 / each, middle, low, high, gflops, share, memory[name], score))
    return rows
