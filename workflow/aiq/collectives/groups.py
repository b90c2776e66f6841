"""Collectives of local search: stigmergy, auction, imitation (Chmait et al. 2015, section 4.2)."""

from __future__ import annotations

import numpy as np

from aiq.collectives.agents import best_cells, climb, foresee
from aiq.collectives.compiled import Array, below, bits, compiled, one_of
from aiq.collectives.world import Grid, World, toward


@compiled
def _write_fakes(place: Grid, rewards: Array, cell: int, discount: float, fakes: Array, written: Array) -> None:
    """Write γ(r_max + r_min) + r(c) into the nine cells of an informed agent.

    With ``written`` of size 0 the last writer wins; else a write is averaged with what the cell holds.
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
    if not informed:
        return
    shift = discount * (highest + lowest)
    for move in range(9):
        at = place.neighbours[cell, move]
        fake = rewards[at] + shift
        if written.size > 0:
            if written[at]:
                fake = 0.5 * (fake + fakes[at])
            written[at] = True
        fakes[at] = fake


@compiled
def play_stigmergy(
    place: Grid, world: World, path: Array, discount: float, keeps: bool, fakes: Array, stream: Array
) -> None:
    """Fill ``path`` with local search on fake rewards; ``fakes`` (cells,) float64 is all 0 before and after."""
    steps, agents = path.shape
    written = np.zeros(fakes.size if keeps else 0, dtype=np.bool_)
    for t in range(steps - 1):
        for j in range(agents):
            _write_fakes(place, world.rewards[t], path[t, j], discount, fakes, written)
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
    equal cells are drawn uniformly. ``keeps``: the highest bid so far and its target stay in force
    until a bid reaches it.
    """
    steps, agents = path.shape
    bid, target = 0.0, -1
    for t in range(steps - 1):
        if not keeps:
            bid, target = 0.0, -1
        ties = 0
        for j in range(agents):
            best, mask, _ = best_cells(place, world.rewards[t], path[t, j])
            if best <= 0 or best < bid:
                continue
            ties = ties + 1 if best == bid else 1
            if below(stream, ties) == 0:
                move = one_of(mask, bits(stream), place.choices, place.counts)
                target = place.neighbours[path[t, j], move]
            bid = best
        for j in range(agents):
            if target >= 0:
                path[t + 1, j] = place.neighbours[path[t, j], toward(place, path[t, j], target)]
            else:
                path[t + 1, j] = climb(place, world.rewards[t], path[t, j], stream)


@compiled
def play_imitation(place: Grid, world: World, path: Array, oracle: Array, drift: int, stream: Array) -> None:
    """Fill ``path`` with local search that follows an oracle it sees, and ``oracle`` (ϑ + 1,) with that oracle.

    Agents talk before all move at once: who sees the oracle goes to the cell that it is about to enter.
    """
    steps, agents = path.shape
    for t in range(steps - 1):
        oracle[t + 1] = foresee(place, world, t, oracle[t], drift)
        for j in range(agents):
            cell = path[t, j]
            if place.neighbours[cell, toward(place, cell, oracle[t])] == oracle[t]:
                path[t + 1, j] = place.neighbours[cell, toward(place, cell, oracle[t + 1])]
            else:
                path[t + 1, j] = climb(place, world.rewards[t], cell, stream)
