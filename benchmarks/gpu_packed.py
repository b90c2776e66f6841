"""How much more a GPU does where several jobs share it: one process, several, and several under NVIDIA's MPS.

    python benchmarks/gpu_packed.py                       # on the first GPU; writes benchmarks/results/gpu-packed.*
    python benchmarks/gpu_packed.py --device cpu --quick  # without one, to see that it runs; writes nothing

Every process trains chunks of its own over and over, as a job of a run does. The rate is that of all processes
together. Without MPS the processes take turns on the GPU; with it their kernels run at the same time. As a yardstick
the same number of processes train on cores of the CPU.
Each number is of one round of a few seconds.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import itertools
import multiprocessing
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from training_contenders import Case, ours

from aiq.errors import TrainingError
from aiq.training.device import computing, resolve

CASES = (
    Case("convolutional", "convolutional", 16, layers=(1, 2), samples=800),
    Case("mixtures, 11 x 5", "mixture", 55, (64, 64), (2, 2), samples=2000),
    Case("dense, batch 32", policies=16, samples=4000),
)
LITTLE = tuple(replace(case, samples=96, side=12, policies=2) for case in CASES)
"""What ``--quick`` trains."""

COLUMNS = ("trainings", "device", "processes", "million samples per second", "times as fast as one")
Line = tuple[str, str, int, float, float]


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and save; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", help="cuda, cuda:1 ..., or cpu to try the program")
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 4, 8, 14], help="how many at a time")
    parser.add_argument("--seconds", type=float, default=3.0, help="how long each number of processes trains")
    parser.add_argument("--quick", action="store_true", help="little work by two processes; writes nothing by default")
    parser.add_argument("--if-any", action="store_true", help="where there is no GPU, say so and end well")
    parser.add_argument("--output", type=Path, help="folder of the results (default: benchmarks/results, quick: none)")
    given = parser.parse_args(arguments)
    try:
        resolve(given.device)
    except TrainingError as error:
        print(f"gpu_packed.py: {error} (cpu --quick tries the program)", file=sys.stderr)
        return 0 if given.if_any else 2
    if given.quick:
        given.processes, given.seconds = [1, 2], 0.1
    begun, lines = time.monotonic(), list[Line]()
    for device, where, mps in _ways(given.device):
        with _shared(mps) as started:
            if not started:
                print(f"{where}: nvidia-cuda-mps-control does not start here: not measured", file=sys.stderr)
                continue
            try:
                lines += _measured(device, where, given.processes, given.seconds, LITTLE if given.quick else CASES)
            except (EOFError, TimeoutError) as error:
                print(f"{where}: not measured, a process ended or did not answer: {error}", file=sys.stderr)
    described = _described(given.device, time.monotonic() - begun)
    print("\n\n".join([described, _table(lines)]))
    folder = given.output or (None if given.quick else Path(__file__).parent / "results")
    if folder is not None:
        _write(folder, lines, described)
    return 0


def _ways(device: str) -> list[tuple[str, str, bool]]:
    """Return device, words for it, and whether MPS serves it, for every way that is measured."""
    ways = [("cpu", "cores of the CPU", False)]
    if device != "cpu":
        ways = [(device, "GPU in turns", False), (device, "GPU by MPS", True), *ways]
    return ways


@contextmanager
def _shared(mps: bool) -> Iterator[bool]:
    """Start NVIDIA's multi-process service, in folders of its own; tell whether it serves, if it is wanted."""
    program = shutil.which("nvidia-cuda-mps-control")
    if not mps or program is None:
        yield not mps
        return
    names = ("CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY")
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(dict.fromkeys(names, folder))
        try:
            yield subprocess.run([program, "-d"], check=False, timeout=30).returncode == 0
        finally:
            subprocess.run([program], input="quit\n", text=True, check=False, timeout=60)
            for name in names:
                os.environ.pop(name)


def _measured(device: str, where: str, numbers: Sequence[int], seconds: float, cases: Sequence[Case]) -> list[Line]:
    """Return the rates of all cases with each number of processes; on cores of the CPU with one and with most."""
    context, lines = multiprocessing.get_context("spawn"), list[Line]()
    ends = []
    for _ in range(max(numbers)):
        here, there = context.Pipe()
        context.Process(target=_work, args=(there, device, cases), daemon=True).start()
        ends.append(here)
    try:
        for end in ends:
            _answer(end)
        for place, case in enumerate(cases):
            first = 0.0
            for number in numbers if device != "cpu" else sorted({1, max(numbers)}):
                for end in ends[:number]:
                    end.send((place, time.time() + 0.2, seconds))
                rate = sum(_answer(end) for end in ends[:number])
                first = first or rate / number
                lines.append((case.name, where, number, rate, rate / first))
                print(f"{case.name}, {where}, {number} processes: {rate:.4g}, {rate / first:.3g} times one", flush=True)
        return lines
    finally:
        for worker in multiprocessing.active_children():
            worker.kill()


def _answer(end: Any) -> float:
    """Return what a worker sends."""
    if not end.poll(60):
        raise TimeoutError("a process did not answer within a minute")
    return float(end.recv())


def _work(pipe: Any, device: str, cases: Sequence[Case]) -> None:
    """Be ready, then train a case for some seconds and send the million samples per second, again and again."""
    trains = [ours(replace(case, device=device)) for case in cases]
    with computing(1, resolve(device)):
        for train in trains:
            train(0)
        pipe.send(0.0)
        for number in itertools.count(1, 1000):
            place, start, seconds = pipe.recv()
            time.sleep(max(0.0, start - time.time()))
            begun, seen, rounds = time.perf_counter(), 0.0, itertools.count(number)
            while time.perf_counter() < begun + seconds:
                seen += len(trains[place](next(rounds))) * cases[place].samples * cases[place].epochs / 1e6
            pipe.send(seen / (time.perf_counter() - begun))


def _described(device: str, seconds: float) -> str:
    where = "no GPU was at hand"
    if device != "cpu":
        card = torch.cuda.get_device_properties(resolve(device))
        where = f"{card.name}, {card.total_memory / 1e9:.0f} GB"
    day = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC"
    return (
        f"Measured {day}: {where}; {os.cpu_count()} cores of the CPU, "
        f"{platform.machine()}, torch {torch.__version__}, in {seconds:.0f} seconds."
    )


def _table(lines: Sequence[Line]) -> str:
    rows = ["| " + " | ".join(COLUMNS) + " |", "|---|---|---:|---:|---:|"]
    rows += [f"| {case} | {where} | {n} | {rate:.3g} | {ratio:.3g} |" for case, where, n, rate, ratio in lines]
    return "\n".join(rows)


def _write(folder: Path, lines: Sequence[Line], described: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = ["# Several jobs on one GPU", described, _table(lines), __doc__.split("\n\n")[2].replace("\n", " ").strip()]
    (folder / "gpu-packed.md").write_text("\n\n".join(text) + "\n")
    with (folder / "gpu-packed.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(lines)


if __name__ == "__main__":
    raise SystemExit(main())
