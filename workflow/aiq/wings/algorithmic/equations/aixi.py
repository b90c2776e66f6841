"""Trials of MC-AIXI-CTW, compiled: context trees learn the percepts, UCT plans with them (Veness et al. 2011).

A cycle: learn the last percept bit by bit, plan (or, with probability epsilon, draw an action), act. Actions are
bits of the history but are not learned. In the factored model bit k of a percept (from 0) has a tree of depth
D + k, so that all see the same past.
"""

from __future__ import annotations

import numpy as np

from aiq.wings.algorithmic.equations.agents import MCAIXI
from aiq.wings.algorithmic.equations.context_tree import Forest, grown, learn_bit, new_forest
from aiq.wings.algorithmic.equations.machine import (
    STEP_LIMIT,
    Machine,
    MachineSettings,
    cycle,
    new_machine,
    reset,
    reward_symbol,
)
from aiq.wings.algorithmic.equations.machine import reward_value as value_of
from aiq.wings.algorithmic.equations.planning import Coding, Search, append_action, new_search, plan
from aiq.wings.algorithmic.equations.programs import ProgramSet
from aiq.wings.algorithmic.equations.streams import Array, base, below, compiled, compiled_leaf, start, unit
from aiq.wings.algorithmic.equations.trials import Episode

_CAPACITY = 1 << 14


def coding_of(settings: MachineSettings, factored: bool) -> Coding:
    """Return the binary code of a machine's symbols: 5 symbols take 3 bits."""
    width = (settings.symbols - 1).bit_length()
    return Coding(settings.symbols, settings.observation_cells, width, factored)


def tree_depths(agent: MCAIXI, coding: Coding) -> Array:
    """Return the depths of the trees: one per bit of the percept where factored, else one."""
    bits = (coding.cells + 1) * coding.width
    depths: Array = agent.depth + (np.arange(bits) if agent.factored else np.zeros(1, np.int64))
    return depths


@compiled_leaf
def learn_percept(forest: Forest, coding: Coding, machine: Machine, reward: int) -> None:
    """Learn the observation on the machine's output tape and the reward's symbol as the agent sees it."""
    first = 1 if machine.reward_cell == 0 else 0
    for position in range(coding.cells + 1):
        symbol = reward if position == coding.cells else int(machine.output[first + position])
        for k in range(coding.width):
            tree = position * coding.width + k if coding.factored else 0
            learn_bit(forest, tree, (symbol >> (coding.width - 1 - k)) & 1)


@compiled
def run_aixi_trial(
    machine: Machine,
    search: Search,
    coding: Coding,
    depths: Array,
    code: Array,
    jump: Array,
    simulations: int,
    exploration: float,
    epsilon: float,
    common: bool,
    length: int,
    discount: float,
    factor: int,
    machine_stream: Array,
    agent_stream: Array,
    search_stream: Array,
) -> float:
    """Return the weighted sum of ``factor`` times reward over one episode, NaN where the program failed.

    Where ``common``, every search begins at the words that ``search_stream`` has; else they go on.
    """
    reset(machine)
    symbols, horizon = machine.symbols, search.rewards.shape[0]
    percept_bits = (coding.cells + 1) * coding.width
    simulated = percept_bits * horizon
    bits = (length + horizon + 1) * (percept_bits + coding.width)
    forest = new_forest(depths, bits, simulated, _CAPACITY)
    spare = (percept_bits + simulated) * (depths.max() + 1)
    total, weight = 0.0, 1.0
    searching = search_stream.copy()
    for _ in range(length):
        forest = grown(forest, spare)
        if epsilon > 0 and unit(agent_stream) < epsilon:
            action = below(agent_stream, symbols)
        else:
            if common:
                searching[:] = search_stream
            action = plan(forest, search, coding, simulations, exploration, searching)
        append_action(forest, coding, action)
        if cycle(machine, code, jump, action, machine_stream) >= STEP_LIMIT:
            return np.nan
        symbol = reward_symbol(machine)
        learn_percept(forest, coding, machine, symbol if factor > 0 else symbols - 1 - symbol)
        total += weight * factor * value_of(symbol, symbols)
        weight *= discount
    return total


def aixi_pairs(
    agent: MCAIXI,
    settings: MachineSettings,
    episode: Episode,
    programs: ProgramSet,
    which: Array,
    strata: Array,
    draws: Array,
    seed: int,
) -> Array:
    """Return the scores of pairs of trials of MC-AIXI-CTW, shape (2, pairs), NaN for failed pairs."""
    machine, root = new_machine(settings), base(seed, "trial")
    coding = coding_of(settings, agent.factored)
    search = new_search(agent.simulations, agent.horizon, settings.symbols)
    machine_stream, agent_stream, search_stream = np.empty((3, 4), np.uint64)
    sums = np.empty((2, len(which)))
    for k, (program, stratum, draw) in enumerate(zip(which, strata, draws, strict=True)):
        begin, end = programs.offsets[program], programs.offsets[program + 1]
        for sign in range(2):
            start(machine_stream, root, stratum, draw, 2 * sign)
            start(agent_stream, root, stratum, draw, 2 * sign + 1)
            start(search_stream, root, stratum, draw, 4 + sign)
            sums[sign, k] = run_aixi_trial(
                machine,
                search,
                coding,
                tree_depths(agent, coding),
                programs.codes[begin:end],
                programs.jumps[begin:end],
                agent.simulations,
                float(agent.exploration),
                float(agent.epsilon),
                bool(agent.common_random_numbers),
                episode.length,
                float(episode.discount),
                1 - 2 * sign,
                machine_stream,
                agent_stream,
                search_stream,
            )
    sums[:, np.isnan(sums).any(axis=0)] = np.nan
    scores: Array = sums / episode.normaliser
    return scores
