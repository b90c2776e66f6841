"""Episodes of a group in Lambda*, in blocks that can be cut anywhere.

Episode ``i`` of a test has a random stream for its world, which all kinds share, and one for each
kind's own decisions; both depend on (root seed, settings, i, kind) alone. So blocks may be computed in
any order, on any machine, and kinds are compared on the same worlds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from aiq import seeding
from aiq.records.estimate import Estimate
from aiq.stats import Z
from aiq.wings.collectives.equations import agents, q_learning
from aiq.wings.collectives.equations.environments import Bank, bank, draw_environment
from aiq.wings.collectives.equations.settings import Settings, kind_code
from aiq.wings.collectives.equations.world import Array, Grid, Rules, World, compiled, grid, rules, seeded, spread
from aiq.wings.collectives.records import ComplexityScore, EpisodeBlock, EpisodeTrace, GroupIntelligence

WORLD = 1_000
"""Number of the random stream of the world, apart from those of the kinds."""

STIGMERGY, AUCTION, IMITATION, SARSA, SHARED_Q, SHARED_SARSA = map(
    kind_code, ("stigmergy", "auction", "imitation", "sarsa", "shared_q", "shared_sarsa")
)


@compiled
def draw_world(place: Grid, world: World, rules: Rules, patterns: Bank, moves: Array, seed: Any, episode: int) -> int:
    """Draw the world of the numbered episode of a test's seed; return its complexity K."""
    stream = np.zeros(1, dtype=np.uint64)
    seeded(stream, seed, episode, WORLD)
    level, _ = draw_environment(place, world, rules, patterns, moves, episode, stream)
    return level


@compiled
def _play(
    kind: int,
    place: Grid,
    world: World,
    rules: Rules,
    tab: q_learning.Tables,
    fakes: Array,
    oracle: Array,
    path: Array,
    drift: int,
    stream: Array,
) -> None:
    path[0] = world.start[:-1]
    oracle[0] = world.start[-1]
    if kind in (agents.RANDOM, agents.LOCAL_SEARCH, agents.ORACLE):
        agents.play_alone(kind, place, world, path, drift, stream)
    elif kind == STIGMERGY:
        agents.play_stigmergy(place, world, path, rules.stigmergy_discount, rules.stigmergy_keeps, fakes, stream)
    elif kind == AUCTION:
        agents.play_auction(place, world, path, rules.auction_keeps, stream)
    elif kind == IMITATION:
        agents.play_imitation(place, world, path, oracle, drift, rules.program, stream)
    else:
        shared = kind in (SHARED_Q, SHARED_SARSA)
        sarsa = kind in (SARSA, SHARED_SARSA)
        size = 0 if shared else path.shape[0] * place.neighbours.shape[0]
        q_learning.train(place, world, tab, size, rules.passes, rules.exploration, sarsa, rules.program, stream)
        q_learning.play_greedy(place, tab, size, path, stream)
        q_learning.clear(tab)


@compiled
def _score(rewards: Array, path: Array) -> Any:
    total = 0.0
    steps, agents = path.shape
    for t in range(1, steps):
        for j in range(agents):
            total += rewards[t, path[t, j]]
    return total / ((steps - 1) * agents)


@compiled
def _block(
    codes: Array,
    place: Grid,
    world: World,
    rules: Rules,
    patterns: Bank,
    tab: q_learning.Tables,
    fakes: Array,
    oracle: Array,
    path: Array,
    seed: Any,
    first: int,
    scores: Array,
    complexities: Array,
) -> None:
    """Fill ``scores`` (kinds, episodes) and ``complexities`` (episodes,) from episode ``first`` on.

    ``path`` and ``oracle`` keep the last kind's last episode; the rewards stay marked for that episode.
    """
    stream = np.zeros(1, dtype=np.uint64)
    moves = np.zeros((2, world.good.size - 1), dtype=np.int64)
    for i in range(complexities.size):
        if i > 0:
            spread(place, world, -1.0, rules.program)
        seeded(stream, seed, first + i, WORLD)
        complexities[i], drift = draw_environment(place, world, rules, patterns, moves, first + i, stream)
        spread(place, world, 1.0, rules.program)
        if not rules.intercepts:
            drift = -1
        for k in range(codes.size):
            seeded(stream, seed, first + i, codes[k])
            _play(codes[k], place, world, rules, tab, fakes, oracle, path, drift, stream)
            scores[k, i] = _score(world.rewards, path)


def episodes_seed(settings: Settings, root: int) -> np.uint64:
    """Return the seed of all episodes of a test: stream ``WORLD`` of (seed, episode) draws the episode's world."""
    words = (settings.rows, settings.columns, settings.steps, settings.agents, settings.pattern, settings.start)
    return np.uint64(seeding.integer(root, "collectives", "episodes", *words))


def _run(
    kinds: Sequence[str], settings: Settings, root: int, first: int, count: int
) -> tuple[Array, Array, World, Array, Array]:
    codes = np.array([kind_code(kind) for kind in kinds], dtype=np.int64)
    learns = any(kind.removeprefix("shared_") in ("q", "q_learning", "sarsa") for kind in kinds)
    tables = q_learning.tables(settings if learns else replace(settings, rows=3, columns=3, steps=2))
    times = settings.steps + 1
    good, evil = np.zeros((2, times), dtype=np.int64)
    rewards = np.zeros((times, settings.cells), dtype=np.float32)
    world = World(good, evil, rewards, np.zeros(settings.agents + 1, dtype=np.int64))
    path, oracle = np.zeros((times, settings.agents), dtype=np.int64), np.zeros(times, dtype=np.int64)
    scores, complexities = np.zeros((codes.size, count)), np.zeros(count, dtype=np.int64)
    _block(
        codes, grid(settings.rows, settings.columns), world, rules(settings), bank(settings.steps, root), tables,
        np.zeros(settings.cells), oracle, path, episodes_seed(settings, root), first, scores, complexities,
    )  # fmt: skip
    return scores, complexities, world, path, oracle


def simulate(kinds: Sequence[str], settings: Settings, root: int, first: int, count: int) -> tuple[EpisodeBlock, ...]:
    """Return the scores of ``count`` episodes from ``first`` on for each kind, the same whichever others are run."""
    scores, complexities, *_ = _run(kinds, settings, root, first, count)
    stratified = settings.pattern == "segment"
    return tuple(
        EpisodeBlock(kind, repr(settings), settings.rows, settings.columns, root, first, row, complexities, stratified)
        for kind, row in zip(kinds, scores, strict=True)
    )


def trace_episode(kind: str, settings: Settings, root: int, episode: int) -> EpisodeTrace:
    """Return the course of one episode of one kind, the same that ``simulate`` scores."""
    _, complexities, world, path, oracle = _run([kind], settings, root, episode, 1)
    rewards = np.take_along_axis(world.rewards, path, axis=1)[1:].astype(np.float64)
    guide, level = oracle if kind == "imitation" else None, int(complexities[0])
    return EpisodeTrace(kind, settings.rows, settings.columns, level, world.good, world.evil, path, rewards, guide)


# ---- from blocks to Υ against H, scores against K and differences between kinds --------------------


def uncertainty(rows: int, columns: int) -> float:
    """Return H = log₂(mn(mn − 1)) in bits, the entropy of where Good and Evil are (Chmait et al. 2015).

    Raises:
        InputError: a side is below 3.
    """
    return math.log2(rows * columns * (rows * columns - 1))


def merge(blocks: Sequence[EpisodeBlock]) -> EpisodeBlock:
    """Return the blocks of one kind in one test as one, in the order of episodes, however they were cut.

    Raises:
        InputError: no blocks, blocks of different tests or kinds, or episodes missing or doubled.
    """
    ordered = sorted(blocks, key=lambda block: block.first)
    scores = np.concatenate([block.scores for block in ordered])
    complexities = np.concatenate([block.complexities for block in ordered])
    return replace(ordered[0], scores=scores, complexities=complexities)


def _symmetric(value: float, half: float | None, n: int, method: str) -> Estimate:
    interval = None if half is None else (value - half, value + half)
    return Estimate(value, interval, int(n), method)


def _mean(scores: Array, method: str) -> Estimate:
    half = Z * float(scores.std(ddof=1)) / math.sqrt(scores.size) if scores.size > 1 else None
    return _symmetric(float(scores.mean()), half, scores.size, method)


def _estimate(block: EpisodeBlock, scores: Array) -> Estimate:
    """Return the mean of the scores; where K was assigned in turn, of the means over each K, all of the same weight."""
    if not block.stratified:
        return _mean(scores, "mean over episodes, normal interval")
    groups = [scores[block.complexities == level] for level in np.unique(block.complexities)]
    mean = float(np.mean([group.mean() for group in groups]))
    method = f"mean over {len(groups)} complexities K of equal weight, normal interval over episodes within K"
    if min(group.size for group in groups) < 2:
        return _symmetric(mean, None, scores.size, method + " (too few episodes for one)")
    half = Z * math.sqrt(sum(group.var(ddof=1) / group.size for group in groups)) / len(groups)
    return _symmetric(mean, half, scores.size, method)


def intelligence(blocks: Sequence[EpisodeBlock]) -> GroupIntelligence:
    """Return Υ of a kind (Definition 2): the mean score over environments drawn uniformly over K.

    The variation is the coefficient of variation of the estimate, its standard error by |Υ| (infinite
    at Υ = 0, NaN where no error can be given).
    """
    block = merge(blocks)
    estimate = _estimate(block, block.scores)
    error = math.nan
    if estimate.interval is not None:
        error = (estimate.interval[1] - estimate.interval[0]) / (2 * Z)
    variation = error / abs(estimate.value) if estimate.value != 0 else math.inf
    height = uncertainty(block.rows, block.columns)
    return GroupIntelligence(block.kind, block.rows, block.columns, height, estimate, variation)


def difference(blocks: Sequence[EpisodeBlock], others: Sequence[EpisodeBlock]) -> Estimate:
    """Return Υ of one kind minus Υ of another on the same worlds; the pairing makes the interval narrow."""
    first, second = merge(blocks), merge(others)
    return _estimate(first, first.scores - second.scores)


def scores_by_complexity(blocks: Sequence[EpisodeBlock]) -> tuple[ComplexityScore, ...]:
    """Return the mean score of a kind for each complexity K, up to the next that occurs."""
    block = merge(blocks)
    levels = np.unique(block.complexities).tolist()
    rows = []
    for first, following in zip(levels, [*levels[1:], levels[-1] + 1], strict=True):
        scores = block.scores[block.complexities == first]
        estimate = _mean(scores, "mean over episodes of these K, normal interval")
        rows.append(ComplexityScore(block.kind, first, following - 1, estimate))
    return tuple(rows)
