"""MC-AIXI-CTW, compiled: context trees learn the percepts, UCT plans with them (Veness et al. 2011).

Planning (section 4, rho-UCT): decision nodes hold visits and mean returns of the actions; the percepts that were drawn
after an action are its children, kept as a linked list. A simulation walks down by upper confidence bounds, leaves the
tree at a new node, goes on with uniform actions to the horizon, and backs up the sum of rewards (each from 0 to 1).

A cycle of a trial: learn the last percept bit by bit, plan (or, with probability epsilon, draw an action), act. Actions
are bits of the history but are not learned. In the factored model bit k of a percept (from 0) has a tree of depth
D + k, so that all see the same past.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from aiq.wings.algorithmic.equations import Array, base, below, compiled, compiled_leaf, start, unit
from aiq.wings.algorithmic.equations import context_tree as trees
from aiq.wings.algorithmic.equations import machine as bf
from aiq.wings.algorithmic.equations.agents import MCAIXI

_CAPACITY = 1 << 14
_REJECTIONS = 100


class Coding(NamedTuple):
    """How symbols become bits: a percept is the observation cells, then the reward, ``width`` bits a symbol."""

    symbols: int
    cells: int
    width: int
    factored: bool


class Search(NamedTuple):
    """Scratch of the planner; row 0 is the present decision node."""

    visits: Array  # int64, (nodes,)
    tries: Array  # int64, (nodes, actions)
    means: Array  # float64, (nodes, actions)
    first_child: Array  # int64, (nodes, actions), 0: none
    sibling: Array  # int64, (nodes,), 0: none
    percept: Array  # int64, (nodes,)
    walk: Array  # int64, (horizon, 2): decision node (-1: none) and action
    rewards: Array  # float64, (horizon,)
    used: Array  # int64, (1,)
    simulations: int
    exploration: float


def new_search(agent: MCAIXI, actions: int) -> Search:
    """Return scratch for an agent's plans among so many actions."""
    size, horizon = agent.simulations * agent.horizon + 2, agent.horizon
    table = (size, actions)
    return Search(
        np.zeros(size, np.int64), np.zeros(table, np.int64), np.zeros(table), np.zeros(table, np.int64),
        np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros((horizon, 2), np.int64), np.zeros(horizon),
        np.zeros(1, np.int64), agent.simulations, float(agent.exploration),
    )  # fmt: skip


@compiled
def sown(coding: Coding, depths: Array, horizon: int, cycles: int) -> tuple[trees.Forest, int]:
    """Return a forest for the history of so many cycles, and how many nodes a cycle needs at most."""
    percept = (coding.cells + 1) * coding.width
    simulated = percept * horizon
    bits = (cycles + horizon + 1) * (percept + coding.width)
    return trees.new_forest(depths, bits, simulated, _CAPACITY), (percept + simulated) * (depths.max() + 1)


@compiled_leaf
def append_symbol(forest: trees.Forest, coding: Coding, symbol: int) -> None:
    """Add a symbol, such as an action, to the history without learning it, most significant bit first."""
    for k in range(coding.width - 1, -1, -1):
        trees.append(forest, (symbol >> k) & 1)


@compiled_leaf
def learn_symbol(forest: trees.Forest, coding: Coding, position: int, symbol: int) -> None:
    """Learn the symbol at a position of the percept, most significant bit first."""
    for k in range(coding.width):
        tree = position * coding.width + k if coding.factored else 0
        trees.learn_bit(forest, tree, (symbol >> (coding.width - 1 - k)) & 1)


@compiled_leaf
def _imagine_percept(forest: trees.Forest, coding: Coding, stream: Array) -> tuple[int, int]:
    """Draw a percept from the model; return its number and the reward's symbol.

    Codes that stand for no symbol are drawn again; after `_REJECTIONS` of them in a row a symbol is drawn uniformly.
    """
    number, position, rejected, symbol = 0, 0, 0, 0
    while position <= coding.cells:
        forced = below(stream, coding.symbols) if rejected == _REJECTIONS else -1
        symbol = 0
        for k in range(coding.width):
            tree = position * coding.width + k if coding.factored else 0
            chance = unit(stream)
            if forced >= 0:
                chance = -1.0 if (forced >> (coding.width - 1 - k)) & 1 else 2.0
            symbol = 2 * symbol + trees.imagine_bit(forest, tree, chance)
        if symbol >= coding.symbols:
            trees.undo_bits(forest, coding.width)
            rejected += 1
            continue
        number = number * coding.symbols + symbol
        position, rejected = position + 1, 0
    return number, symbol


@compiled_leaf
def _new_node(search: Search, percept: int) -> int:
    node = int(search.used[0])
    search.used[0] += 1
    search.visits[node], search.sibling[node], search.percept[node] = 0, 0, percept
    search.tries[node, :] = 0
    search.means[node, :] = 0.0
    search.first_child[node, :] = 0
    return node


@compiled_leaf
def _child(search: Search, node: int, action: int, percept: int) -> int:
    child = int(search.first_child[node, action])
    while child != 0:
        if search.percept[child] == percept:
            return child
        child = int(search.sibling[child])
    child = _new_node(search, percept)
    search.sibling[child] = search.first_child[node, action]
    search.first_child[node, action] = child
    return child


@compiled_leaf
def _bound_action(search: Search, node: int, remaining: int, stream: Array) -> int:
    """Return the action of highest upper confidence bound; untried actions first, ties drawn uniformly."""
    actions = search.tries.shape[1]
    best, ties, chosen = -1.0, 0, 0
    log_visits = np.log(search.visits[node])
    for action in range(actions):
        tries = search.tries[node, action]
        value = np.inf
        if tries > 0:
            value = search.means[node, action] / remaining + search.exploration * np.sqrt(log_visits / tries)
        if value > best:
            best, ties, chosen = value, 1, action
        elif value == best:
            ties += 1
            if below(stream, ties) == 0:
                chosen = action
    return chosen


@compiled_leaf
def _simulate(forest: trees.Forest, search: Search, coding: Coding, stream: Array) -> None:
    """Run one simulation from the present history and back it up; the model is left as it was."""
    horizon, actions = search.rewards.shape[0], coding.symbols
    bits = (coding.cells + 1) * coding.width
    node, inside = 0, True
    for step in range(horizon):
        search.walk[step, 0] = -1
        if inside and search.visits[node] == 0:
            search.visits[node], inside = 1, False
        if inside:
            action = _bound_action(search, node, horizon - step, stream)
            search.walk[step, 0], search.walk[step, 1] = node, action
        else:
            action = below(stream, actions)
        append_symbol(forest, coding, action)
        percept, reward = _imagine_percept(forest, coding, stream)
        search.rewards[step] = reward / (actions - 1.0)
        if inside:
            node = _child(search, node, action, percept)
    returned = 0.0
    for step in range(horizon - 1, -1, -1):
        returned += search.rewards[step]
        trees.undo_bits(forest, bits)
        trees.forget_bits(forest, coding.width)
        node, action = search.walk[step, 0], search.walk[step, 1]
        if node >= 0:
            search.visits[node] += 1
            search.tries[node, action] += 1
            search.means[node, action] += (returned - search.means[node, action]) / search.tries[node, action]


@compiled_leaf
def plan(forest: trees.Forest, search: Search, coding: Coding, stream: Array) -> int:
    """Return the action of highest mean return after all simulations, ties drawn uniformly."""
    search.used[0] = 0
    root = _new_node(search, 0)
    for _ in range(search.simulations):
        _simulate(forest, search, coding, stream)
    best, ties, chosen = -1.0, 0, below(stream, coding.symbols)
    for action in range(coding.symbols):
        if search.tries[root, action] == 0:
            continue
        value = search.means[root, action]
        if value > best:
            best, ties, chosen = value, 1, action
        elif value == best:
            ties += 1
            if below(stream, ties) == 0:
                chosen = action
    return chosen


# ---- trials --------------------------------------------------------------------------------------


def tree_depths(agent: MCAIXI, coding: Coding) -> Array:
    """Return the depths of the trees: one per bit of the percept where factored, else one."""
    bits = (coding.cells + 1) * coding.width
    depths: Array = agent.depth + (np.arange(bits) if agent.factored else np.zeros(1, np.int64))
    return depths


@compiled
def run_aixi_trial(
    machine: bf.Machine, search: Search, coding: Coding, depths: Array, code: Array, jump: Array, epsilon: float,
    common: bool, length: int, discount: float, factor: int, machine_stream: Array, agent_stream: Array,
    search_stream: Array,
) -> float:  # fmt: skip
    """Return the weighted sum of ``factor`` times reward over one episode, NaN where the program failed.

    Where ``common``, every search begins at the words that ``search_stream`` has; else they go on.
    """
    bf.reset(machine)
    symbols, first = machine.symbols, 1 if machine.reward_cell == 0 else 0
    forest, spare = sown(coding, depths, search.rewards.shape[0], length)
    total, weight = 0.0, 1.0
    searching = search_stream.copy()
    for _ in range(length):
        forest = trees.grown(forest, spare)
        if epsilon > 0 and unit(agent_stream) < epsilon:
            action = below(agent_stream, symbols)
        else:
            if common:
                searching[:] = search_stream
            action = plan(forest, search, coding, searching)
        append_symbol(forest, coding, action)
        if bf.cycle(machine, code, jump, action, machine_stream) >= bf.STEP_LIMIT:
            return np.nan
        symbol = bf.reward_symbol(machine)
        for cell in range(coding.cells):
            learn_symbol(forest, coding, cell, int(machine.output[first + cell]))
        learn_symbol(forest, coding, coding.cells, symbol if factor > 0 else symbols - 1 - symbol)
        total += weight * factor * bf.reward_value(symbol, symbols)
        weight *= discount
    return total


def aixi_trials(
    agent: MCAIXI, settings: bf.MachineSettings, length: int, discount: float, seed: int
) -> Callable[[Array, Array, int, int, int], float]:
    """Return what runs a trial of MC-AIXI-CTW (see `equations.trials`)."""
    machine, root = bf.new_machine(settings), base(seed, "trial")
    symbols = settings.symbols  # 5 of them take 3 bits
    coding = Coding(symbols, settings.observation_cells, (symbols - 1).bit_length(), agent.factored)
    search, depths = new_search(agent, symbols), tree_depths(agent, coding)
    epsilon, common = float(agent.epsilon), bool(agent.common_random_numbers)
    machine_stream, agent_stream, search_stream = np.empty((3, 4), np.uint64)

    def trial(code: Array, jump: Array, stratum: int, draw: int, sign: int) -> float:
        start(machine_stream, root, stratum, draw, 2 * sign)
        start(agent_stream, root, stratum, draw, 2 * sign + 1)
        start(search_stream, root, stratum, draw, 4 + sign)
        return run_aixi_trial(
            machine, search, coding, depths, code, jump, epsilon, common, length, float(discount), 1 - 2 * sign,
            machine_stream, agent_stream, search_stream,
        )  # fmt: skip

    return trial
