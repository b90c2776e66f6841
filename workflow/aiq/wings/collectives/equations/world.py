"""The Lambda* torus: moves, the objects' trajectories, the rewards they spread, and patterns of moves.

Cells are numbered row × columns + column. Nothing here depends on the agents: Good and Evil move
alike whoever is examined, so all kinds of groups meet the same worlds.

A pattern is a segment of 1 … ⌊ϑ/2⌋ moves repeated to ϑ moves; its complexity K is the number of LZ76 phrases of the
repeated moves, so at least 2. Segments are proposed with uniform length and uniform moves and sorted by K into a bank
with the same number of segments for every K.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from aiq import seeding
from aiq.wings.collectives.equations import PATTERNS, Array, Settings, below, bit_places, bits, compiled, one_of, seeded

# ---- the torus -----------------------------------------------------------------------------------

STAY = 8
SHIFTS = ((0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0))
"""Row and column shift of each of the nine moves, in the order of ``MOVES``."""


class Grid(NamedTuple):
    """Fixed tables of a torus.

    ``row``, ``column`` (cells,) int64: place of each cell. ``neighbours`` (cells, 9) int32: cell reached by each move.
    ``moves`` (3, 3) int64: the move of a row and column step in {−1, 0, 1}, shifted by one. Also ``bit_places``.
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
    choices, counts = bit_places()
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
    """Return the cells of Good and Evil after a step: on a clash who ran, or one of two at random, keeps its cell."""
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
def roam(place: Grid, good_moves: Array, evil_moves: Array, good: Array, evil: Array, stream: Array) -> None:
    """Fill ``good`` and ``evil`` from their first cells; the moves are those of each iteration, (ϑ,)."""
    for t in range(good_moves.size):
        good[t + 1], evil[t + 1] = settle(
            good[t], evil[t], place.neighbours[good[t], good_moves[t]], place.neighbours[evil[t], evil_moves[t]], stream
        )


@compiled
def spread(place: Grid, world: World, sign: float, blind: bool) -> None:
    """Add ``sign`` times the rewards of both objects: ±1 on their cells, ±0.5 on the eight around them; −1 clears.

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


# ---- patterns by complexity ------------------------------------------------------------------------

MOVES = ("L", "R", "U", "D", "UL", "UR", "DL", "DR", "S")
"""The nine actions in the order of their codes: left, right, up, down, the diagonals, stay."""
SURVEY = 100_000
PER_LEVEL = 1_000
RARE = 0.001


@compiled
def phrases(symbols: Array, length: int) -> int:
    """Return the number of LZ76 phrases of the first ``length`` (at least 1) entries of ``symbols``.

    The exhaustive history of Lempel and Ziv (1976): each phrase is the shortest prefix of the rest that cannot be
    copied from what precedes its own last symbol (copies may overlap); a last phrase that ends with the sequence
    counts too.
    """
    count = 0
    start = 0
    while start < length:
        longest = 0
        for source in range(start):
            run = 0
            while start + run < length and symbols[source + run] == symbols[start + run]:
                run += 1
            if run > longest:
                longest = run
                if start + longest >= length:
                    return count + 1
        count += 1
        start += longest + 1
    return count


def complexity(sequence: Iterable[Hashable]) -> int:
    """Return K, the number of LZ76 phrases of ``sequence`` (at least one symbol of any kind, such as a move)."""
    codes: dict[Hashable, int] = {}
    symbols = np.array([codes.setdefault(symbol, len(codes)) for symbol in sequence], dtype=np.int64)
    return int(phrases(symbols, symbols.size))


class Bank(NamedTuple):
    """Segments by complexity.

    ``levels``: the K that are covered, (k,), ascending. ``segments``: moves, (k, per level, ⌊ϑ/2⌋),
    int8, valid up to ``lengths`` (k, per level). ``shares``: share of all proposals that had this K.
    """

    levels: Array
    segments: Array
    lengths: Array
    shares: Array


@compiled
def _propose(stream: Array, row: Array, repeated: Array, steps: int) -> tuple[int, int]:
    """Write a random segment into ``row``; return its length and its complexity."""
    length = 1 + below(stream, row.size)
    for t in range(length):
        row[t] = below(stream, 9)
    for t in range(steps):
        repeated[t] = row[t % length]
    return length, phrases(repeated, steps)


@compiled
def _survey(stream: Array, steps: int, proposals: int) -> Array:
    """Return how many of ``proposals`` random segments had each complexity, (steps + 1,)."""
    counts = np.zeros(steps + 1, dtype=np.int64)
    row = np.empty(steps // 2, dtype=np.int8)
    repeated = np.empty(steps, dtype=np.int8)
    for _ in range(proposals):
        _, level = _propose(stream, row, repeated, steps)
        counts[level] += 1
    return counts


@compiled
def _fill(stream: Array, steps: int, slots: Array, segments: Array, lengths: Array) -> None:
    """Fill ``segments`` and ``lengths`` of every level; ``slots`` maps K to its index or −1."""
    levels, per_level, longest = segments.shape
    filled = np.zeros(levels, dtype=np.int64)
    row = np.zeros(longest, dtype=np.int8)
    repeated = np.empty(steps, dtype=np.int8)
    complete = 0
    while complete < levels:
        length, level = _propose(stream, row, repeated, steps)
        slot = slots[level]
        if slot < 0 or filled[slot] == per_level:
            continue
        segments[slot, filled[slot]] = row
        lengths[slot, filled[slot]] = length
        filled[slot] += 1
        if filled[slot] == per_level:
            complete += 1


@lru_cache(maxsize=8)
def bank(steps: int, root: int) -> Bank:
    """Return the bank of segments for episodes of ``steps`` iterations under the root seed.

    Complexities that fewer than one in a thousand proposals reach are left out (for ϑ = 50: all above 18).
    """
    stream = np.zeros(1, dtype=np.uint64)
    seeded(stream, np.uint64(seeding.integer(root, "collectives", "patterns", steps)), 0, 0)
    counts = _survey(stream, steps, SURVEY)
    levels = np.flatnonzero(counts >= RARE * SURVEY).astype(np.int64)
    slots = np.full(steps + 1, -1, dtype=np.int64)
    slots[levels] = np.arange(levels.size)
    segments = np.zeros((levels.size, PER_LEVEL, steps // 2), dtype=np.int8)
    lengths = np.zeros((levels.size, PER_LEVEL), dtype=np.int64)
    _fill(stream, steps, slots, segments, lengths)
    return Bank(levels, segments, lengths, counts[levels] / SURVEY)


# ---- steps towards rewards and towards Good --------------------------------------------------------


@compiled
def best_cells(place: Grid, values: Array, cell: int) -> tuple[Any, int, bool]:
    """Return over the nine cells around ``cell`` the best value, the mask of moves to it, and whether any is not 0."""
    best = values[cell]
    mask = 1 << STAY
    informed = best != 0
    for move in range(STAY):
        value = values[place.neighbours[cell, move]]
        if value != 0:
            informed = True
        if value > best:
            best = value
            mask = 1 << move
        elif value == best:
            mask |= 1 << move
    return best, mask, informed


@compiled
def climb(place: Grid, values: Array, cell: int, stream: Array) -> Any:
    """Return the next cell of local search: a best of the nine cells where any value is not 0, else any of them."""
    _, mask, informed = best_cells(place, values, cell)
    if not informed:
        mask = 511
    return place.neighbours[cell, one_of(mask, bits(stream), place.choices, place.counts)]


@compiled
def _intercept(way: int, drift: int) -> int:
    """Return a step in {−1, 0, 1} towards an object ``way`` cells ahead that drifts by ``drift`` for ever."""
    if way * drift > 0 and abs(way) > 1:
        return -drift
    return min(max(way, -1), 1)


@compiled
def foresee(place: Grid, world: World, t: int, cell: int, drift: int) -> Any:
    """Return the oracle's next cell: one step nearer to the cell in which Good will be at t + 1.

    ``drift`` is the move that Good repeats for ever, or −1; where it carries Good away along an axis
    the oracle takes the other way round the torus on that axis until both meet.
    """
    target = world.good[t + 1]
    if drift < 0:
        return place.neighbours[cell, toward(place, cell, target)]
    centre = place.columns + 1
    to = place.neighbours[centre, drift]
    down = apart(place.row[cell], place.row[target], place.rows)
    right = apart(place.column[cell], place.column[target], place.columns)
    down = _intercept(down, place.row[to] - 1)
    right = _intercept(right, place.column[to] - 1)
    return place.neighbours[cell, place.moves[down + 1, right + 1]]
