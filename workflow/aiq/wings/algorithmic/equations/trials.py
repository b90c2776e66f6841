"""Trials of agents on programs, in antithetic pairs: the compiled learners, MC-AIXI, and Python agents from outside.

A trial is one episode of a new machine with a new agent, whose score is the mean of f times reward, which it sees. A
pair is the trial with f = +1 and the one with f = -1 (antithetic variates, Legg and Veness 2013, section 3.6). Every
trial has two streams, for the machine and for the agent, named by stratum, draw and sign: agents compared on the same
draws meet the same programs and machine randomness (common random numbers), in whatever order and process.

An agent from outside is a Python callable named ``module:factory``. The factory is called for every trial as
``factory(actions, observations, seed, **parameters)`` and returns an object with a method
``act(observation, reward) -> action``: integers from 0, the reward a float from -100 to 100 (0 in the first cycle).
Every cycle goes through Python, which makes such an agent tens to hundreds of times slower than the compiled ones.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from aiq import seeding
from aiq.config.agents import load_factory
from aiq.errors import InputError
from aiq.wings.algorithmic.equations import Array, ProgramSet, agents, base, compiled, compiled_leaf, pack, start
from aiq.wings.algorithmic.equations import machine as bf
from aiq.wings.algorithmic.equations.aixi import aixi_trials

Trial = Callable[[Array, Array, int, int, int], float]
"""Instructions, jumps, stratum, draw and sign (0 for f = +1, 1 for f = -1) -> weighted sum of rewards, NaN: failed."""


@dataclass(frozen=True, slots=True)
class Episode:
    """How long a trial is and how its rewards are weighted.

    ``discount`` d in (0, 1] weights cycle k (from 0) by d ** k over the sum of the weights; ``legacy`` divides by one
    term too many, as the published code does (no effect at d = 1).
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
    """An agent in episodes on one machine; equal seed, machine and population mean common random numbers."""

    agent: agents.Agent | Player
    episode: Episode
    seed: int
    machine: bf.MachineSettings = field(default_factory=bf.MachineSettings)


def score_pairs(experiment: Experiment, programs: ProgramSet, draws: Draws) -> Array:
    """Return the scores of pairs of trials, shape (2, pairs), row 0 for f = +1; NaN for failed pairs."""
    agent = experiment.agent
    if isinstance(agent, Player):
        return agent.pairs(experiment, programs, draws)
    if isinstance(agent, agents.MCAIXI):
        episode = experiment.episode
        trial = aixi_trials(agent, experiment.machine, episode.length, episode.discount, experiment.seed)
    elif isinstance(agent, agents.Outside):
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
    machine: bf.Machine, tables: agents.Tables, code: Array, jump: Array, kind: int, parameters: Array, length: int,
    discount: float, factor: float, machine_stream: Array, agent_stream: Array,
) -> float:  # fmt: skip
    """Return the weighted sum of ``factor`` times reward over one episode, NaN where the program failed."""
    bf.reset(machine)
    agents.clear(tables, parameters)
    symbols = machine.symbols
    state, action, reward = 0, 0, 0.0
    total, weight = 0.0, 1.0
    learning = parameters[agents.LEGACY] != 0.0
    for _ in range(length):
        seen = bf.observation(machine)
        if learning and kind == agents.FREQUENCY:  # learns before it chooses, the others after
            agents.learn(kind, tables, parameters, state, action, reward, seen, 0, 0)
        greedy, chosen = agents.decide(kind, tables, parameters, seen, agent_stream)
        if learning and kind != agents.FREQUENCY:
            agents.learn(kind, tables, parameters, state, action, reward, seen, greedy, chosen)
        learning = True
        state, action = seen, chosen
        if bf.cycle(machine, code, jump, action, machine_stream) >= bf.STEP_LIMIT:
            return np.nan
        reward = factor * bf.reward_value(bf.reward_symbol(machine), symbols)
        total += weight * reward
        weight *= discount
    return total


def _tabular_trials(agent: agents.TabularAgent, experiment: Experiment) -> Trial:
    settings, episode = experiment.machine, experiment.episode
    machine, root = bf.new_machine(settings), base(experiment.seed, "trial")
    tables, parameters = agents.new_tables(settings.observations, settings.symbols), agent.parameters()
    discount, (own, acting) = float(episode.discount), np.empty((2, 4), np.uint64)

    def trial(code: Array, jump: Array, stratum: int, draw: int, sign: int) -> float:
        start(own, root, stratum, draw, 2 * sign)
        start(acting, root, stratum, draw, 2 * sign + 1)
        return run_trial(
            machine, tables, code, jump, agent.kind, parameters, episode.length, discount, 1.0 - 2.0 * sign, own, acting
        )

    return trial


# ---- agents from outside -------------------------------------------------------------------------


def _outside_trials(agent: agents.Outside, experiment: Experiment) -> Trial:
    factory: Callable[..., Any] = load_factory(agent.factory)
    settings, episode, seed = experiment.machine, experiment.episode, experiment.seed
    machine, root, stream = bf.new_machine(settings), base(seed, "trial"), np.empty(4, np.uint64)

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
        bf.reset(machine)
        reward, total, weight = 0.0, 0.0, 1.0
        for _ in range(episode.length):
            action = _act(agent, actor, int(bf.observation(machine)), reward, machine.symbols)
            if bf.cycle(machine, code, jump, action, stream) >= bf.STEP_LIMIT:
                return float("nan")
            reward = (1.0 - 2.0 * sign) * float(bf.reward_value(bf.reward_symbol(machine), machine.symbols))
            total += weight * reward
            weight *= episode.discount
        return total

    return trial


def _act(agent: agents.Outside, actor: Any, seen: int, reward: float, symbols: int) -> int:
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


# ---- machines side by side, one a lane: the environments of the quotient, stepped by whoever acts --


class Lanes(NamedTuple):
    """Arrays of all lanes; those of the machines have the lane as their first axis."""

    tape: Array
    registers: Array
    history: Array
    output: Array
    streams: Array  # uint64, (lanes, 4)
    ends: Array  # int64, (lanes, 2): where the lane's program begins and ends
    factors: Array  # float64, (lanes,): of its rewards
    seen: Array  # int64, (lanes,): the last observation


@compiled
def _machine(lanes: Lanes, lane: int, symbols: int, reward_cell: int) -> bf.Machine:
    return bf.Machine(
        lanes.tape[lane], lanes.registers[lane], lanes.history[lane], lanes.output[lane], symbols, reward_cell
    )


@compiled
def _begin(lanes: Lanes, symbols: int, reward_cell: int, chosen: Array, roots: Array) -> None:
    """Begin an episode in the chosen lanes, the program's random symbols from the stream of each root."""
    for k in range(chosen.shape[0]):
        machine = _machine(lanes, chosen[k], symbols, reward_cell)
        bf.reset(machine)
        start(lanes.streams[chosen[k]], roots[k], 0, 0, 0)
        lanes.seen[chosen[k]] = bf.observation(machine)


@compiled
def _step(
    lanes: Lanes, symbols: int, reward_cell: int, codes: Array, jumps: Array, chosen: Array, actions: Array,
    rewards: Array, failed: Array,
) -> None:  # fmt: skip
    """Run one cycle in the chosen lanes; a cycle that reaches the step limit pays nothing and fails."""
    for k in range(chosen.shape[0]):
        lane = chosen[k]
        machine = _machine(lanes, lane, symbols, reward_cell)
        first, last = lanes.ends[lane, 0], lanes.ends[lane, 1]
        steps = bf.cycle(machine, codes[first:last], jumps[first:last], actions[k], lanes.streams[lane])
        lanes.seen[lane] = bf.observation(machine)
        failed[k] = steps >= bf.STEP_LIMIT
        rewards[k] = 0.0 if failed[k] else lanes.factors[lane] * bf.reward_value(bf.reward_symbol(machine), symbols)


class ProgramLanes:
    """Machines that run programs of a list, drawn anew for every episode; each holds about 100 kB.

    A lane draws from its own generator, in this order: the program (if there are several), the factor +1 or -1 of the
    rewards (if ``antithetic``), and the root of the program's random symbols.
    """

    numbers = 1

    def __init__(
        self, codes: Sequence[str] | ProgramSet, settings: bf.MachineSettings,
        generators: Sequence[np.random.Generator], antithetic: bool = True,
    ) -> None:  # fmt: skip
        *arrays, symbols, reward_cell = bf.new_machine(settings)
        n, self._shape = len(generators), (symbols, reward_cell)
        tape, registers, history, output = (np.repeat(array[None], n, axis=0) for array in arrays)
        streams, ends = np.zeros((n, 4), np.uint64), np.zeros((n, 2), np.int64)
        self._lanes = Lanes(tape, registers, history, output, streams, ends, np.ones(n), np.zeros(n, np.int64))
        self._programs = codes if isinstance(codes, ProgramSet) else pack(codes)
        self._generators, self._antithetic = list(generators), antithetic

    def begin(self, chosen: Array) -> None:
        """Begin a new episode in the lanes ``chosen`` (n,)."""
        programs = self._programs.offsets.size - 1
        roots = np.empty(len(chosen), np.uint64)
        for k, lane in enumerate(chosen.tolist()):
            rng = self._generators[lane]
            program = int(rng.integers(programs)) if programs > 1 else 0
            self._give(lane, program, 1.0 - 2.0 * rng.integers(2) if self._antithetic else 1.0)
            roots[k] = rng.integers(2**63)
        _begin(self._lanes, *self._shape, chosen, roots)

    def _give(self, lane: int, program: int, factor: float) -> None:
        self._lanes.factors[lane] = factor
        self._lanes.ends[lane] = self._programs.offsets[program : program + 2]

    def begin_trial(
        self, lane: int, program: int, factor: float, root: np.uint64, stratum: int, draw: int, number: int
    ) -> None:
        """Begin in one lane the episode of a trial; ``number`` of the stream: 0 for the factor +1, 2 for -1."""
        self._give(lane, program, factor)
        _begin(self._lanes, *self._shape, np.array([lane]), np.zeros(1, np.uint64))
        start(self._lanes.streams[lane], root, stratum, draw, number)

    def step(self, chosen: Array, actions: Array) -> tuple[Array, Array]:
        """Run one cycle in the lanes ``chosen`` (n,); return factor times reward, and whether programs failed."""
        rewards, failed = np.empty(len(chosen)), np.empty(len(chosen), np.bool_)
        codes, jumps, _ = self._programs
        _step(self._lanes, *self._shape, codes, jumps, chosen, actions, rewards, failed)
        return rewards, failed

    def observe(self, chosen: Array) -> Array:
        """Return the observations as numbers, (n, 1) int64."""
        return self._lanes.seen[chosen][:, None]

    def keep(self, order: Array) -> None:
        """Go on with these lanes alone, in this order."""
        self._lanes = Lanes(*(array[order] for array in self._lanes))
        self._generators = [self._generators[lane] for lane in order.tolist()]
