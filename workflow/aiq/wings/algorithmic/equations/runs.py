"""Running an agent on draws of programs: blocks of pairs, and the whole adaptive run.

Agents from outside: a Python callable named ``module:factory``.

The factory is called for every trial as ``factory(actions, observations, seed, **parameters)`` and returns an
object with a method ``act(observation, reward) -> action``: integers from 0, the reward a float from
-100 to 100 (0 in the first cycle). The machine runs compiled, but every cycle goes through Python, which makes
such an agent tens to hundreds of times slower than the compiled ones.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, cast, runtime_checkable

import numpy as np

from aiq import seeding
from aiq.config.training import load_factory
from aiq.errors import InputError
from aiq.wings.algorithmic.equations.adaptive import Block, missing_blocks, next_stage
from aiq.wings.algorithmic.equations.agents import MCAIXI, Agent, Outside
from aiq.wings.algorithmic.equations.aixi import aixi_pairs
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
from aiq.wings.algorithmic.equations.programs import Population, ProgramSet
from aiq.wings.algorithmic.equations.streams import Array, base, start
from aiq.wings.algorithmic.equations.trials import Episode, tabular_pairs
from aiq.wings.algorithmic.records import PairOutcomes

# ---- Agents from outside -------------------------------------------------------------------------


class Actor(Protocol):
    """What the factory returns: one new agent."""

    def act(self, observation: int, reward: float) -> int:
        """Return the next action after an observation and a reward."""


Factory = Callable[..., Actor]


def load(name: str) -> Factory:
    """Return the factory named ``module:factory``; raises InputError where there is no such callable."""
    return cast(Factory, load_factory(name))


def _act(agent: Outside, actor: Actor, seen: int, reward: float, symbols: int) -> int:
    """Return the actor's action; raises InputError where it raises or leaves the alphabet."""
    try:
        answer = actor.act(seen, reward)
    except Exception as error:
        raise InputError(
            f"agent {agent.factory} raised {type(error).__name__} ({error}) on observation {seen} and reward {reward}; "
            "an agent must answer every percept with an action"
        ) from error
    try:
        action = operator.index(answer)
    except TypeError:
        action = -1
    if isinstance(answer, bool) or not 0 <= action < symbols:
        raise InputError(
            f"agent {agent.factory} returned the action {answer!r}; allowed are integers from 0 to {symbols - 1}"
        )
    return action


def _trial(
    agent: Outside,
    actor: Actor,
    machine: Machine,
    code: Array,
    jump: Array,
    episode: Episode,
    factor: float,
    stream: Array,
) -> float:
    """Return the weighted sum of factor times reward over one episode, NaN where the program failed."""
    reset(machine)
    reward, total, weight = 0.0, 0.0, 1.0
    for _ in range(episode.length):
        action = _act(agent, actor, int(observation(machine)), reward, machine.symbols)
        if cycle(machine, code, jump, action, stream) >= STEP_LIMIT:
            return float("nan")
        reward = factor * float(reward_value(reward_symbol(machine), machine.symbols))
        total += weight * reward
        weight *= episode.discount
    return total


def outside_pairs(
    agent: Outside,
    settings: MachineSettings,
    episode: Episode,
    programs: ProgramSet,
    which: Array,
    strata: Array,
    draws: Array,
    seed: int,
) -> Array:
    """Return the scores of pairs of trials of an agent from outside, shape (2, pairs), NaN for failed pairs.

    Raises:
        InputError: the factory cannot be found or called, or the agent raises or leaves the alphabet.
    """
    factory = load(agent.factory)
    machine, root, stream = new_machine(settings), base(seed, "trial"), np.empty(4, np.uint64)
    scores = np.empty((2, len(which)))
    for k, (program, stratum, draw) in enumerate(zip(which, strata, draws, strict=True)):
        begin, end = programs.offsets[program], programs.offsets[program + 1]
        for sign in range(2):
            start(stream, root, stratum, draw, 2 * sign)
            own = seeding.integer(seed, "algorithmic", "outside", int(stratum), int(draw), sign)
            try:
                actor = factory(settings.symbols, settings.observations, own, **agent.parameters)
            except Exception as error:
                raise InputError(
                    f"agent factory {agent.factory} raised {type(error).__name__} ({error}); it is called as "
                    "factory(actions, observations, seed, **parameters)"
                ) from error
            code, jump = programs.codes[begin:end], programs.jumps[begin:end]
            scores[sign, k] = _trial(agent, actor, machine, code, jump, episode, 1.0 - 2.0 * sign, stream)
    scores[:, np.isnan(scores).any(axis=0)] = np.nan
    normalised: Array = scores / episode.normaliser
    return normalised


# ---- Running an agent on draws of programs -------------------------------------------------------


@runtime_checkable
class Player(Protocol):
    """Whoever plays pairs of trials by itself, such as agents of a higher layer."""

    def pairs(
        self,
        settings: MachineSettings,
        episode: Episode,
        programs: ProgramSet,
        which: Array,
        strata: Array,
        draws: Array,
        seed: int,
    ) -> Array:
        """Return the scores of pairs on programs number ``which``, shape (2, pairs), NaN for failed pairs."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """An agent in episodes of one kind on one machine; ``seed`` is the root seed of all trials.

    Experiments with the same seed, machine and population use common random numbers: `difference` compares them.
    """

    agent: Agent | Player
    episode: Episode
    seed: int
    machine: MachineSettings = field(default_factory=MachineSettings)


def _scores(experiment: Experiment, population: Population, which: Array, strata: Array, draws: Array) -> Array:
    """Return the scores of pairs, shape (2, pairs), by the path that the agent needs."""
    agent = experiment.agent
    arguments = (experiment.machine, experiment.episode, population.packed, which, strata, draws, experiment.seed)
    if isinstance(agent, Player):
        return agent.pairs(*arguments)
    if isinstance(agent, MCAIXI):
        return aixi_pairs(agent, *arguments)
    if isinstance(agent, Outside):
        return outside_pairs(agent, *arguments)
    return tabular_pairs(agent, *arguments)


def run_blocks(experiment: Experiment, population: Population, blocks: Iterable[Block]) -> PairOutcomes:
    """Return the outcomes of all draws in ``blocks`` (disjoint), failed pairs included."""
    ordered = sorted(blocks, key=lambda block: (block.stratum, block.first))
    empty = np.zeros(0, np.int64)
    draws = [np.arange(block.first, block.first + block.count, dtype=np.int64) for block in ordered]
    chosen = [population.drawn(block.stratum, draw) for block, draw in zip(ordered, draws, strict=True)]
    which = np.concatenate([empty, *chosen])
    strata = np.repeat(np.array([b.stratum for b in ordered], np.int64), np.array([b.count for b in ordered], np.int64))
    draw = np.concatenate([empty, *draws])
    plus, minus = _scores(experiment, population, which, strata, draw)
    return PairOutcomes(strata, draw, which, population.lengths[which], plus, minus)


def merge(parts: Sequence[PairOutcomes]) -> PairOutcomes:
    """Join outcomes of disjoint draws into one, sorted by stratum and draw; no parts give empty outcomes."""

    def column(name: str, dtype: type) -> Array:
        return np.concatenate([np.zeros(0, dtype), *(getattr(part, name) for part in parts)])

    stratum, draw = column("stratum", np.int64), column("draw", np.int64)
    order = np.lexsort((draw, stratum))
    return PairOutcomes(
        stratum[order],
        draw[order],
        column("program", np.int64)[order],
        column("length", np.int64)[order],
        column("plus", np.float64)[order],
        column("minus", np.float64)[order],
    )


def run_adaptive(experiment: Experiment, population: Population, runs: int) -> PairOutcomes:
    """Run stages of the adaptive stratified sampler until ``runs`` trials (two a pair) ran without failure.

    Programs that fail are kept as failed rows and replaced by the next draw of their stratum.

    Raises:
        InputError: too few runs for the strata, every program failed, or the agent misbehaved.
    """
    outcomes = merge([])
    while targets := next_stage(outcomes, population, runs):
        while blocks := missing_blocks(targets, outcomes, population):
            outcomes = merge([outcomes, run_blocks(experiment, population, blocks)])
    return outcomes
