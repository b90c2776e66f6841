"""The Lambda* torus: moves, the objects' trajectories and the rewards they spread.

Cells are numbered row × columns + column. Nothing here depends on the agents: Good and Evil move
alike whoever is examined, so all kinds of groups meet the same worlds.

Compiled code (see `aiq.compilation`) draws from SplitMix64 (Steele, Lea, Flood 2014): the state is one 64-bit word in
an array of length one, so every episode and every kind of agent starts a stream of its own from a mixed key, and a
result does not depend on which episodes ran before it.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from aiq.compilation import Compiler
from aiq.wings.collectives.equations.settings import PATTERNS, Settings

# ---- compilation and random streams --------------------------------------------------------------

Array = npt.NDArray[Any]
compiled = Compiler(Path(__file__).parent)
"""Compiles a function to machine code that is kept on disk and divides as numpy does."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@compiled
def mix(word: Any) -> Any:
    """Return the 64-bit finaliser of SplitMix64 applied to an unsigned 64-bit ``word``."""
    z = (word ^ (word >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    return z ^ (z >> _31)


@compiled
def seeded(stream: Array, seed: Any, first: int, second: int) -> None:
    """Set ``stream`` to the start of the stream of the key (seed, first, second)."""
    inner = mix(seed + GOLDEN * np.uint64(first + 1))
    stream[0] = mix(inner + GOLDEN * np.uint64(second + 1))


@compiled
def bits(stream: Array) -> Any:
    """Advance ``stream`` and return 64 random bits."""
    stream[0] = stream[0] + GOLDEN
    return mix(stream[0])


@compiled
def below(stream: Array, bound: int) -> Any:
    """Return a uniform integer in [0, bound), bound < 2**32 (relative bias below bound / 2**32)."""
    return np.int64(((bits(stream) >> _32) * np.uint64(bound)) >> _32)


@compiled
def one_of(mask: int, word: Any, choices: Array, counts: Array) -> Any:
    """Return a uniform position among the set bits of ``mask`` (1 … 511), by the upper 32 bits of ``word``."""
    return np.int64(choices[mask, np.int64(((word >> _32) * counts[mask]) >> _32)])


def bit_choices() -> tuple[Array, Array]:
    """Return for each 9-bit mask the positions of its set bits (512, 9), int8, and their number (512,), uint64."""
    choices = np.zeros((512, 9), dtype=np.int8)
    counts = np.zeros(512, dtype=np.uint64)
    for mask in range(512):
        positions = [k for k in range(9) if mask >> k & 1]
        choices[mask, : len(positions)] = positions
        counts[mask] = len(positions)
    return choices, counts


# ---- the torus -----------------------------------------------------------------------------------


STAY = 8
SHIFTS = ((0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0))
"""Row and column shift of each of the nine moves, in the order of ``environments.MOVES``."""


class Grid(NamedTuple):
    """Fixed tables of a torus.

    ``row``, ``column`` (cells,) int64: place of each cell. ``neighbours`` (cells, 9) int32: cell reached by
    each move. ``moves`` (3, 3) int64: the move of a row and column step in {−1, 0, 1}, both shifted by one.
    ``choices``, ``counts``: see ``bit_choices``.
    """

    rows: int
    columns: int
    row: Array
    column: Array
    neighbours: Array
    moves: Array
    choices: Array
    counts: Array


class World(NamedTuple):
    """One environment of an episode of ϑ iterations.

    ``good``, ``evil`` (ϑ + 1,) int64: cells over time. ``rewards`` (ϑ + 1, cells) float32: reward an
    agent gets in a cell. ``start`` (agents + 1,) int64: first cells; the last is the unscored oracle's.
    """

    good: Array
    evil: Array
    rewards: Array
    start: Array


class Rules(NamedTuple):
    """What compiled code reads of a test's ``Settings``, whose attributes these are; ``pattern``: its place."""

    pattern: int
    near: bool
    program: bool
    intercepts: bool
    stigmergy_discount: float
    stigmergy_keeps: bool
    auction_keeps: bool
    passes: int
    exploration: float


def rules(settings: Settings) -> Rules:
    """Return the rules of a test."""
    s = settings
    return Rules(
        PATTERNS.index(s.pattern), s.start == "near_good", s.program, s.oracle_intercepts, float(s.stigmergy_discount),
        s.stigmergy_keeps, s.auction_keeps, s.learning.passes, float(s.learning.exploration),
    )  # fmt: skip


@lru_cache(maxsize=32)
def grid(rows: int, columns: int) -> Grid:
    """Return the tables of a rows × columns torus (both at least 3)."""
    cells = np.arange(rows * columns)
    row, column = cells // columns, cells % columns
    shifts = np.array(SHIFTS)
    neighbours = ((row[:, None] + shifts[:, 0]) % rows) * columns + (column[:, None] + shifts[:, 1]) % columns
    moves = np.zeros((3, 3), dtype=np.int64)
    for move, (down, right) in enumerate(SHIFTS):
        moves[down + 1, right + 1] = move
    choices, counts = bit_choices()
    return Grid(rows, columns, row, column, neighbours.astype(np.int32), moves, choices, counts)


@compiled
def apart(source: int, target: int, length: int) -> int:
    """Return the signed shortest way from ``source`` to ``target`` (0 … length − 1), the positive one of two."""
    way = target - source
    if 2 * way > length:
        return way - length
    return way + length if 2 * way <= -length else way


@compiled
def toward(place: Grid, source: int, target: int) -> Any:
    """Return the move that brings ``source`` one Chebyshev step nearer to ``target``."""
    down = apart(place.row[source], place.row[target], place.rows)
    right = apart(place.column[source], place.column[target], place.columns)
    return place.moves[min(max(down, -1), 1) + 1, min(max(right, -1), 1) + 1]


@compiled
def settle(old_good: int, old_evil: int, new_good: int, new_evil: int, stream: Array) -> tuple[int, int]:
    """Return the cells of Good and Evil after a step: on a clash one of them, at random, keeps its cell.

    Where one of them stood still and the other ran into it, only the one that ran can keep its cell.
    """
    if new_good != new_evil:
        return new_good, new_evil
    if new_good == old_good:
        return new_good, old_evil
    if new_evil == old_evil:
        return old_good, new_evil
    if below(stream, 2) == 0:
        return old_good, new_evil
    return new_good, old_evil


@compiled
def move_objects(place: Grid, good_moves: Array, evil_moves: Array, good: Array, evil: Array, stream: Array) -> None:
    """Fill ``good`` and ``evil`` from their first cells; the moves are those of each iteration, (ϑ,)."""
    for t in range(good_moves.size):
        good[t + 1], evil[t + 1] = settle(
            good[t], evil[t], place.neighbours[good[t], good_moves[t]], place.neighbours[evil[t], evil_moves[t]], stream
        )


@compiled
def spread(place: Grid, world: World, sign: float, blind: bool) -> None:
    """Add ``sign`` times the rewards of both objects: ±1 on their cells, ±0.5 on the eight around them.

    Called with +1 to mark and with −1 to clear exactly what was marked (halves are exact in binary).
    ``blind``: before the first iteration both objects are in cell 0, where −0.5 is left of them.
    """
    half = np.float32(0.5 * sign)
    if blind:
        world.rewards[0, 0] -= half
    for t in range(1 if blind else 0, world.good.size):
        for k in range(9):
            world.rewards[t, place.neighbours[world.good[t], k]] += half
            world.rewards[t, place.neighbours[world.evil[t], k]] -= half
        world.rewards[t, world.good[t]] += half
        world.rewards[t, world.evil[t]] -= half
