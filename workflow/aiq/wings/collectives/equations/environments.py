"""Environments of episodes: first cells, and how Good and Evil move.

Everything is drawn from the stream of the episode's world and depends on neither the agents nor their kind.
"""

from __future__ import annotations

import numpy as np

from aiq.wings.collectives.equations.compiled import Array, below, compiled
from aiq.wings.collectives.equations.patterns import phrases
from aiq.wings.collectives.equations.settings import PATTERNS
from aiq.wings.collectives.equations.world import Grid, World, move_objects

WALK, REPLAY = PATTERNS.index("walk"), PATTERNS.index("replay")


@compiled
def _place(place: Grid, world: World, near: bool, program: bool, stream: Array) -> None:
    """Draw the first cells: Good and Evil apart, agents and oracle anywhere or next to Good.

    ``program``: an agent that starts anywhere has a cell of its own, and the oracle shares the last agent's.
    """
    cells = place.neighbours.shape[0]
    world.good[0] = below(stream, cells)
    world.evil[0] = (world.good[0] + 1 + below(stream, cells - 1)) % cells
    for j in range(world.start.size):
        if near:
            world.start[j] = place.neighbours[world.good[0], below(stream, 8)]
        elif program and j == world.start.size - 1:
            world.start[j] = world.start[j - 1]
        else:
            world.start[j] = below(stream, cells)
            while program and np.any(world.start[:j] == world.start[j]):
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
    place: Grid,
    world: World,
    how: int,
    near: bool,
    program: bool,
    levels: Array,
    segments: Array,
    lengths: Array,
    moves: Array,
    episode: int,
    stream: Array,
) -> tuple[int, int]:
    """Draw the world of an episode; return its complexity K and the move that Good repeats for ever, or −1.

    ``how``: position in ``PATTERNS``.
    """
    if how == REPLAY:
        level = _replay(place, world, stream)
        first, other = world.good[0], world.evil[0]
        _place(place, world, near, program, stream)
        world.good[0], world.evil[0] = first, other
        return level, -1
    _place(place, world, near, program, stream)
    if how == WALK:
        _walk_and_back(place, world, stream)
        return phrases(world.good[1:], world.good.size - 1), -1
    level = episode % levels.size
    drift = _segments(segments[level], lengths[level], moves, stream)
    move_objects(place, moves[0], moves[1], world.good, world.evil, stream)
    return levels[level], drift
