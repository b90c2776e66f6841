"""Actions of agents that do not learn, alone and in collectives of local search (Chmait et al. 2015, section 4)."""

from __future__ import annotations

from typing import Any

from aiq.wings.collectives.equations.settings import kind_code
from aiq.wings.collectives.equations.world import STAY, Array, Grid, World, apart, below, bits, compiled, one_of, toward

RANDOM, LOCAL_SEARCH, ORACLE = kind_code("random"), kind_code("local_search"), kind_code("oracle")


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
def play_alone(kind: int, place: Grid, world: World, path: Array, drift: int, stream: Array) -> None:
    """Fill ``path`` (ϑ + 1, agents) with agents that act for themselves; local search sees the true rewards."""
    steps, agents = path.shape
    for t in range(steps - 1):
        for j in range(agents):
            if kind == RANDOM:
                path[t + 1, j] = place.neighbours[path[t, j], below(stream, 9)]
            elif kind == ORACLE:
                path[t + 1, j] = foresee(place, world, t, path[t, j], drift)
            else:
                path[t + 1, j] = climb(place, world.rewards[t], path[t, j], stream)


# ---- Collectives of local search -----------------------------------------------------------------


@compiled
def _write_fakes(place: Grid, rewards: Array, cell: int, discount: float, keeps: bool, fakes: Array) -> None:
    """Write into the nine cells c of an informed agent γ(r_max + r_min) + r(c), the last writer wins.

    ``keeps``: not where that shift γ(r_max + r_min) is 0, and a third of the sum with what the cell holds.
    """
    highest = rewards[cell]
    lowest = rewards[cell]
    informed = False
    for move in range(9):
        value = rewards[place.neighbours[cell, move]]
        highest = max(highest, value)
        lowest = min(lowest, value)
        if value != 0:
            informed = True
    shift = discount * (highest + lowest)
    if not informed or (keeps and shift == 0):
        return
    for move in range(9):
        at = place.neighbours[cell, move]
        fake = rewards[at] + shift
        fakes[at] = (fakes[at] + fake) / 3.0 if keeps else fake


@compiled
def play_stigmergy(
    place: Grid, world: World, path: Array, discount: float, keeps: bool, fakes: Array, stream: Array
) -> None:
    """Fill ``path`` with local search on fake rewards; ``fakes`` (cells,) float64 is all 0 before and after."""
    steps, agents = path.shape
    for t in range(steps - 1):
        for j in range(agents):
            _write_fakes(place, world.rewards[t], path[t, j], discount, keeps, fakes)
        for j in range(agents):
            path[t + 1, j] = climb(place, fakes, path[t, j], stream)
        if not keeps:
            for j in range(agents):
                for move in range(9):
                    fakes[place.neighbours[path[t, j], move]] = 0.0
    if keeps:
        fakes[:] = 0.0


@compiled
def play_auction(place: Grid, world: World, path: Array, keeps: bool, stream: Array) -> None:
    """Fill ``path`` with the auction: each agent bids the best reward it sees, all go to the winner's best cell.

    With no bid above 0 there is nothing to lead to, and each agent searches for itself. Equal bids and
    equal cells are drawn uniformly. ``keeps``: the highest bid so far, −1 at first, and its target stay in
    force until a bid reaches it; of equal bids the last one wins.
    """
    steps, agents = path.shape
    bid, target = -1.0, -1
    for t in range(steps - 1):
        if not keeps:
            bid, target = 0.0, -1
        ties = 0
        for j in range(agents):
            best, mask, _ = best_cells(place, world.rewards[t], path[t, j])
            if best < bid or (best <= 0 and not keeps):
                continue
            ties = ties + 1 if best == bid and not keeps else 1
            if keeps or below(stream, ties) == 0:
                move = one_of(mask, bits(stream), place.choices, place.counts)
                target = place.neighbours[path[t, j], move]
            bid = best
        for j in range(agents):
            if target >= 0:
                path[t + 1, j] = place.neighbours[path[t, j], toward(place, path[t, j], target)]
            else:
                path[t + 1, j] = climb(place, world.rewards[t], path[t, j], stream)


@compiled
def play_imitation(
    place: Grid, world: World, path: Array, oracle: Array, drift: int, hurries: bool, stream: Array
) -> None:
    """Fill ``path`` with local search that follows an oracle it sees, and ``oracle`` (ϑ + 1,) with that oracle.

    Agents talk before all move at once: who sees the oracle goes to the cell that it is about to enter.
    ``hurries``: the oracle makes a step before each agent's move, and who sees it then goes to where it is.
    """
    steps, agents = path.shape
    for t in range(steps - 1):
        now = oracle[t]
        after = now if hurries else foresee(place, world, t, now, drift)
        for j in range(agents):
            if hurries:
                now = after = foresee(place, world, t, after, drift)
            cell = path[t, j]
            if place.neighbours[cell, toward(place, cell, now)] == now:
                path[t + 1, j] = place.neighbours[cell, toward(place, cell, after)]
            else:
                path[t + 1, j] = climb(place, world.rewards[t], cell, stream)
        oracle[t + 1] = after
