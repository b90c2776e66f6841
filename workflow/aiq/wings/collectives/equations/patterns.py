"""Movement patterns of Good and Evil, drawn uniformly over their complexity K.

A pattern is a segment of 1 … ⌊ϑ/2⌋ moves repeated to ϑ moves; its complexity is the number of LZ76
phrases of the repeated moves, so at least 2. Segments are proposed with uniform length and uniform
moves and sorted by K into a bank with the same number of segments for every K; an environment takes
its K in turn and then two segments, Good's and Evil's, uniformly from that K.

Complexity of a sequence as the number of phrases of its exhaustive history (Lempel and Ziv 1976).

Each phrase is the shortest prefix of the rest that cannot be copied from what precedes its own last
symbol (copies may overlap); a last phrase that ends with the sequence counts too.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from aiq import seeding
from aiq.errors import InputError
from aiq.wings.collectives.equations.compiled import Array, below, compiled, seeded

# ---- Complexity of a sequence as the number of phrases of its exhaustive history (Lempel and -----


@compiled
def phrases(symbols: Array, length: int) -> int:
    """Return the number of LZ76 phrases of the first ``length`` (at least 1) entries of ``symbols``."""
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
    """Return K, the number of LZ76 phrases of ``sequence`` (any symbols, such as a string of moves).

    Raises:
        InputError: the sequence is empty.
    """
    codes: dict[Hashable, int] = {}
    symbols = np.array([codes.setdefault(symbol, len(codes)) for symbol in sequence], dtype=np.int64)
    if symbols.size == 0:
        raise InputError("a movement pattern has length 0; it needs at least one move, so give one or more symbols")
    return int(phrases(symbols, symbols.size))


# ---- Movement patterns of Good and Evil, drawn uniformly over their complexity K -----------------


MOVES = ("L", "R", "U", "D", "UL", "UR", "DL", "DR", "S")
"""The nine actions in the order of their codes: left, right, up, down, the diagonals, stay."""

SURVEY = 100_000
PER_LEVEL = 1_000
RARE = 0.001


@dataclass(frozen=True, slots=True)
class Bank:
    """Segments by complexity.

    ``levels``: the K that are covered, (k,), ascending. ``segments``: moves, (k, per level, ⌊ϑ/2⌋),
    int8, valid up to ``lengths`` (k, per level). ``shares``: share of all proposals that had this K.
    """

    steps: int
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
    return Bank(steps, levels, segments, lengths, counts[levels] / SURVEY)
