"""Trials of agents on programs, in antithetic pairs: the compiled learners, MC-AIXI, and Python agents from outside.

A trial is one episode of a new machine with a new agent; its score is the mean of f times reward, and
the agent sees f times reward. A pair is the trial with f = +1 and the one with f = -1 (antithetic
variates, Legg and Veness 2013, section 3.6). Every trial has two streams, one for the machine and
one for the agent, named by stratum, draw and sign: agents compared on the same draws meet the same programs
and the same machine randomness (common random numbers), in whatever order and process.

An agent from outside is a Python callable named ``module:factory``. The factory is called for every trial as
``factory(actions, observations, seed, **parameters)`` and returns an object with a method
``act(observation, reward) -> action``: integers from 0, the reward a float from -100 to 100 (0 in the first cycle).
The machine runs compiled, but every cycle goes through Python, which makes such an agent tens to hundreds of times
slower than the compiled ones.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from aiq import seeding
from aiq.config.agents import load_factory
from aiq.errors import InputError
from aiq.wings.algorithmic.equations.agents import FREQUENCY, MCAIXI, Agent, Outside, TabularAgent
from aiq.wings.algorithmic.equations.aixi import aixi_trials
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
from aiq.wings.algorithmic.equations.streams import Array, base, compiled_leaf, start

Trial = Callable[[Array, Array, int, int, int], float]
"""Instructions, jumps, stratum, draw and sign (0 for f = +1, 1 for f = -1) -> weighted sum of rewards, NaN: failed."""


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


class Draws(NamedTuple):
    """Draws of a sample: the number of the program of each, its stratum, and its number there, each (pairs,) int64."""

    programs: Array
    strata: Array
    numbers: Array


@runtime_checkable
class Player(Protocol):
    """Whoever plays pairs of trials by itself, such as agents of a higher layer."""

    def pairs(self, experiment: Experiment, programs: ProgramSet, draws: Draws) -> Array:
        """Return the scores of pairs, shape (2, pairs), NaN for failed pairs."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """An agent in episodes of one kind on one machine; ``seed`` is the root seed of all trials.

    Experiments with the same seed, machine and population use common random numbers: `difference` compares them.
    """

    agent: Agent | Player
    episode: Episode
    seed: int
    machine: MachineSettings = field(default_factory=MachineSettings)


def score_pairs(experiment: Experiment, programs: ProgramSet, draws: Draws) -> Array:
    """Return the scores of pairs of trials, shape (2, pairs), row 0 for f = +1; NaN for failed pairs."""
    agent = experiment.agent
    if isinstance(agent, Player):
        return agent.pairs(experiment, programs, draws)
    if isinstance(agent, MCAIXI):
        episode = experiment.episode
        trial = aixi_trials(agent, experiment.machine, episode.length, episode.discount, experiment.seed)
    elif isinstance(agent, Outside):
        trial = _outside_trials(agent, experiment)
    else:
        trial = _tabular_trials(agent, experiment)
    sums = np.full((2, len(draws.programs)), np.nan)
    for pair, (program, stratum, number) in enumerate(zip(*(column.tolist() for column in draws), strict=True)):
        begin, end = programs.offsets[program], programs.offsets[program + 1]
        code, jump = programs.codes[begin:end], programs.jumps[begin:end]
        plus = trial(code, jump, stratum, number, 0)
        minus = np.nan if np.isnan(plus) else trial(code, jump, stratum, number, 1)
        if not np.isnan(minus):
            sums[:, pair] = plus, minus
    scores: Array = sums / experiment.episode.normaliser
    return scores


# ---- compiled learners ---------------------------------------------------------------------------


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


def _tabular_trials(agent: TabularAgent, experiment: Experiment) -> Trial:
    settings, episode = experiment.machine, experiment.episode
    machine, root = new_machine(settings), base(experiment.seed, "trial")
    tables, parameters = new_tables(settings.observations, settings.symbols), agent.parameters()
    discount, (own, acting) = float(episode.discount), np.empty((2, 4), np.uint64)

    def trial(code: Array, jump: Array, stratum: int, draw: int, sign: int) -> float:
        start(own, root, stratum, draw, 2 * sign)
        start(acting, root, stratum, draw, 2 * sign + 1)
        return run_trial(
            machine, tables, code, jump, agent.kind, parameters, episode.length, discount, 1.0 - 2.0 * sign, own, acting
        )

    return trial


# ---- agents from outside -------------------------------------------------------------------------


def _outside_trials(agent: Outside, experiment: Experiment) -> Trial:
    factory: Callable[..., Any] = load_factory(agent.factory)
    settings, episode, seed = experiment.machine, experiment.episode, experiment.seed
    machine, root, stream = new_machine(settings), base(seed, "trial"), np.empty(4, np.uint64)

    def trial(code: Array, jump: Array, stratum: int, draw: int, sign: int) -> float:
        start(stream, root, stratum, draw, 2 * sign)
        own = seeding.integer(seed, "algorithmic", "outside", stratum, draw, sign)
        try:
            actor = factory(settings.symbols, settings.observations, own, **agent.parameters)
        except Exception as error:
            raise InputError(
                f"agent factory {agent.factory} raised {type(error).__name__} ({error}); it is called as "
                "factory(actions, observations, seed, **parameters)"
            ) from error
        reset(machine)
        reward, total, weight = 0.0, 0.0, 1.0
        for _ in range(episode.length):
            action = _act(agent, actor, int(observation(machine)), reward, machine.symbols)
            if cycle(machine, code, jump, action, stream) >= STEP_LIMIT:
                return float("nan")
            reward = (1.0 - 2.0 * sign) * float(reward_value(reward_symbol(machine), machine.symbols))
            total += weight * reward
            weight *= episode.discount
        return total

    return trial


def _act(agent: Outside, actor: Any, seen: int, reward: float, symbols: int) -> int:
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
