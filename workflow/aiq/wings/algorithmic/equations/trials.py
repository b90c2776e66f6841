"""Trials of the tabular agents, machine and agent in one compiled loop, and pairs of them in blocks.

A trial is one episode of a new machine with a new agent; its score is the mean of f times reward, and
the agent sees f times reward. A pair is the trial with f = +1 and the one with f = -1 (antithetic
variates, Legg and Veness 2013, section 3.6). Every trial has two streams, one for the machine and
one for the agent, named by stratum, draw and sign: agents compared on the same draws meet the same programs
and the same machine randomness (common random numbers), in whatever order and process.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aiq.errors import InputError
from aiq.wings.algorithmic.equations.agents import FREQUENCY, TabularAgent
from aiq.wings.algorithmic.equations.learning import LEGACY, Tables, clear, decide, learn, new_tables
from aiq.wings.algorithmic.equations.machine import (
    STEP_LIMIT,
    Machine,
    MachineSettings,
    cycle,
    new_machine,
    observation,
    reset,
    reward_symbol,
    reward_value,
)
from aiq.wings.algorithmic.equations.programs import ProgramSet
from aiq.wings.algorithmic.equations.streams import Array, base, compiled, compiled_leaf, start


@dataclass(frozen=True, slots=True)
class Episode:
    """How long a trial is and how its rewards are weighted.

    ``length`` cycles; ``discount`` d in (0, 1] weights cycle k (from 0) by d ** k over the sum of
    the weights; ``legacy`` divides by one term too many, as the published code does (no effect at d = 1).
    """

    length: int
    discount: float = 1.0
    legacy: bool = False

    def __post_init__(self) -> None:
        """Refuse an empty episode and a discount outside (0, 1]."""
        if self.length < 1:
            raise InputError(f"the episode length is {self.length}; give at least 1 cycle")
        if not 0 < self.discount <= 1:
            raise InputError(f"the discount of the episode is {self.discount}; allowed is (0, 1], 1 for none")

    @property
    def normaliser(self) -> float:
        """The number by which the weighted sum of rewards is divided."""
        if self.discount == 1:
            return float(self.length)
        terms = self.length + self.legacy
        return float((1 - self.discount**terms) / (1 - self.discount))


@compiled_leaf
def run_trial(
    machine: Machine,
    tables: Tables,
    code: Array,
    jump: Array,
    kind: int,
    parameters: Array,
    length: int,
    discount: float,
    factor: float,
    machine_stream: Array,
    agent_stream: Array,
) -> float:
    """Return the weighted sum of ``factor`` times reward over one episode, NaN where the program failed."""
    reset(machine)
    clear(tables, parameters)
    symbols = machine.symbols
    state, action, reward = 0, 0, 0.0
    total, weight = 0.0, 1.0
    learning = parameters[LEGACY] != 0.0
    for _ in range(length):
        seen = observation(machine)
        if learning and kind == FREQUENCY:  # learns before it chooses, the others after
            learn(kind, tables, parameters, state, action, reward, seen, 0, 0)
        greedy, chosen = decide(kind, tables, parameters, seen, agent_stream)
        if learning and kind != FREQUENCY:
            learn(kind, tables, parameters, state, action, reward, seen, greedy, chosen)
        learning = True
        state, action = seen, chosen
        if cycle(machine, code, jump, action, machine_stream) >= STEP_LIMIT:
            return np.nan
        reward = factor * reward_value(reward_symbol(machine), symbols)
        total += weight * reward
        weight *= discount
    return total


@compiled
def run_pairs(
    machine: Machine,
    tables: Tables,
    programs: ProgramSet,
    which: Array,
    strata: Array,
    draws: Array,
    kind: int,
    parameters: Array,
    length: int,
    discount: float,
    root: np.uint64,
) -> Array:
    """Return the weighted reward sums of the pairs, shape (2, pairs), row 0 for f = +1; NaN where one failed."""
    sums = np.empty((2, which.shape[0]))
    machine_stream, agent_stream = np.empty(4, np.uint64), np.empty(4, np.uint64)
    for k in range(which.shape[0]):
        begin, end = programs.offsets[which[k]], programs.offsets[which[k] + 1]
        for sign in range(2):
            start(machine_stream, root, strata[k], draws[k], 2 * sign)
            start(agent_stream, root, strata[k], draws[k], 2 * sign + 1)
            sums[sign, k] = run_trial(
                machine,
                tables,
                programs.codes[begin:end],
                programs.jumps[begin:end],
                kind,
                parameters,
                length,
                discount,
                1.0 - 2.0 * sign,
                machine_stream,
                agent_stream,
            )
            if np.isnan(sums[sign, k]):
                sums[:, k] = np.nan
                break
    return sums


def tabular_pairs(
    agent: TabularAgent,
    settings: MachineSettings,
    episode: Episode,
    programs: ProgramSet,
    which: Array,
    strata: Array,
    draws: Array,
    seed: int,
) -> Array:
    """Return the scores of the pairs on programs number ``which``, shape (2, pairs), NaN for failed pairs."""
    sums = run_pairs(
        new_machine(settings),
        new_tables(settings.observations, settings.symbols),
        programs,
        np.asarray(which, np.int64),
        np.asarray(strata, np.int64),
        np.asarray(draws, np.int64),
        agent.kind,
        agent.parameters(),
        episode.length,
        episode.discount,
        base(seed, "trial"),
    )
    scores: Array = sums / episode.normaliser
    return scores
