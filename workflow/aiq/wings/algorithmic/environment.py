"""Programs of the algorithmic quotient, played: as domain and environment, and by the quotient of any agent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from aiq import seeding
from aiq.agents.protocol import Agent, Array, CannotPlay, Task, play, task_of
from aiq.agents.table import Entry, Scored
from aiq.environments import Kernel, KernelEnv, played
from aiq.errors import InputError
from aiq.wings.algorithmic.domain import BF
from aiq.wings.algorithmic.equations import Population, Program, ProgramSet, base, check_code
from aiq.wings.algorithmic.equations.estimation import quotient
from aiq.wings.algorithmic.equations.machine import MachineSettings, sample_programs
from aiq.wings.algorithmic.equations.runs import run_adaptive
from aiq.wings.algorithmic.equations.trials import Draws, Episode, Experiment, ProgramLanes
from aiq.wings.algorithmic.settings import BLOCK

_LARGEST = 100.0


@lru_cache(maxsize=16)
def sampled(root: int, programs: int) -> tuple[Program, ...]:
    """Return so many programs of a root seed, in the order in which they are drawn."""
    return sample_programs(root, 0, -(-programs // BLOCK)).programs[:programs]


def codes(settings: BF) -> tuple[str, ...]:
    """Return the programs that the settings choose, in the order of the sample, at least one.

    Raises:
        InputError: the program is not BF, or no program of the sample is of the stratum.
    """
    if settings.program is not None:
        check_code(settings.program)
        return (settings.program,)
    sample = sampled(settings.root, settings.environments)
    chosen = tuple(program.code for program in sample if settings.stratum in (None, program.stratum))
    if not chosen:
        raise InputError(
            f"none of {len(sample)} programs of root {settings.root} is of stratum {settings.stratum}; draw more "
            "environments or take another stratum"
        )
    return chosen


def kernel(settings: BF) -> Kernel:
    """Return the programs that the settings choose as a kernel."""
    chosen, machine = codes(settings), MachineSettings()
    programs = f"the program {chosen[0]}" if len(chosen) == 1 else f"{len(chosen)} programs, root seed {settings.root}"
    stratum = "" if settings.stratum is None else f", stratum {settings.stratum}"
    sign = "rewards times +1 or -1, drawn for every episode" if settings.antithetic else "rewards as they are"
    return Kernel(
        make=lambda generators: ProgramLanes(chosen, machine, generators, settings.antithetic),
        numbers=1,
        values=tuple(float(value) for value in range(machine.observations)),
        actions=tuple(f"symbol {symbol}" for symbol in range(machine.symbols)),
        rewards=(-_LARGEST, _LARGEST),
        factor=settings.largest / _LARGEST,
        about="Random programs of the reference machine of the Algorithmic Intelligence Quotient",
        paper="sections 3.5 and 3.6 of Legg and Veness, An Approximation of the Universal Intelligence Measure (2013)",
        notes=(
            f"{programs}{stratum}; {machine.symbols} symbols, {machine.observation_cells} observation cell(s)",
            f"{sign}; a program that reaches 1,000 steps of the machine ends the episode with reward 0",
            "nothing is told of earlier rewards and observations; the optimum depends on the program and is not known",
        ),
    )


bf_domain = played(kernel)


class BFEnv(KernelEnv):
    r"""Programs of the BF reference machine (Legg and Veness 2013), whose quotient is `equations`.

    In every step the action is put in front of the history of actions, the program runs for one cycle, and reward and
    observation are read from its output. Equal, reward by reward, to the trials of the quotient.

    - Actions: `Discrete(5)`, the symbol that the program reads.
    - Observations: `Discrete(5)`, the symbol in the observation cell; `one-hot`: a `Box` of as many 0 and 1.
    - Rewards: the factor times `largest` (s - 2) / 2 of the symbol s in the reward cell; a random agent's expected
      reward is 0 with `antithetic`.
    - Start: a program of the sample and the factor +1 or -1 at random; the first observation is the middle symbol.
    - End: truncation after `steps` steps; termination by a cycle of 1,000 steps of the machine, the program failed,
      reward 0.
    - Arguments: the settings of the source `bf` (see `aiq domains`), and `observation`,
      `native` by default.
    """

    id = "aiq/BF-v0"
    family = BF
    kernel_of = staticmethod(kernel)


_LANES = 128
"""Machines side by side, about 100 kB each."""


@dataclass(frozen=True)
class Algorithmic:
    """The quotient by adaptive stratified sampling; ``runs`` counts trials of ``length`` cycles without failure."""

    programs: int = 1000
    length: int = 200
    runs: int = 600
    name: str = "algorithmic"
    about: str = "quotient of random programs, mean reward per cycle times f = ±1, -100 to 100; random agents have 0"

    def score(self, entry: Entry, root: int) -> Scored:
        """Return the quotient: by the compiled loop for its own agents, by the protocol for others."""
        agent = entry.native.get(self.name)
        if agent is None:
            if entry.make is None:
                raise CannotPlay(entry.why)
            agent = Pairs(entry.make, self.task(root))
        population = sample(self.programs, root)
        outcomes = run_adaptive(Experiment(agent, Episode(self.length), root), population, self.runs)
        return Scored(quotient(outcomes, population, seed=root).estimate)

    def task(self, root: int) -> Task:
        """Return what agents are told; training is on other programs than the sample's."""
        trained = {"source": "bf", "root": root + 1, "steps": self.length}
        world = kernel(BF(source="bf", environments=1, steps=self.length))
        return task_of(world, self.name, self.length, training=trained)


class Pairs:
    """An agent of the protocol as what the quotient's sampler runs: pairs of trials on machines side by side.

    A trial has the streams of the compiled loop: an agent with the same random numbers has the same score. What
    ``make`` makes, one per machine, is told ``task`` with the seed of each trial.
    """

    def __init__(self, make: Callable[[], Agent], task: Task) -> None:
        self._make, self._task = make, task

    def pairs(self, experiment: Experiment, programs: ProgramSet, draws: Draws) -> Array:
        """Return the scores of pairs, shape (2, pairs), NaN for failed pairs (see ``equations.trials``)."""
        seed, episode, root = experiment.seed, experiment.episode, base(experiment.seed, "trial")
        columns = (column.tolist() for column in draws)
        trials = [(*draw, sign) for draw in zip(*columns, strict=True) for sign in (0, 1)]
        unused = [seeding.generator(seed, "unused")] * min(_LANES, len(trials))
        lanes = ProgramLanes(programs, experiment.machine, unused, antithetic=False)
        task, sums = replace(self._task, horizon=episode.length), np.empty(len(trials))
        for begin in range(0, len(trials), _LANES):
            agents = []
            for lane, (program, stratum, draw, sign) in enumerate(trials[begin : begin + _LANES]):
                lanes.begin_trial(lane, program, 1.0 - 2.0 * sign, root, stratum, draw, 2 * sign)
                agents.append(self._told(seed, stratum, draw, sign))
            played = play(agents, lanes, task, begun=True)
            sums[begin : begin + _LANES] = np.where(played.ended, np.nan, played.returns)[:, 0]
        scores = sums.reshape(-1, 2).T / episode.normaliser
        scores[:, np.isnan(scores).any(axis=0)] = np.nan
        return scores

    def _told(self, seed: int, stratum: int, draw: int, sign: int) -> Agent:
        agent = self._make()
        agent.begin(replace(self._task, seed=seeding.integer(seed, "algorithmic", "outside", stratum, draw, sign)))
        return agent


@lru_cache(maxsize=4)
def sample(programs: int, root: int) -> Population:
    """Return the programs of a root seed as a population by strata.

    Raises:
        InputError: if the index is negative.
    """
    return Population(sampled(root, programs))
