"""Whether trainings with products of bfloat16 give the same numbers as those of single precision.

The same policies, initial weights and batch orders train three times: in single precision (A), in single precision
with the products of torch's other library (B: the same precision, sums taken in another order), and with factors
rounded to bfloat16 (C). Adam lets any rounding grow, so single trainings differ in B as in C; what has to be equal is
their distribution. Real pictures (2,000 of the training split, 1,000 of the test split), 2 epochs, batches of 32:
pools of 32 dense policies of MNIST and of Fashion-MNIST, of 32 convolutional ones of MNIST, and mixtures of MNIST and
Fashion-MNIST (11 proportions, 3 repetitions, two layers of 32 nodes). A cell is one pool, or one pair: policies,
initial weights and orders are its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from unittest import mock

import numpy as np
import numpy.typing as npt
from scipy import stats as scipy_stats

from aiq.config.training import Adam, Pool, Training
from aiq.domains.base import LabelledDomain
from aiq.domains.labelled.torchvision_sets import Torchvision
from aiq.domains.registry import load
from aiq.measures import complexity, dissimilarity
from aiq.policies import pool as pools
from aiq.records.estimate import Estimate
from aiq.records.trial import Architecture
from aiq.training.data import LabelledData, mixed
from aiq.training.mixtures import train_mixtures
from aiq.training.networks import matrix_products
from aiq.training.supervised import train_chunk
from studies.cells import Cells

Floats = npt.NDArray[np.float64]
Row = dict[str, object]

ROOT_SEED = 2025
SETS = {"mnist": "MNIST", "fashion": "FashionMNIST"}
SAMPLES, TESTS = 2000, 1000
POOL = Pool(size=32, policies_per_chunk=8, layers=(1, 3), width=(1, 32))
CONVOLUTIONAL = Pool(family="convolutional", size=32, policies_per_chunk=8, layers=(1, 2), width=(1, 16))
POOLS = {
    "pools of mnist": ("mnist", POOL),
    "pools of fashion": ("fashion", POOL),
    "convolutional pools of mnist": ("mnist", CONVOLUTIONAL),
}
NETWORK = Architecture("dense", (32, 32))
POINTS = tuple(i / 10 for i in range(11))
WAYS = ("A", "B", "C")
SWAPS = 2000
CELLS, PAIRS = 16, 400
"""Cells of each kind of pool, and of mixtures: an area changes more by chance, and takes less time."""
NOTES = (
    "`mean change` is of accuracies, way less A, on the same seeds; `largest distance` is Kolmogorov and Smirnov's of "
    "all accuracies, `p` its share among 2,000 random swaps within pairs. `its error` is the mean standard error of "
    "one measured number (over chunks of a pool, or repetitions of a pair). `mean change / error` is what the way "
    "changes on average, in these errors; `within a tenth`: its 95 % interval lies within ±.1 (yes), outside (no), or "
    "does not tell. `spread of changes / error` is how much a single measured number changes by chance. All intervals "
    "are Student's over cells."
)
TENTH = 0.1


def settings(way: str, epochs: int = 2) -> Training:
    """Return how policies train: A and B in single precision, C in rounded products."""
    products = "bfloat16" if way == "C" else "float32"
    return Training(epochs=epochs, batch_size=32, optimizer=Adam(name="adam", learning_rate=0.003), products=products)


@contextmanager
def library(way: str) -> Iterator[None]:
    """Let products of B be computed by torch's other library."""
    with mock.patch.object(matrix_products, "available", (lambda: False) if way == "B" else matrix_products.available):
        yield


@cache
def domain(name: str) -> LabelledDomain:
    """Return a part of a data set."""
    told = {"source": "torchvision", "name": SETS[name], "size": 28, "limit": SAMPLES, "limit_test": TESTS}
    root = os.environ.get("AIQ_DATA_ROOT")
    return load(name, Torchvision.model_validate(told), root_seed=ROOT_SEED, data_root=root)


def of_pool(name: str, seed: int, chunks: int = POOL.chunks, drawn: Pool = POOL) -> Row:
    """Return accuracies of a pool by each way, and its complexity with standard error."""
    data, row = LabelledData.of(domain(name)), {}
    for way in WAYS:
        with library(way):
            trials = [
                (trial.performance, trial.parameters, number)
                for number in range(chunks)
                for trial in train_chunk(
                    data, pools.chunk(drawn, seed, name, number), settings(way), order_seed=100 * seed + number
                )
            ]
        performance, parameters, chunk = (np.array(column) for column in zip(*trials, strict=True))
        size = complexity.sizes(parameters)
        found = complexity.measure(performance, size, chunk=chunk, k=4, resamples=0)
        row |= {f"accuracies {way}": performance.tolist(), f"number {way}": found.estimate.value}
        row[f"error {way}"] = student(found.estimate)
    return row


def of_mixtures(seed: int, repetitions: int = 3) -> Row:
    """Return performances of mixtures by each way, and the signed area with standard error."""
    pair, row = mixed(domain("mnist"), domain("fashion")), {}
    told = {"proportions": POINTS, "samples": SAMPLES, "seed": seed, "repetitions": range(repetitions)}
    for way in WAYS:
        with library(way):
            found = train_mixtures(pair, NETWORK, settings(way), **told)  # type: ignore[arg-type]
        curves = np.array([r.performance for r in found]).reshape(len(POINTS), repetitions).T
        area = dissimilarity.measure(POINTS, curves, chosen="signed", resamples=0)
        row |= {f"accuracies {way}": curves.ravel().tolist(), f"number {way}": area.signed.value}
        row[f"error {way}"] = None if area.error is None else area.error.se
    return row


def student(found: Estimate) -> float:
    """Return the standard error behind a Student interval over n units."""
    low, high = found.interval or (np.nan, np.nan)
    return (high - low) / 2 / float(scipy_stats.t.ppf(0.975, max(found.n - 1, 1)))


def compared(what: str, rows: Sequence[Row], number: str, way: str) -> Row:
    """Return a line: how accuracies and a number by one way differ from those of A, over independent cells."""
    first, other = (np.array([row[f"accuracies {w}"] for row in rows]) for w in ("A", way))
    column = {
        key: np.array([row[key] for row in rows], dtype=float) for key in (f"number {way}", "number A", "error A")
    }
    means, error = (other - first).mean(1), float(column["error A"].mean())
    changes = (column[f"number {way}"] - column["number A"]) / error
    return {
        "what": what,
        "way": way,
        "trainings": first.size,
        "accuracy by A": first.mean(),
        "mean change": means.mean(),
        "± (95 %)": interval(means),
        "largest distance": distance(first, other),
        "p": swapped(first, other),
        "number": number,
        "its error": error,
        "mean change / error": changes.mean(),
        "± (95 %) ": interval(changes),
        "within a tenth": within(float(changes.mean()), interval(changes)),
        "spread of changes / error": changes.std(ddof=1) if len(rows) > 1 else np.nan,
    }


def interval(values: Floats) -> float:
    """Return the half width of Student's 95 % interval of a mean."""
    if len(values) < 2:
        return float("nan")
    quantile = float(scipy_stats.t.ppf(0.975, len(values) - 1))
    return quantile * float(values.std(ddof=1)) / len(values) ** 0.5


def within(value: float, half: float) -> str:
    """Return what an interval says of a tenth."""
    if abs(value) + half <= TENTH:
        return "yes"
    return "no" if abs(value) - half > TENTH else "not told"


def distance(one: Floats, other: Floats) -> float:
    """Return the largest distance of two distribution functions (Kolmogorov and Smirnov)."""
    one, other = np.sort(one, axis=None), np.sort(other, axis=None)
    steps = np.concatenate([one, other])
    shares = [np.searchsorted(values, steps, side="right") / values.size for values in (one, other)]
    return float(np.abs(shares[0] - shares[1]).max())


def swapped(one: Floats, other: Floats, swaps: int = SWAPS) -> float:
    """Return the p-value of the distance, by swapping the two members of pairs at random: exact if they are alike."""
    rng, seen = np.random.default_rng(5), distance(one, other)
    more = 0
    for _ in range(swaps):
        turn = rng.random(one.shape) < 0.5
        more += distance(np.where(turn, other, one), np.where(turn, one, other)) >= seen - 1e-12
    return (1 + more) / (1 + swaps)


def run(quick: bool, cells: Cells | None = None) -> list[Row]:
    """Return a line for each kind of training and way.

    Args:
        quick: one small pool and one pair.
        cells: what was finished before.
    """
    cells = cells or Cells(None, "", lambda line: None)
    count, rows = (1, []) if quick else (CELLS, [])
    for what, (name, drawn) in POOLS.items():
        if quick and what != "pools of mnist":
            continue
        found = []
        for seed in range(count):
            key = {"what": what, "seed": seed, "quick": quick}
            chunks = 2 if quick else drawn.chunks
            found += cells.of(key, lambda n=name, s=seed, c=chunks, d=drawn: [of_pool(n, s, c, d)])
        rows += [compared(what, found, "complexity", way) for way in WAYS[1:]]
    found = []
    for seed in range(1 if quick else PAIRS):
        key = {"mixtures": seed, "quick": quick}
        found += cells.of(key, lambda seed=seed: [of_mixtures(seed, 2 if quick else 3)])
    return [*rows, *(compared("mixtures of both", found, "area", way) for way in WAYS[1:])]
