"""Whether trainings on a GPU are right, how fast they are, how busy the GPU is: one run, one table of verdicts.

    python benchmarks/gpu.py                     # on the first GPU; writes benchmarks/results/gpu.{md,json,csv}
    python benchmarks/gpu.py --device cuda:1     # on another one
    python benchmarks/gpu.py --device cpu --quick   # without a GPU: everything that is called, on tensors of the CPU

Every trainer is compared with the numbers of the CPU: same initial weights, same orders of samples, double precision
where the trainer has it. Then trainings are timed on the same device against ``torch.func.vmap`` and against one policy
at a time. No part begins after the time is up (``--seconds``, 420 by default, so that all ends within 8 minutes); what
was left out is ``not run``. The exit status is 1 if a verdict is ``no``.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import json
import math
import os
import platform
import sys
import time
from dataclasses import asdict, fields, replace
from pathlib import Path

import torch
from gpu_checks import Row, Scale, rows, told
from gpu_speed import cases
from gpu_speed import rows as speeds

from aiq.errors import TrainingError
from aiq.training.device import exactly, resolve

TINY = Scale(samples=160, policies=3, side=10, epochs=1, steps=120)
LITTLE = "too little"
"""Verdict of a speed that ``--quick`` measured: mostly the start of a training, so it is not judged."""


def measure(device: torch.device, *, quick: bool, seconds: float) -> list[Row]:
    """Return all lines, printed as they come."""
    until, found = time.monotonic() + seconds, []

    def add(lines: list[Row]) -> None:
        """Take in lines and show them."""
        found.extend(lines)
        for line in lines:
            print(f"{line.verdict:8} {line.part}: {line.what}: {line.measured:.4g} {line.wanted}", flush=True)

    for check in rows(device, TINY if quick else Scale()):
        add(told(check, "checks") if time.monotonic() < until else [_left_out("checks", "a check")])
    for case in cases(str(device), quick):
        if time.monotonic() < until:
            lines = told(lambda case=case: speeds(case, device, 1 if quick else 3, until), "speed")
            add([_unjudged(line) for line in lines] if quick else lines)
        else:
            add([_left_out("speed", case.name)])
    return found


def _unjudged(line: Row) -> Row:
    """Return a line of a quick run: what was wanted of a speed or a share is wanted of a whole training only."""
    judged = line.part in ("faster by", "utilisation", "memory") and line.verdict in ("yes", "no")
    return replace(line, verdict=LITTLE) if judged else line


def _left_out(part: str, what: str) -> Row:
    """Return the line of what was not measured."""
    return Row(part, what, math.nan, "", "not run", "the time was up")


def numerics() -> dict[str, str]:
    """Return how products are computed at this moment, in words."""
    return {
        "products": torch.backends.cuda.matmul.fp32_precision,
        "convolutions": torch.backends.cudnn.conv.fp32_precision,
        "deterministic": str(torch.are_deterministic_algorithms_enabled()),
        "sums of bfloat16": "short" if torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction else "long",
        "kernels by timing": str(torch.backends.cudnn.benchmark),
        "cuBLAS workspace": os.environ.get("CUBLAS_WORKSPACE_CONFIG", "unset"),
    }


def describe(device: torch.device, seconds: float, quick: bool) -> str:
    """Return when, where and how this was measured."""
    little = " With `--quick`: a few small networks, so that speeds are mostly those of starts." if quick else ""
    where = "on tensors of the CPU: no GPU was at hand, nothing here is about the speed of one"
    if device.type == "cuda":
        known = torch.cuda.get_device_properties(device)
        where = f"on {known.name} ({known.total_memory / 1e9:.0f} GB, compute {known.major}.{known.minor})"
    with exactly():
        settings = ", ".join(f"{name}: {value}" for name, value in numerics().items())
    return (
        f"Measured {datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M} UTC {where}, {platform.machine()}, Python "
        f"{platform.python_version()}, torch {torch.__version__}, in {seconds:.0f} seconds. Settings of torch on a "
        f"GPU: {settings}.{little}"
    )


def table(found: list[Row]) -> str:
    """Return the lines as a Markdown table."""
    lines = ["| part | what | measured | wanted | verdict |", "|---|---|---:|---|---|"]
    lines += [f"| {r.part} | {r.what} | {r.measured:.3g} | {r.wanted} | {r.verdict} |" for r in found]
    return "\n".join(lines)


def summary(found: list[Row]) -> str:
    """Return how many lines have which verdict, as a sentence."""
    counts = {name: sum(row.verdict == name for row in found) for name in ("yes", "no", "not run")}
    return (
        f"{counts['yes']} of {counts['yes'] + counts['no']} wanted things hold, {counts['no']} do not, "
        f"{counts['not run']} were not measured. `told` lines ask for nothing. Differences are over the largest number "
        "of a training: losses, accuracies and, where there are any, weights. Rates count the million samples that all "
        "networks together saw in a second, everything that a trial records included. Lines of the verdict `no GPU` "
        "were measured on a CPU that computes as a GPU would; they show that the program runs, and nothing else. "
        f"Lines of the verdict `{LITTLE}` are not judged: the work of a quick run is too little to tell a speed."
    )


def write(folder: Path, found: list[Row], description: str) -> None:
    """Write the table as Markdown, JSON and CSV."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = ["# Trainings on a GPU: verdicts", description, table(found), summary(found)]
    (folder / "gpu.md").write_text("\n\n".join(parts) + "\n")
    plain = [{**asdict(row), "measured": row.measured if math.isfinite(row.measured) else None} for row in found]
    (folder / "gpu.json").write_text(json.dumps({"described": description, "rows": plain}, indent=1) + "\n")
    with (folder / "gpu.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([field.name for field in fields(Row)])
        writer.writerows([getattr(row, field.name) for field in fields(Row)] for row in found)


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and save; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", help="cuda, cuda:1 ..., or cpu to try the program")
    parser.add_argument(
        "--quick", action="store_true", help="little work, to see that it runs; writes nothing by default"
    )
    parser.add_argument("--if-any", action="store_true", help="where there is no GPU, say so and end well")
    parser.add_argument("--seconds", type=float, default=420, help="no part begins later than that")
    parser.add_argument("--output", type=Path, help="folder of the results (default: benchmarks/results, quick: none)")
    given = parser.parse_args(arguments)
    try:
        device = resolve(given.device)
    except TrainingError as error:
        print(f"gpu.py: {error} (cpu --quick tries the program)", file=sys.stderr)
        return 0 if given.if_any else 2
    begun = time.monotonic()
    found = measure(device, quick=given.quick, seconds=given.seconds)
    description = describe(device, time.monotonic() - begun, given.quick)
    print("\n\n".join(["", description, table(found), summary(found)]))
    folder = given.output or (None if given.quick else Path(__file__).parent / "results")
    if folder is not None:
        write(folder, found, description)
    return 1 if any(row.verdict == "no" for row in found) else 0


if __name__ == "__main__":
    raise SystemExit(main())
