"""What part of a training is matrix products, and what bfloat16 could save of it.

    python benchmarks/products.py [--out FILE]

For cases of ``benchmarks/training.py``: the share of the processor's time that products and convolutions take (torch's
profiler), and how much faster the largest products of the case are in bfloat16 than in single precision by the faster
of torch's two libraries, in turns in one process. From both follows what the whole training would gain at most.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile
from training import CASES
from training_contenders import Case, ours

from aiq.storage.provenance import machine

PRODUCTS = ("::mm", "::bmm", "::addmm", "::baddbmm", "_convolution", "convolution_backward", "_linear_pointwise")
SHAPES = {
    "dense, batch 32, every pixel": (1, 1056, 1024, 32),
    "dense, batch 128": (1, 1056, 784, 128),
    "mixtures, 11 x 5": (55, 32, 784, 32),
}
"""Networks, rows, inputs and batch of the first layers' products: the largest of a case."""
TURNS, CALLS = 15, 20


def share(case: Case) -> float:
    """Return the part of a training's time that products take, the evaluation included."""
    train = ours(case)
    train(0)
    with profile(activities=[ProfilerActivity.CPU]) as seen:
        train(1)
    spent = {event.key: event.self_cpu_time_total for event in seen.key_averages()}
    return sum(time for key, time in spent.items() if key.endswith(PRODUCTS)) / sum(spent.values())


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of a call, over some calls."""
    begun = time.process_time()
    for _ in range(CALLS):
        work()
    return (time.process_time() - begun) / CALLS


def gain(shape: Sequence[int]) -> float:
    """Return the time of a product in single precision over that in bfloat16: the median over turns."""
    networks, rows, inputs, batch = shape
    a, b = torch.randn(networks, rows, inputs), torch.randn(networks, inputs, batch)
    low = a.bfloat16(), b.bfloat16()
    one = torch.ops.mkldnn._linear_pointwise.default  # oneDNN's, the faster for one large product
    pair = a[0], b[0].t().contiguous()
    single = [lambda: torch.bmm(a, b)]
    if networks == 1:
        single.append(lambda: one(*pair, None, "none", [], ""))
    turns = [(min(seconds(work) for work in single), seconds(lambda: torch.bmm(*low))) for _ in range(TURNS)]
    return statistics.median(slow / fast for slow, fast in turns)


def page(rows: Sequence[tuple[str, float, float | None]]) -> str:
    """Return the page of results."""
    when = f"{datetime.now(UTC):%Y-%m-%d}, {machine()['processor']}, one thread, torch {torch.__version__}"
    lines = [
        "# What bfloat16 could save",
        "",
        f"`python benchmarks/products.py`, {when}.",
        "",
        "*Share*: of the processor's time of a training that products and convolutions take. *bfloat16*: how many",
        "times faster the largest products are than in single precision, operands in bfloat16 already. *Whole*: how",
        "many times faster the training would be if all products were and if they took no time at all: bounds, as the",
        "conversion of weights and results at every step comes on top.",
        "",
        "| case | share | bfloat16 | whole with it | whole without products |",
        "|---|---|---|---|---|",
    ]
    for name, part, faster in rows:
        whole = "–" if faster is None else f"{1 / (1 - part + part / faster):.2f}"
        times = "not measured" if faster is None else f"{faster:.2f}"
        lines.append(f"| {name} | {part:.2f} | {times} | {whole} | {1 / (1 - part):.2f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "products.md")
    given = parser.parse_args()
    torch.set_num_threads(1)
    rows = [(name, share(CASES[name][0]), gain(SHAPES[name]) if name in SHAPES else None)
            for name in (*SHAPES, "convolutional")]  # fmt: skip
    given.out.write_text(page(rows), encoding="utf-8")
    print(given.out.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
