"""How many tests are enough: which can go, by which few a new agent is placed, what differences a suite can detect.

Tests are chosen by some agents and judged on others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import optimize
from scipy.stats import rankdata

from aiq.records.estimate import Floats
from aiq.records.suite_report import Anchors, Detectable, Needed, Reduction
from aiq.suites.leaderboard import Leaderboard
from aiq.suites.paired import SAME, needed_exact, smallest, smallest_exact
from aiq.suites.relations import levelled

Integers = npt.NDArray[np.int64]

PAIRS = 20_000  # pairs of agents whose verdicts are followed, drawn at random where there are more
TOLD = 2.0  # standard errors by which a pair differs on the whole suite whose order is followed
KEPT = 0.95  # share of the verdicts that fewer tests must keep
PARTS = 5  # of the agents: each is placed by anchors that the others chose
GREED, SHRINKAGE = 3.0, 3.0  # ridges, in variances of a test: of the choice of anchors, and of their weights


def rank_correlation(first: Floats, second: Floats) -> Floats:
    """Return Spearman's correlation along the last axis, ties by mean ranks; NaN where one side is constant."""
    a, b = (rankdata(x, axis=-1) for x in (first, second))
    a = a - a.mean(axis=-1, keepdims=True)
    b = b - b.mean(axis=-1, keepdims=True)
    scale = np.sqrt((a**2).sum(axis=-1) * (b**2).sum(axis=-1))
    products = (a * b).sum(axis=-1)
    return np.asarray(np.divide(products, scale, out=np.full_like(products, np.nan), where=scale > 0))


def dropped(scores: Floats) -> list[int]:
    """Return all tests in the order in which they are dropped: each time the one that the sum of all misses least.

    What is looked at is the correlation, over agents, of the sum of the tests that are kept with the sum of all.
    ``scores``: levelled, of the agents that choose, (A, T).
    """
    covariance = scores.T @ scores
    with_all = covariance.sum(axis=1)
    kept = np.ones(scores.shape[1], dtype=bool)
    own = shared = float(covariance.sum())
    with_kept, order = with_all.copy(), []
    for _ in range(scores.shape[1] - 1):
        variance = own - 2 * with_kept + np.diag(covariance)
        usable = kept & (variance > 1e-12 * max(own, 1e-300))
        quality = np.where(usable, (shared - with_all) / np.sqrt(np.maximum(variance, 1e-300)), -np.inf)
        gone = int(quality.argmax()) if usable.any() else int(kept.argmax())
        own, shared = float(max(variance[gone], 0.0)), shared - float(with_all[gone])
        with_kept = with_kept - covariance[gone]
        kept[gone] = False
        order.append(gone)
    return [*order, int(kept.argmax())]


def reduce(
    scores: Floats, board: Leaderboard, names: Sequence[str], halves: int, confidence: float, rng: np.random.Generator
) -> tuple[Reduction, Floats]:
    """Return how order and verdicts hold as tests are dropped, chosen by one half of the agents, seen on the other.

    Of ``scores`` (A, T), NaN where missing. With it rank correlations of the order without each test with that on all,
    (halves, T).
    """
    level, there = levelled(scores), ~np.isnan(scores)
    agents, tests = scores.shape
    orders, verdicts, without = (np.full((halves, tests), np.nan) for _ in range(3))
    for half in range(halves):
        shuffled = rng.permutation(agents)
        judged = shuffled[agents // 2 :]
        sequence = np.array(dropped(level[shuffled[: agents // 2]]))[::-1]
        mine, have = level[np.ix_(judged, sequence)], there[np.ix_(judged, sequence)]
        means = (np.cumsum(mine, axis=1) / np.maximum(np.cumsum(have, axis=1), 1))[:, ::-1].T
        orders[half] = rank_correlation(means, np.broadcast_to(means[0], means.shape))
        verdicts[half] = _verdicts(means, board, judged, rng)
        others = np.maximum(there[judged].sum(axis=1)[:, None] - there[judged], 1)
        rest = (level[judged].sum(axis=1)[:, None] - level[judged]) / others
        without[half] = rank_correlation(rest.T, np.broadcast_to(means[0], rest.T.shape))
    tail = (1 - confidence) / 2
    mean, low, high = _over_halves(orders, [tail, 1 - tail])
    share, least = _over_halves(verdicts, [tail])
    kept = np.arange(tests, 0, -1, dtype=np.float64)
    enough = int(kept[least >= KEPT].min()) if (least >= KEPT).any() else None
    order = tuple(names[test] for test in dropped(level))
    return Reduction(kept, mean, low, high, share, least, enough, order, halves), without


def _over_halves(values: Floats, quantiles: Sequence[float]) -> Floats:
    """Return the mean and some quantiles over halves, (halves, T) to (1 + Q, T); NaN where no half has a value."""
    valued = ~np.isnan(values).all(axis=0)
    summaries = np.full((1 + len(quantiles), values.shape[1]), np.nan)
    if valued.any():
        summaries[0, valued] = np.nanmean(values[:, valued], axis=0)
        summaries[1:, valued] = np.nanquantile(values[:, valued], quantiles, axis=0)
    return summaries


def _verdicts(means: Floats, board: Leaderboard, judged: Integers, rng: np.random.Generator) -> Floats:
    """Return, for each number of tests, the share of pairs that differ on all tests whose order is still that."""
    if judged.size * (judged.size - 1) // 2 > PAIRS:
        i = rng.integers(judged.size, size=PAIRS)
        j = (i + 1 + rng.integers(judged.size - 1, size=PAIRS)) % judged.size
    else:
        i, j = np.triu_indices(judged.size, 1)
    a, b = judged[i], judged[j]
    apart = board.value[a] - board.value[b]
    error = np.sqrt(((board.influence[a] - board.influence[b]) ** 2).sum(axis=1))
    sure = (np.abs(apart) > TOLD * error) & (np.abs(apart) > 1e-12)
    if not sure.any():
        return np.full(len(means), np.nan)
    i, j, sign = i[sure], j[sure], np.sign(apart[sure])
    return np.array([((mean[i] - mean[j]) * sign > 0).mean() for mean in means])


def anchors(
    scores: Floats, names: Sequence[str], sizes: Sequence[int], confidence: float, rng: np.random.Generator
) -> tuple[Anchors, ...]:
    """Return few tests by which a new agent's mean on all is told, and how far off that is for agents left out.

    Anchors are chosen one by one, each the one that leaves least of the agents' means unexplained; their weights are
    those of a ridge regression drawn towards equal weights. On Terminal-Bench they were compared with random tests
    and with clustering of tests (Polo et al. 2024, tinyBenchmarks). ``scores``: (A, T) without missing cells.
    """
    agents = len(scores)
    part = rng.permutation(agents) % PARTS
    truth, selections = scores.mean(axis=1), []
    for size in sizes:
        missed, random = np.empty(agents), np.empty(agents)
        for fold in range(PARTS):
            left = part == fold
            chosen = choose(scores[~left], size)
            weights, start = weigh(scores[~left], chosen)
            missed[left] = start + scores[np.ix_(left, chosen)] @ weights - truth[left]
            drawn = rng.permutation(scores.shape[1])[:size]
            random[left] = scores[np.ix_(left, drawn)].mean(axis=1) - truth[left]
        chosen = choose(scores, size)
        weights, start = weigh(scores, chosen)
        selections.append(
            Anchors(
                tuple(names[i] for i in chosen), tuple(weights.tolist()), start, float(np.sqrt((missed**2).mean())),
                float(np.quantile(np.abs(missed), confidence)), float(np.sqrt((random**2).mean())), agents,
            )
        )  # fmt: skip
    return tuple(selections)


def choose(scores: Floats, size: int) -> list[int]:
    """Return anchors, most telling first: orthogonal least squares with a ridge."""
    ridge = GREED * float(scores.var(axis=0).mean())
    left = scores.mean(axis=1) - scores.mean()
    rest = scores - scores.mean(axis=0)
    chosen: list[int] = []
    for _ in range(size):
        square = (rest**2).sum(axis=0)
        gain = (rest.T @ left) ** 2 / np.maximum(square + ridge, 1e-300)
        gain[chosen] = -1.0
        best = int(gain.argmax())
        direction = rest[:, best] / np.sqrt(max(float(square[best]) + ridge, 1e-300))
        left = left - direction * float(direction @ left)
        rest = rest - np.outer(direction, direction @ rest)
        chosen.append(best)
    return chosen


def weigh(scores: Floats, chosen: Sequence[int]) -> tuple[Floats, float]:
    """Return weights of anchors and what is added, for the mean on all tests."""
    x, y = scores[:, chosen], scores.mean(axis=1)
    centred, equal = x - x.mean(axis=0), 1 / len(chosen)
    ridge = max(SHRINKAGE * float(scores.var(axis=0).mean()), 1e-12)
    left = (y - y.mean()) - centred.sum(axis=1) * equal
    weights = equal + np.linalg.solve(centred.T @ centred + ridge * np.eye(len(chosen)), centred.T @ left)
    return weights, float(y.mean() - x.mean(axis=0) @ weights)


def detectable(
    board: Leaderboard, noise: Floats, tests: int, power: float, alpha: float, exact: bool = False
) -> Detectable:
    """Return the smallest difference found by Student's or the exact test; ``noise`` (A, T): of cells over runs."""
    error, df = typical_error(board), float(np.median(board.degrees))
    over_tests = None
    if df > 0 and error > SAME:
        over_tests = smallest_exact(error, tests, power, alpha) if exact else smallest(error, df, power, alpha)
    again = float(noise.sum(axis=1).mean() * 2)
    runs = smallest(math.sqrt(again) / tests, math.inf, power, alpha) if again > 0 else None
    return Detectable(over_tests, runs, error * math.sqrt(tests), tests, board.clusters, len(board.value), power, alpha)


def typical_error(board: Leaderboard) -> float:
    """Return the standard error of the difference of two agents, pooled over all pairs."""
    psi = board.influence - board.influence.mean(axis=0)
    return math.sqrt(2 * float((psi**2).sum()) / max(len(psi) - 1, 1))


def needed(
    board: Leaderboard, tests: int, sizes: Sequence[float], power: float, alpha: float, exact: bool = False
) -> tuple[Needed, ...]:
    """Return how many tests like these, clusters as large, find differences of some sizes; none without an error."""
    error, df = typical_error(board), float(np.median(board.degrees))
    if not (df > 0 and error > SAME):
        return ()
    if exact:
        return tuple(Needed(size, needed_exact(error**2 * tests, size, power, alpha)) for size in sizes)
    return tuple(Needed(size, _count(error, df, tests, size, power, alpha)) for size in sizes)


def _count(error: float, df: float, tests: int, size: float, power: float, alpha: float) -> int:
    """Return the fewest tests that find a difference of that size, at least two."""

    def excess(logarithm: float) -> float:
        times = math.exp(logarithm)
        return smallest(error / math.sqrt(times), max((df + 1) * times - 1, 1.0), power, alpha) - size

    least, most = math.log(2 / tests), math.log(1e12)
    if excess(least) <= 0:
        return 2
    times = math.exp(float(optimize.brentq(excess, least, most)))
    return max(2, math.ceil(tests * times - 1e-6))
