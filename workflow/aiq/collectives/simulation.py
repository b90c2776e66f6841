"""Episodes of a group in Lambda*, in blocks that can be cut anywhere.

Episode ``i`` of a test has a random stream for its world, which all kinds share, and one for each
kind's own decisions; both depend on (root seed, settings, i, kind) alone. So blocks may be computed in
any order, on any machine, and kinds are compared on the same worlds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from aiq import seeding
from aiq.collectives import agents as single
from aiq.collectives import groups, learners
from aiq.collectives.compiled import Array, below, compiled, seeded
from aiq.collectives.lz76 import phrases
from aiq.collectives.patterns import bank
from aiq.collectives.settings import KINDS, Settings, kind_code
from aiq.collectives.world import Grid, World, grid, move_objects, spread
from aiq.errors import InputError
from aiq.records.collectives import EpisodeBlock, EpisodeTrace

WORLD = 1_000
"""Number of the random stream of the world, apart from those of the kinds."""

CODES = {kind: code for code, kind in enumerate(KINDS)}
RANDOM, LOCAL_SEARCH, ORACLE = CODES["random"], CODES["local_search"], CODES["oracle"]
STIGMERGY, AUCTION, IMITATION = CODES["stigmergy"], CODES["auction"], CODES["imitation"]
SARSA, SHARED_Q, SHARED_SARSA = CODES["sarsa"], CODES["shared_q"], CODES["shared_sarsa"]


@compiled
def _place(place: Grid, world: World, near: bool, stream: Array) -> None:
    """Draw the first cells: Good and Evil apart, agents and oracle anywhere or next to Good."""
    cells = place.neighbours.shape[0]
    world.good[0] = below(stream, cells)
    world.evil[0] = (world.good[0] + 1 + below(stream, cells - 1)) % cells
    for j in range(world.start.size):
        if near:
            world.start[j] = place.neighbours[world.good[0], below(stream, 8)]
        else:
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
def _prepare(
    place: Grid,
    world: World,
    walk: bool,
    near: bool,
    levels: Array,
    segments: Array,
    lengths: Array,
    moves: Array,
    episode: int,
    stream: Array,
) -> tuple[int, int]:
    """Draw the world of an episode; return its complexity K and the move that Good repeats for ever, or −1."""
    _place(place, world, near, stream)
    if walk:
        _walk_and_back(place, world, stream)
        return phrases(world.good[1:], world.good.size - 1), -1
    level = episode % levels.size
    drift = _segments(segments[level], lengths[level], moves, stream)
    move_objects(place, moves[0], moves[1], world.good, world.evil, stream)
    return levels[level], drift


@compiled
def _play(
    kind: int,
    place: Grid,
    world: World,
    tab: learners.Tables,
    fakes: Array,
    oracle: Array,
    path: Array,
    drift: int,
    options: Array,
    stream: Array,
) -> None:
    """Fill ``path`` (ϑ + 1, agents) for one kind; ``options`` (5,): see ``_options``."""
    agents = path.shape[1]
    path[0] = world.start[:agents]
    oracle[0] = world.start[agents]
    if kind == RANDOM:
        single.play_random(place, world, path, stream)
    elif kind == LOCAL_SEARCH:
        single.play_local_search(place, world, path, stream)
    elif kind == ORACLE:
        single.play_oracle(place, world, path, drift)
    elif kind == STIGMERGY:
        groups.play_stigmergy(place, world, path, options[0], options[1] > 0, fakes, stream)
    elif kind == AUCTION:
        groups.play_auction(place, world, path, options[2] > 0, stream)
    elif kind == IMITATION:
        groups.play_imitation(place, world, path, oracle, drift, stream)
    else:
        shared = kind in (SHARED_Q, SHARED_SARSA)
        sarsa = kind in (SARSA, SHARED_SARSA)
        size = 0 if shared else path.shape[0] * place.neighbours.shape[0]
        learners.train(place, world, tab, size, int(options[3]), options[4], sarsa, stream)
        learners.play_greedy(place, tab, size, path, stream)
        learners.clear(tab)


@compiled
def _score(rewards: Array, path: Array) -> Any:
    """Return the mean reward over agents and iterations (Definition 1)."""
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
    tab: learners.Tables,
    fakes: Array,
    oracle: Array,
    path: Array,
    walk: bool,
    near: bool,
    intercepts: bool,
    levels: Array,
    segments: Array,
    lengths: Array,
    options: Array,
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
            spread(place, world, -1.0)
        seeded(stream, seed, first + i, WORLD)
        complexities[i], drift = _prepare(place, world, walk, near, levels, segments, lengths, moves, first + i, stream)
        spread(place, world, 1.0)
        for k in range(codes.size):
            seeded(stream, seed, first + i, codes[k])
            _play(codes[k], place, world, tab, fakes, oracle, path, drift if intercepts else -1, options, stream)
            scores[k, i] = _score(world.rewards, path)


def _options(settings: Settings) -> Array:
    """Return γ of stigmergy, whether its fakes and the auction's bid are kept (0 or 1), passes and ε."""
    learning = settings.learning
    numbers = (settings.stigmergy_discount, settings.stigmergy_keeps, settings.auction_keeps)
    return np.array([*numbers, learning.passes, learning.exploration], dtype=np.float64)


def _empty_world(settings: Settings) -> World:
    """Return a world without marks for the settings."""
    cells = np.zeros((2, settings.steps + 1), dtype=np.int64)
    rewards = np.zeros((settings.steps + 1, settings.cells), dtype=np.float32)
    return World(cells[0], cells[1], rewards, np.zeros(settings.agents + 1, dtype=np.int64))


def _run(
    kinds: Sequence[str], settings: Settings, root: int, first: int, count: int
) -> tuple[Array, Array, World, Array, Array]:
    """Return scores (kinds, count), complexities (count,) and world, path and oracle of the last episode."""
    if count < 1 or first < 0:
        raise InputError(
            f"a block of {count} episodes from episode {first} cannot be run; give at least 1 episode and a first "
            "one of 0 or more"
        )
    codes = np.array([kind_code(kind) for kind in kinds], dtype=np.int64)
    learns = any(kind.removeprefix("shared_") in ("q", "q_learning", "sarsa") for kind in kinds)
    size = settings if learns else replace(settings, rows=3, columns=3, steps=2)
    patterns = bank(settings.steps, root)
    world = _empty_world(settings)
    path = np.zeros((settings.steps + 1, settings.agents), dtype=np.int64)
    oracle = np.zeros(settings.steps + 1, dtype=np.int64)
    words = (settings.rows, settings.columns, settings.steps, settings.agents, settings.pattern, settings.start)
    seed = np.uint64(seeding.integer(root, "collectives", "episodes", *words))
    scores = np.zeros((codes.size, count))
    complexities = np.zeros(count, dtype=np.int64)
    _block(
        codes,
        grid(settings.rows, settings.columns),
        world,
        learners.tables(size),
        np.zeros(settings.cells),
        oracle,
        path,
        settings.pattern == "walk",
        settings.start == "near_good",
        settings.oracle_intercepts,
        patterns.levels,
        patterns.segments,
        patterns.lengths,
        _options(settings),
        seed,
        first,
        scores,
        complexities,
    )
    return scores, complexities, world, path, oracle


def simulate(kinds: Sequence[str], settings: Settings, root: int, first: int, count: int) -> tuple[EpisodeBlock, ...]:
    """Return for each kind the scores of ``count`` episodes from episode ``first`` on.

    Args:
        kinds: kinds of groups, from ``KINDS``; each gives the same scores whichever others are run.
        settings: the test.
        root: root seed, a non-negative integer.
        first: number of the first episode, from 0.
        count: number of episodes, at least 1.

    Raises:
        InputError: an unknown kind, no kind, or no episodes.
    """
    if not kinds:
        raise InputError(f"no kinds of agents are named; name at least one of {', '.join(KINDS)}")
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
    guide = oracle if kind == "imitation" else None
    level = int(complexities[0])
    return EpisodeTrace(kind, settings.rows, settings.columns, level, world.good, world.evil, path, rewards, guide)
