"""Actions of single agents: random, local search, oracle (Chmait et al. 2015, section 4.1)."""

from __future__ import annotations

from typing import Any

from aiq.wings.collectives.equations.compiled import Array, below, bits, compiled, one_of
from aiq.wings.collectives.equations.world import STAY, Grid, World, apart, toward


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


@compiled
def play_random(place: Grid, world: World, path: Array, stream: Array) -> None:
    """Fill ``path`` (ϑ + 1, agents) with random agents."""
    steps, agents = path.shape
    for t in range(steps - 1):
        for j in range(agents):
            path[t + 1, j] = place.neighbours[path[t, j], below(stream, 9)]


@compiled
def play_local_search(place: Grid, world: World, path: Array, stream: Array) -> None:
    """Fill ``path`` (ϑ + 1, agents) with local search on the true rewards, each agent for itself."""
    steps, agents = path.shape
    for t in range(steps - 1):
        for j in range(agents):
            path[t + 1, j] = climb(place, world.rewards[t], path[t, j], stream)


@compiled
def play_oracle(place: Grid, world: World, path: Array, drift: int) -> None:
    """Fill ``path`` (ϑ + 1, agents) with oracles."""
    steps, agents = path.shape
    for t in range(steps - 1):
        for j in range(agents):
            path[t + 1, j] = foresee(place, world, t, path[t, j], drift)
