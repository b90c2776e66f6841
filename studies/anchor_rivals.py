"""Ways to place a new model by few items, compared on shipped leaderboards, with the error on models left out.

Each way sees the models of four of five parts, chooses items and how their scores are added, and is judged by the root
mean squared error of the mean on all items of the models of the fifth. Parts are drawn ``DEALS`` times, alike for all.

- **random**: the plain mean of random items (mean over 20 draws).
- **stratified**: items at even steps of difficulty; their plain mean.
- **tinyBenchmarks**: k-means of the items, by their answers (`clustered`) or by slope and intercept of the model of
  responses (`by IRT`); the item nearest to each centre counts as often as its cluster has items (Polo et al. 2024,
  without their correction by the model). `clustered, fitted`: the same items with a regression on top.
- **metabench**: of 200 random sets of items the one by whose mean a quadratic regression predicts best, seen on a
  quarter of the models that took no part (Kipnis et al. 2025, without their preselection of items).
- **aiq**: anchors of ``aiq suite``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.cluster.vq import kmeans2

from aiq import seeding
from aiq.readers import read
from aiq.suites import fewer, response
from aiq.suites.scores import scores as observed
from studies.cells import Row

Floats = npt.NDArray[np.float64]
Placing = Callable[[Floats], Floats]

TABLES = {
    "Terminal-Bench": ("terminalbench_wide.csv.gz", (5, 10, 20)),
    "MTEB": ("mteb_block_198x15_wide.csv.gz", (3, 5, 10)),
    "timm": ("timm_top1_wide.csv.gz", (1, 2, 3)),
}
"""Name -> file, numbers of items."""
DEALS, PARTS = 4, 5


def table(name: str) -> Floats | None:
    """Return a shipped table without the models that miss a cell, (A, T); None where the data is not there."""
    path = Path(os.environ.get("AIQ_DATA_ROOT", "data")) / "leaderboards" / TABLES[name][0]
    if not path.is_file():
        return None
    values = observed(read(path, clip=True)).values
    return np.asarray(values[~np.isnan(values).any(axis=1)])


def _mean_of(items: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Placing:
    chosen = np.asarray(items, dtype=np.int64)
    return lambda new: np.asarray(np.average(new[:, chosen], axis=1, weights=weights))


def _random(scores: Floats, size: int, rng: np.random.Generator) -> Placing:
    return _mean_of(rng.permutation(scores.shape[1])[:size])


def _stratified(scores: Floats, size: int, rng: np.random.Generator) -> Placing:
    order = np.argsort(scores.mean(axis=0), kind="stable")
    return _mean_of([int(part[len(part) // 2]) for part in np.array_split(order, size)])


def _nearest(points: Floats, size: int, rng: np.random.Generator) -> tuple[list[int], list[int]]:
    """Return the item nearest to the centre of each cluster of items, and the clusters' sizes; the best of ten."""
    best: tuple[float, Floats, npt.NDArray[np.int64]] | None = None
    for _ in range(10):
        centres, label = kmeans2(points, size, minit="++", seed=rng)
        apart = float(((points - centres[label]) ** 2).sum())
        if best is None or apart < best[0]:
            best = apart, centres, label
    assert best is not None
    _, centres, label = best
    there = [k for k in range(size) if (label == k).any()]
    nearest = [int(np.where(label == k, ((points - centres[k]) ** 2).sum(axis=1), np.inf).argmin()) for k in there]
    return nearest, [int((label == k).sum()) for k in there]


def _clustered(scores: Floats, size: int, rng: np.random.Generator) -> Placing:
    return _mean_of(*_nearest(scores.T, size, rng))


def _by_irt(scores: Floats, size: int, rng: np.random.Generator) -> Placing:
    found = response.fit(scores)
    slope = np.nan_to_num(found.discrimination, nan=0.0)
    middle = np.log((found.difficulty + 1e-3) / (1 - found.difficulty + 1e-3))
    return _mean_of(*_nearest(np.column_stack([slope, middle]), size, rng))


def _fitted(scores: Floats, items: list[int]) -> Placing:
    weights, start = fewer.weigh(scores, items)
    return lambda new: np.asarray(start + new[:, items] @ weights)


def _clustered_fitted(scores: Floats, size: int, rng: np.random.Generator) -> Placing:
    return _fitted(scores, _nearest(scores.T, size, rng)[0])


def _metabench(scores: Floats, size: int, rng: np.random.Generator) -> Placing:
    truth, judged = scores.mean(axis=1), rng.permutation(len(scores)) < len(scores) // 4
    best: tuple[float, Floats] = (np.inf, np.arange(size))
    for _ in range(200):
        items = rng.permutation(scores.shape[1])[:size]
        part = scores[:, items].mean(axis=1)
        curve = np.polynomial.Polynomial.fit(part[~judged], truth[~judged], 2)
        missed = float(((curve(part[judged]) - truth[judged]) ** 2).mean())
        best = min(best, (missed, items), key=lambda one: one[0])
    place = _mean_of(best[1])
    last = np.polynomial.Polynomial.fit(place(scores), truth, 2)
    return lambda new: np.asarray(last(place(new)))


def _aiq(scores: Floats, size: int, rng: np.random.Generator) -> Placing:
    return _fitted(scores, fewer.choose(scores, size))


WAYS: dict[str, Callable[[Floats, int, np.random.Generator], Placing]] = {
    "random": _random, "stratified": _stratified, "tinyBenchmarks, clustered": _clustered,
    "tinyBenchmarks, by IRT": _by_irt, "clustered, fitted": _clustered_fitted, "metabench": _metabench, "aiq": _aiq,
}  # fmt: skip


def missed(scores: Floats, size: int, way: str, deals: int, seed: str) -> float:
    """Return the root mean squared error of one way on models left out, over all deals."""
    dealing, rng = (seeding.generator(2026, "anchors", key) for key in (seed, f"{seed} {way}"))
    again = 20 if way == "random" else 1
    squares: list[Floats] = []
    for _ in range(deals):
        part = dealing.permutation(len(scores)) % PARTS
        for fold in range(PARTS):
            left = part == fold
            for _ in range(again):
                place = WAYS[way](scores[~left], size, rng)
                squares.append((place(scores[left]) - scores[left].mean(axis=1)) ** 2)
    return float(np.sqrt(np.mean(np.concatenate(squares))))


def compared(name: str, size: int, deals: int) -> Row:
    """Return the errors of all ways on one table."""
    scores = table(name)
    if scores is None:
        return {}
    found = {way: missed(scores, size, way, deals, f"{name} {size}") for way in WAYS}
    return {"models": len(scores), "items": scores.shape[1], **found}
