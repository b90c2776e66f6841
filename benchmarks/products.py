"""What part of a training is matrix products, and what bfloat16 saves of it.

    python benchmarks/products.py [--out FILE] [--rounds N]

For cases of ``benchmarks/training.py``: the share of the processor's time that products and convolutions take (torch's
profiler; the evaluation included), how much faster the largest products of the case are in bfloat16 than in single
precision by the faster of torch's two libraries, and the whole trainings of both precisions in turns with the preloaded
loop.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from unittest import mock

import torch
from torch.profiler import ProfilerActivity, profile, record_function
from training import CASES
from training_contenders import CONTENDERS, Case, Round, rounded

from aiq.storage.provenance import machine
from aiq.training.networks.first_convolution import FirstConvolution

PRODUCTS = ("::mm", "::bmm", "::addmm", "::baddbmm", "_convolution", "convolution_backward", "_linear_pointwise")
PRODUCTS += ("first_convolution",)
SHAPES = {
    "dense, batch 32, every pixel": (1, 1056, 1024, 32),
    "dense, batch 128": (1, 1056, 784, 128),
    "mixtures, 11 x 5": (55, 32, 784, 32),
}
"""Networks, rows, inputs and batch of the first layers' products: the largest of a case."""
TURNS, CALLS = 15, 20
LONGER = "mixtures, 11 x 5, four epochs"
ALL = {name: case for name, (case, _) in CASES.items()}
ALL[LONGER] = replace(ALL["mixtures, 11 x 5"], epochs=4)
WISHES = {
    "dense, batch 32, every pixel": 10,
    "dense, batch 128": 8,
    "mixtures, 11 x 5": 8,
    LONGER: 8,
    "convolutional": 4,
}
"""Times as fast as the preloaded loop that were wished for."""


def share(case: Case) -> float:
    """Return the part of the time of a training in bfloat16 that products take, the evaluation included."""
    train = rounded(case)
    train(0)
    begun = time.process_time()
    train(1)
    whole = time.process_time() - begun
    with named(), profile(activities=[ProfilerActivity.CPU]) as seen:
        train(1)
    products = (event.self_cpu_time_total for event in seen.key_averages() if event.key.endswith(PRODUCTS))
    return sum(products) / 1e6 / whole


@contextmanager
def named() -> Iterator[None]:
    """Let the profiler see the first convolutions, which are compiled loops, as products."""
    with ExitStack() as stack:
        for name in ("forward", "backward"):
            told = record_function("first_convolution")(getattr(FirstConvolution, name))
            stack.enter_context(mock.patch.object(FirstConvolution, name, told))
        yield


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


@dataclass(frozen=True)
class Line:
    """What was measured of a case: ``single`` and ``rounded`` are times as fast as the preloaded loop, with quartiles.

    ``share`` is the part of the time of products in bfloat16, ``product`` how many times faster the largest are.
    """

    name: str
    share: float
    product: float | None
    single: tuple[float, float, float]
    rounded: tuple[float, float, float]

    @property
    def gain(self) -> float:
        """How many times faster the whole is in bfloat16, as measured."""
        return self.rounded[0] / self.single[0]

    @property
    def without(self) -> float:
        """Times as fast as the preloaded loop if products took no time at all."""
        return self.rounded[0] / (1 - self.share)

    @property
    def alone(self) -> float:
        """Times as fast as the preloaded loop if all but the products took no time."""
        return self.rounded[0] / self.share


def line(name: str, rounds: int) -> Line:
    """Measure a case: trainers take turns in one process, one round each, the first not counted."""
    case = ALL[name]
    product = gain(SHAPES[name]) if name in SHAPES else None
    runs = [CONTENDERS[who](case) for who in ("ours", "ours, bfloat16", "preloaded, fused Adam")]
    each = [[_of_one(run, number) for run in runs] for number in range(rounds + 1)][1:]
    single, low = ([loop / times[place] for *times, loop in each] for place in (0, 1))
    return Line(name, share(case), product, _quartiles(single), _quartiles(low))


def _of_one(run: Round, number: int) -> float:
    """Return the processor time of a round, for one policy."""
    begun = time.process_time()
    trained = len(run(number))
    return (time.process_time() - begun) / trained


def _quartiles(ratios: Sequence[float]) -> tuple[float, float, float]:
    """Return the median and the quartiles of some ratios."""
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return middle, low, high


def page(lines: Sequence[Line], rounds: int) -> str:
    """Return the page of results."""
    when = f"{datetime.now(UTC):%Y-%m-%d}, {machine()['processor']}, one thread, torch {torch.__version__}"
    told = [
        "# What products of bfloat16 save",
        "",
        f"`python benchmarks/products.py`, {when}, load {os.getloadavg()[0]:.1f}; {rounds} rounds in turns.",
        "",
        "*float32*, *bfloat16*: times as fast as one policy at a time with preloaded data and fused Adam, medians of",
        "ratios within rounds with quartiles. *Wish*: what was wished for. *Gain*: bfloat16 over float32. *Share*: of",
        "the processor's time of a training in bfloat16 that products and convolutions take. *No products*: times as",
        "fast as the loop if products took no time. *Products alone*: if all else took none. *Product*: how many times",
        "faster the largest products are in bfloat16 than in single precision, operands in bfloat16 already.",
        "",
        "| case | float32 | bfloat16 | wish | gain | share | no products | products alone | product |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for one in lines:
        times = "–" if one.product is None else f"{one.product:.2f}"
        two = " | ".join(f"{middle:.1f} ({low:.1f} to {high:.1f})" for middle, low, high in (one.single, one.rounded))
        parts = f"{one.gain:.2f} | {one.share:.2f} | {one.without:.1f} | {one.alone:.1f}"
        told.append(f"| {one.name} | {two} | {WISHES[one.name]} | {parts} | {times} |")
    return "\n".join(told) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "products.md")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each case, at least 2")
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    lines: list[Line] = []
    for name in WISHES:
        lines.append(line(name, given.rounds))
        given.out.write_text(page(lines, given.rounds), encoding="utf-8")
        print(page(lines[-1:], given.rounds).splitlines()[-1], flush=True)


if __name__ == "__main__":
    main()
