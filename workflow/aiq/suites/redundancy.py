"""Which test is predicted by which, and how the order of agents holds when tests are dropped: on agents left out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from aiq.records.suite_report import Reduction

Floats = npt.NDArray[np.float64]


def predicted(performance: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Return how well one other test predicts each test on agents left out, and which.

    For every agent the predictor is chosen, and its line fitted, on the other agents alone; so the choice of the best
    of many does not flatter. The share is 1 - squared error of these predictions over that of the mean of the others.

    Args:
        performance: (A, T), at least 4 agents and 2 tests.

    Returns:
        share of variance (T,), NaN where all agents are alike; the predictor chosen most often (T,), -1 for none.
    """
    agents, tests = performance.shape
    error, baseline = np.zeros(tests), np.zeros(tests)
    chosen = np.zeros((tests, tests), dtype=np.int64)
    for left in range(agents):
        rest = np.delete(performance, left, axis=0)
        centred = rest - rest.mean(axis=0)
        variance = (centred**2).sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = (centred.T @ centred) / variance[:, None]  # [predictor, test]
            explained = slope**2 * variance[:, None] / variance[None, :]
        explained[~np.isfinite(explained)] = -1.0
        np.fill_diagonal(explained, -1.0)
        best = explained.argmax(axis=0)
        columns = np.arange(tests)
        usable = explained[best, columns] >= 0
        step = np.where(usable, slope[best, columns] * (performance[left, best] - rest.mean(axis=0)[best]), 0.0)
        error += (performance[left] - rest.mean(axis=0) - step) ** 2
        baseline += (performance[left] - rest.mean(axis=0)) ** 2
        chosen[columns[usable], best[usable]] += 1
    share = np.where(baseline > 0, 1 - error / np.where(baseline > 0, baseline, 1.0), np.nan)
    most = np.where(chosen.sum(axis=1) > 0, chosen.argmax(axis=1), -1)
    return share, most.astype(np.int64)


def rank_correlation(first: Floats, second: Floats) -> Floats:
    """Return Spearman's correlation along the last axis, ties by mean ranks; NaN where one side is constant."""
    a, b = (rankdata(x, axis=-1) for x in (first, second))
    a = a - a.mean(axis=-1, keepdims=True)
    b = b - b.mean(axis=-1, keepdims=True)
    scale = np.sqrt((a**2).sum(axis=-1) * (b**2).sum(axis=-1))
    products = (a * b).sum(axis=-1)
    return np.asarray(np.divide(products, scale, out=np.full_like(products, np.nan), where=scale > 0))


def dropped(performance: Floats) -> list[int]:
    """Return the tests in the order in which they are dropped: each time the one that changes the order least.

    Args:
        performance: of the agents that choose, (A, T).
    """
    everything = performance.mean(axis=1)
    kept = list(range(performance.shape[1]))
    order = []
    while len(kept) > 1:
        total = performance[:, kept].sum(axis=1)
        without = (total[:, None] - performance[:, kept]).T / (len(kept) - 1)
        agreement = rank_correlation(without, np.broadcast_to(everything, without.shape))
        order.append(kept.pop(int(np.nanargmax(np.nan_to_num(agreement, nan=-2.0)))))
    return order


def reduce(
    performance: Floats, names: tuple[str, ...], halves: int, confidence: float, rng: np.random.Generator
) -> Reduction:
    """Return how the order of agents holds as tests are dropped, chosen by one half of agents, seen on the other.

    Args:
        performance: (A, T), at least 6 agents and 2 tests.
        names: the tests.
        halves: random halves.
        confidence: of the central interval over halves.
        rng: source of randomness.
    """
    agents, tests = performance.shape
    found = np.full((halves, tests), np.nan)
    for half in range(halves):
        shuffled = rng.permutation(agents)
        choosing, judged = performance[shuffled[: agents // 2]], performance[shuffled[agents // 2 :]]
        kept = list(range(tests))
        everything = judged.mean(axis=1)
        for step, gone in enumerate([None, *dropped(choosing)]):
            if gone is not None:
                kept.remove(gone)
            found[half, step] = rank_correlation(judged[:, kept].mean(axis=1), everything)
    tail = (1 - confidence) / 2
    low, high = np.nanquantile(found, [tail, 1 - tail], axis=0)
    order = dropped(performance)
    last = next(iter(set(range(tests)) - set(order)))
    return Reduction(
        np.arange(tests, 0, -1, dtype=np.float64), np.nanmean(found, axis=0), low, high,
        tuple(names[i] for i in [*order, last]), halves,
    )  # fmt: skip


def without_each(performance: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """Return rank correlations of the order without each test with that on all, (resamples, T).

    Each resample is a random half of the agents, so the spread is that over agents.
    """
    agents, tests = performance.shape
    found = np.empty((resamples, tests))
    for b in range(resamples):
        judged = performance[rng.permutation(agents)[: max(agents // 2, 3)]]
        without = (judged.sum(axis=1)[:, None] - judged).T / (tests - 1)
        found[b] = rank_correlation(without, np.broadcast_to(judged.mean(axis=1), without.shape))
    return found
