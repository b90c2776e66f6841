"""Episodes of a group in Lambda*, in blocks that can be cut anywhere.

Episode ``i`` of a test has a random stream for its world, which all kinds share, and one for each
kind's own decisions; both depend on (root seed, settings, i, kind) alone. So blocks may be computed in
any order, on any machine, and kinds are compared on the same worlds.

An environment takes its complexity K in turn and then two segments, Good's and Evil's, uniformly from that K. It is
drawn from the stream of the episode's world and depends on neither the agents nor their kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from aiq import seeding
from aiq.wings.collectives import equations
from aiq.wings.collectives.equations import PATTERNS, Array, Settings, agents, below, compiled, kind_code, seeded
from aiq.wings.collectives.equations.world import Bank, Grid, Rules, World, bank, grid, phrases, roam, rules, spread

WALK, REPLAY = PATTERNS.index("walk"), PATTERNS.index("replay")


# ---- environments --------------------------------------------------------------------------------


@compiled
def _place(place: Grid, world: World, rules: Rules, stream: Array) -> None:
    """Draw the first cells: Good and Evil apart, agents and oracle anywhere or next to Good.

    In the public program an agent that starts anywhere has a cell of its own, and the oracle shares the last agent's.
    """
    cells = place.neighbours.shape[0]
    world.good[0] = below(stream, cells)
    world.evil[0] = (world.good[0] + 1 + below(stream, cells - 1)) % cells
    for j in range(world.start.size):
        if rules.near:
            world.start[j] = place.neighbours[world.good[0], below(stream, 8)]
        elif rules.program and j == world.start.size - 1:
            world.start[j] = world.start[j - 1]
        else:
            world.start[j] = below(stream, cells)
            while rules.program and np.any(world.start[:j] == world.start[j]):
                world.start[j] = below(stream, cells)


@compiled
def _segments(segments: Array, lengths: Array, moves: Array, stream: Array) -> int:
    """Write Good's and Evil's moves (2, ϑ) of one complexity; return the move Good repeats for ever, or −1."""
    drift = -1
    for which in range(2):
        index = below(stream, lengths.size)
        length = lengths[index]
        constant = True
        for t in range(moves.shape[1]):
            moves[which, t] = segments[index, t % length]
            constant = constant and moves[which, t] == moves[which, 0]
        if which == 0 and constant:
            drift = moves[0, 0]
    return drift


@compiled
def _walk_and_back(place: Grid, world: World, stream: Array) -> None:
    """Write Good's random walk, replayed back and forth, and Evil's, the same walk from another cell."""
    steps = world.good.size - 1
    length = 1 + below(stream, steps // 2)
    walk = np.empty(length, dtype=np.int64)
    for t in range(length):
        walk[t] = below(stream, 9)
    for t in range(steps):
        turn = t % (2 * length)
        if turn < length:
            move, sign = walk[turn], 1
        else:
            move, sign = walk[2 * length - 1 - turn], -1
        for cells in (world.good, world.evil):
            centre = place.columns + 1
            to = place.neighbours[centre, move]
            down, right = sign * (to // place.columns - 1), sign * (to % place.columns - 1)
            row = (cells[t] // place.columns + down) % place.rows
            column = (cells[t] % place.columns + right) % place.columns
            cells[t + 1] = row * place.columns + column


@compiled
def _replay(place: Grid, world: World, stream: Array) -> int:
    """Write the cells of the public program's walk, forwards and backwards in turn; return the K of the walk."""
    cells = place.neighbours.shape[0]
    listed = np.empty(place.columns + below(stream, place.columns), dtype=np.int64)
    cell = below(stream, cells)
    for k in range(listed.size):
        cell = np.int64(place.neighbours[cell, below(stream, 9)])
        listed[k] = cell
    for t in range(world.good.size):
        turn = t % (2 * listed.size)
        world.good[t] = listed[min(turn, 2 * listed.size - 1 - turn)]
        world.evil[t] = (world.good[t] + cells // 3 + 1) % cells
    return phrases(listed, listed.size)


@compiled
def draw_environment(
    place: Grid, world: World, rules: Rules, patterns: Bank, moves: Array, episode: int, stream: Array
) -> tuple[int, int]:
    """Draw the world of an episode; return K and the move that Good repeats for ever, or −1 (``moves``: scratch)."""
    if rules.pattern == REPLAY:
        level = _replay(place, world, stream)
        first, other = world.good[0], world.evil[0]
        _place(place, world, rules, stream)
        world.good[0], world.evil[0] = first, other
        return level, -1
    _place(place, world, rules, stream)
    if rules.pattern == WALK:
        _walk_and_back(place, world, stream)
        return phrases(world.good[1:], world.good.size - 1), -1
    level = episode % patterns.levels.size
    drift = _segments(patterns.segments[level], patterns.lengths[level], moves, stream)
    roam(place, moves[0], moves[1], world.good, world.evil, stream)
    return patterns.levels[level], drift


# ---- episodes --------------------------------------------------------------------------------------

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
    kind: int, place: Grid, world: World, rules: Rules, tab: agents.Tables, fakes: Array, oracle: Array, path: Array,
    drift: int, stream: Array,
) -> None:  # fmt: skip
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
        agents.train(place, world, tab, size, rules.passes, rules.exploration, sarsa, rules.program, stream)
        agents.play_greedy(place, tab, size, path, stream)
        agents.clear(tab)


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
    codes: Array, place: Grid, world: World, rules: Rules, patterns: Bank, tab: agents.Tables, fakes: Array,
    oracle: Array, path: Array, seed: Any, first: int, scores: Array, complexities: Array,
) -> None:  # fmt: skip
    """Fill ``scores`` (kinds, episodes) and ``complexities`` from episode ``first`` on; the last course stays."""
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
    tables = agents.tables(settings if learns else replace(settings, rows=3, columns=3, steps=2))
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


def simulate(
    kinds: Sequence[str], settings: Settings, root: int, first: int, count: int
) -> tuple[equations.EpisodeBlock, ...]:
    """Return the scores of ``count`` episodes from ``first`` on for each kind, the same whichever others are run."""
    scores, complexities, *_ = _run(kinds, settings, root, first, count)
    stratified = settings.pattern == "segment"
    return tuple(
        equations.EpisodeBlock(
            kind, repr(settings), settings.rows, settings.columns, root, first, row, complexities, stratified
        )
        for kind, row in zip(kinds, scores, strict=True)
    )


def trace_episode(kind: str, settings: Settings, root: int, episode: int) -> equations.EpisodeTrace:
    """Return the course of one episode of one kind, the same that ``simulate`` scores."""
    _, complexities, world, path, oracle = _run([kind], settings, root, episode, 1)
    rewards = np.take_along_axis(world.rewards, path, axis=1)[1:].astype(np.float64)
    guide, level = oracle if kind == "imitation" else None, int(complexities[0])
    return equations.EpisodeTrace(
        kind, settings.rows, settings.columns, level, world.good, world.evil, path, rewards, guide
    )
