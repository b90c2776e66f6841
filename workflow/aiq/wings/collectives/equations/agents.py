"""Agents alone and in collectives (Chmait et al. 2015, section 4), and learners over states (cell, iteration).

A training pass walks through the whole episode and then applies its updates in the order of time. As
the state holds the iteration, the update at iteration t reads values of t + 1 that this pass has not
changed yet: walking first and updating afterwards is the usual online rule, only faster. All agents
of an iteration choose before any of them updates.

Beside the nine values Q of a state stand the best value and the mask of the moves that have it, so that a
greedy choice with uniform ties is one look-up. A state is *pristine* while all its values are the
initial one, and its mask then has a tenth bit; the list of states that left that condition is what is
cleared after the episode. A state's values and their best lie side by side, which saves loads.

``program`` is the public program's way to learn (see `equations.Settings`): ten times the rewards, and
targets that look ahead to the best value of the new cell in the first iteration (Q-learning) or in the present one
(Sarsa). Values of these are changed by the updates before, so here too the order of time is the online rule.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from aiq.wings.collectives.equations import GOLDEN, Array, Settings, below, bits, compiled, kind_code, mix, one_of
from aiq.wings.collectives.equations.world import Grid, World, best_cells, climb, foresee, toward

RANDOM, LOCAL_SEARCH, ORACLE = kind_code("random"), kind_code("local_search"), kind_code("oracle")


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


# ---- Q-learning and Sarsa --------------------------------------------------------------------------

_0, _1, _32 = np.uint64(0), np.uint64(1), np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_ALL, _PRISTINE = np.uint64(511), np.uint64(1023)
ALL = 511
"""Mask of all nine moves."""
PRISTINE = 1023
"""Mask of all nine moves in a state without experience."""
LINE, BEST = 10, 9
"""Numbers of a state in ``values``, and which of them is the best value."""
PROGRAM_REWARDS = 10
"""Factor of the rewards in the public program's rehearsals."""
_LINE, _BEST = np.uint64(LINE), np.uint64(BEST)


class Tables(NamedTuple):
    """Memory of the learners of a group, used again for every episode; states are numbered by ``keys``.

    ``values`` (tables × states × 10,) float32: of each state nine values and the best of them;
    ``masks`` (tables × states,) uint16: the moves that have the best value. Of the visits of a pass, in the order
    iteration × agents + agent, (ϑ + 1) × agents: ``keys``, ``moves`` uint64, and ``gains`` float32, the reward
    reached. ``todo``: visits to update. ``left``, ``dirty``: states no longer pristine and their number.
    ``scalars``: α, γ, initial value and factor of the rewards as float32.
    """

    values: Array
    masks: Array
    keys: Array
    moves: Array
    gains: Array
    todo: Array
    left: Array
    dirty: Array
    scalars: Array


def tables(settings: Settings) -> Tables:
    """Return cleared tables for the group; states of iteration ϑ end the episode and stay at value 0."""
    layers, learning = settings.agents * (settings.steps + 1), settings.learning
    states = layers * settings.cells
    values = np.full((settings.agents, settings.steps + 1, settings.cells * LINE), learning.initial, dtype=np.float32)
    values[:, -1] = 0
    visits = (settings.steps + 1) * settings.agents
    factor = PROGRAM_REWARDS if settings.program else 1
    keys, moves, todo = np.zeros((3, visits), dtype=np.uint64)
    gains, left = np.zeros(visits, dtype=np.float32), np.zeros(states + 1, dtype=np.uint64)
    masks, dirty = np.full(states, PRISTINE, dtype=np.uint16), np.zeros(1, dtype=np.uint64)
    scalars = np.array([learning.rate, learning.discount, learning.initial, factor], dtype=np.float32)
    return Tables(values.reshape(-1), masks, keys, moves, gains, todo, left, dirty, scalars)


@compiled
def _walk(
    place: Grid, rewards: Array, start: Array, size: Any, tab: Tables, threshold: Any, program: bool, stream: Array
) -> Any:
    """Walk one ε-greedy pass; return how many of its visits, listed in ``todo``, can change a value.

    Left out are, with initial value 0, pristine states from which a pristine state is reached without reward
    (``program`` looks ahead elsewhere). ``size``: states of a table, 0 where agents share one; ``rewards`` of the
    world, flat.
    """
    masks, keys, moves, gains, todo = tab.masks, tab.keys, tab.moves, tab.gains, tab.todo
    neighbours, choices, counts = place.neighbours, place.choices, place.counts
    agents = np.uint64(start.size - 1)
    cells = np.uint64(neighbours.shape[0])
    zero = tab.scalars[2] == 0 and not program
    state = stream[0]
    number = _0
    for j in range(agents):
        keys[j] = np.uint64(j) * size + np.uint64(start[j])
    for t in range(np.uint64(rewards.size) // cells - _1):
        for j in range(agents):
            i = np.uint64(t) * agents + np.uint64(j)
            key = keys[i]
            base = np.uint64(j) * size + np.uint64(t) * cells
            state = state + GOLDEN
            word = mix(state)
            entry = np.uint64(masks[key])
            mask = entry & _ALL
            if (word & _LOW) < threshold:
                mask = _ALL
            move = np.uint64(choices[mask, ((word >> _32) * counts[mask]) >> _32])
            cell = np.uint64(neighbours[key - base, move])
            after = base + cells + cell
            gain = rewards[(np.uint64(t) + _1) * cells + cell]
            still = zero & (entry == _PRISTINE) & (masks[after] == PRISTINE) & (gain == 0)
            moves[i] = move
            gains[i] = gain
            keys[i + agents] = after
            todo[number] = i
            number += _0 if still else _1
    stream[0] = state
    return number


@compiled
def _rescan(values: Array, masks: Array, key: Any) -> None:
    first = _LINE * key
    best = values[first]
    for move in range(1, 9):
        best = max(values[first + np.uint64(move)], best)
    mask: Any = 0
    for move in range(9):
        mask |= np.int64(values[first + np.uint64(move)] == best) << move
    values[first + _BEST] = best
    masks[key] = mask


@compiled
def _update(tab: Tables, visits: Any, agents: Any, cells: Any, sarsa: bool, program: bool) -> None:
    """Move the value of each listed visit by α towards its target; keep best values, masks and the list of states.

    Q-learning: target r + γ max Q[s′]; Sarsa: r + γ Q[s′, a′] with the move a′ that the pass made. A state whose best
    move fell has an empty mask, and a best value too high, until the end: in a pass nothing reads them but a second
    update of it, which is right either way. The public program's targets do read them, so there it is found at once.
    """
    rate, discount, factor = tab.scalars[0], tab.scalars[1], tab.scalars[3]
    values, masks, keys, moves, gains = tab.values, tab.masks, tab.keys, tab.moves, tab.gains
    todo, left = tab.todo, tab.left
    best_ahead = program or not sarsa
    count = tab.dirty[0]
    fallen = _0
    for n in range(visits):
        i = todo[n]
        key, move = keys[i], moves[i]
        ahead = keys[i + agents]
        if program:
            ahead -= cells if sarsa else cells * (i // agents + _1)
        best = values[_LINE * ahead + (_BEST if best_ahead else moves[i + agents])]
        first = _LINE * key
        old = values[first + move]
        new = old + rate * (factor * gains[i] + discount * best - old)
        best = values[first + _BEST]
        mask = np.int32(masks[key])
        left[count] = key
        count += np.uint64((mask == PRISTINE) & (new != old))
        bit = np.int32(1 << np.int64(move))
        above = np.int32(new > best)
        level = np.int32(new >= best)
        kept = ((mask & ~bit) & (above - np.int32(1))) | (bit & -level)
        kept &= ALL | (np.int32(new == old) << 9)
        values[first + move] = new
        values[first + _BEST] = max(new, best)
        masks[key] = kept
        if program and kept == 0:
            _rescan(values, masks, key)
        todo[fallen] = key
        fallen += np.uint64(kept == 0)
    for n in range(fallen):
        _rescan(values, masks, todo[n])
    tab.dirty[0] = count


@compiled
def train(
    place: Grid, world: World, tab: Tables, size: int, passes: int, exploration: float, sarsa: bool, program: bool,
    stream: Array,
) -> None:  # fmt: skip
    """Train all agents for ``passes`` episodes from their own first cells."""
    threshold = np.uint64(exploration * 4294967296.0)
    agents = np.uint64(world.start.size - 1)
    cells = np.uint64(place.neighbours.shape[0])
    rewards = world.rewards.reshape(-1)
    for _ in range(passes):
        visits = _walk(place, rewards, world.start, np.uint64(size), tab, threshold, program, stream)
        _update(tab, visits, agents, cells, sarsa, program)


@compiled
def play_greedy(place: Grid, tab: Tables, size: int, path: Array, stream: Array) -> None:
    """Fill ``path`` (ϑ + 1, agents) by the trained tables without exploration, ties uniform."""
    steps, agents = path.shape
    cells = place.neighbours.shape[0]
    for t in range(steps - 1):
        for j in range(agents):
            mask = ALL & int(tab.masks[j * size + t * cells + path[t, j]])
            move = one_of(mask, bits(stream), place.choices, place.counts)
            path[t + 1, j] = place.neighbours[path[t, j], move]


@compiled
def clear(tab: Tables) -> None:
    """Make every state pristine again."""
    initial = tab.scalars[2]
    for i in range(tab.dirty[0]):
        key = tab.left[i]
        for number in range(LINE):
            tab.values[_LINE * key + np.uint64(number)] = initial
        tab.masks[key] = PRISTINE
    tab.dirty[0] = 0
