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
from aiq.errors import InputError
from aiq.wings.collectives.equations import agents as single
from aiq.wings.collectives.equations import q_learning
from aiq.wings.collectives.equations.compiled import Array, compiled, seeded
from aiq.wings.collectives.equations.environments import draw_environment
from aiq.wings.collectives.equations.patterns import bank
from aiq.wings.collectives.equations.settings import KINDS, PATTERNS, Settings, kind_code
from aiq.wings.collectives.equations.world import Grid, World, grid, spread
from aiq.wings.collectives.records import EpisodeBlock, EpisodeTrace

WORLD = 1_000
"""Number of the random stream of the world, apart from those of the kinds."""

CODES = {kind: code for code, kind in enumerate(KINDS)}
RANDOM, LOCAL_SEARCH, ORACLE = CODES["random"], CODES["local_search"], CODES["oracle"]
STIGMERGY, AUCTION, IMITATION = CODES["stigmergy"], CODES["auction"], CODES["imitation"]
SARSA, SHARED_Q, SHARED_SARSA = CODES["sarsa"], CODES["shared_q"], CODES["shared_sarsa"]


@compiled
def _play(
    kind: int,
    place: Grid,
    world: World,
    tab: q_learning.Tables,
    fakes: Array,
    oracle: Array,
    path: Array,
    drift: int,
    options: Array,
    stream: Array,
) -> None:
    """Fill ``path`` (ϑ + 1, agents) for one kind; ``options`` (6,): see ``_options``."""
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
        single.play_stigmergy(place, world, path, options[0], options[1] > 0, fakes, stream)
    elif kind == AUCTION:
        single.play_auction(place, world, path, options[2] > 0, stream)
    elif kind == IMITATION:
        single.play_imitation(place, world, path, oracle, drift, options[5] > 0, stream)
    else:
        shared = kind in (SHARED_Q, SHARED_SARSA)
        sarsa = kind in (SARSA, SHARED_SARSA)
        size = 0 if shared else path.shape[0] * place.neighbours.shape[0]
        q_learning.train(place, world, tab, size, int(options[3]), options[4], sarsa, options[5] > 0, stream)
        q_learning.play_greedy(place, tab, size, path, stream)
        q_learning.clear(tab)


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
    tab: q_learning.Tables,
    fakes: Array,
    oracle: Array,
    path: Array,
    how: int,
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
    program = options[5] > 0
    for i in range(complexities.size):
        if i > 0:
            spread(place, world, -1.0, program)
        seeded(stream, seed, first + i, WORLD)
        complexities[i], drift = draw_environment(
            place, world, how, near, program, levels, segments, lengths, moves, first + i, stream
        )
        spread(place, world, 1.0, program)
        for k in range(codes.size):
            seeded(stream, seed, first + i, codes[k])
            _play(codes[k], place, world, tab, fakes, oracle, path, drift if intercepts else -1, options, stream)
            scores[k, i] = _score(world.rewards, path)


def _options(settings: Settings) -> Array:
    """Return γ of stigmergy, whether its fakes and the auction's bid are kept (0 or 1), passes, ε, ``program``."""
    learning = settings.learning
    numbers = (settings.stigmergy_discount, settings.stigmergy_keeps, settings.auction_keeps)
    return np.array([*numbers, learning.passes, learning.exploration, settings.program], dtype=np.float64)


def _empty_world(settings: Settings) -> World:
    cells = np.zeros((2, settings.steps + 1), dtype=np.int64)
    rewards = np.zeros((settings.steps + 1, settings.cells), dtype=np.float32)
    return World(cells[0], cells[1], rewards, np.zeros(settings.agents + 1, dtype=np.int64))


def episodes_seed(settings: Settings, root: int) -> np.uint64:
    """Return the seed of all episodes of a test: stream ``WORLD`` of (seed, episode) draws the episode's world."""
    words = (settings.rows, settings.columns, settings.steps, settings.agents, settings.pattern, settings.start)
    return np.uint64(seeding.integer(root, "collectives", "episodes", *words))


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
    seed = episodes_seed(settings, root)
    scores = np.zeros((codes.size, count))
    complexities = np.zeros(count, dtype=np.int64)
    _block(
        codes,
        grid(settings.rows, settings.columns),
        world,
        q_learning.tables(size),
        np.zeros(settings.cells),
        oracle,
        path,
        PATTERNS.index(settings.pattern),
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
