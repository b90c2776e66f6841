"""Environments of episodes: first cells, and the patterns by which Good and Evil move, uniform over their complexity K.

A pattern is a segment of 1 … ⌊ϑ/2⌋ moves repeated to ϑ moves; its complexity is the number of LZ76
phrases of the repeated moves, so at least 2. Segments are proposed with uniform length and uniform
moves and sorted by K into a bank with the same number of segments for every K; an environment takes
its K in turn and then two segments, Good's and Evil's, uniformly from that K.

Everything is drawn from the stream of the episode's world and depends on neither the agents nor their kind.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from aiq import seeding
from aiq.wings.collectives.equations.settings import PATTERNS
from aiq.wings.collectives.equations.world import Array, Grid, Rules, World, below, compiled, move_objects, seeded

MOVES = ("L", "R", "U", "D", "UL", "UR", "DL", "DR", "S")
"""The nine actions in the order of their codes: left, right, up, down, the diagonals, stay."""
WALK, REPLAY = PATTERNS.index("walk"), PATTERNS.index("replay")
SURVEY = 100_000
PER_LEVEL = 1_000
RARE = 0.001


# ---- complexity ----------------------------------------------------------------------------------


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
    """Return K, the number of LZ76 phrases of ``sequence`` (at least one symbol of any kind, such as a move).

    Raises:
        InputError: the sequence is empty.
    """
    codes: dict[Hashable, int] = {}
    symbols = np.array([codes.setdefault(symbol, len(codes)) for symbol in sequence], dtype=np.int64)
    return int(phrases(symbols, symbols.size))


# ---- segments by complexity ----------------------------------------------------------------------


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

    Complexities that fewer than one in a thousand proposals reach are left out (for ϑ = 50: all
    above 18). The bank depends on its arguments alone.
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
    """Draw the world of an episode; return its complexity K and the move that Good repeats for ever, or −1.

    ``moves`` (2, ϑ) is scratch.
    """
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
    move_objects(place, moves[0], moves[1], world.good, world.evil, stream)
    return patterns.levels[level], drift
