"""What the algorithmic quotient adds to the table of agents: its score of any agent, and agents of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from aiq import seeding
from aiq.agents.protocol import Agent, Array, CannotPlay, Task, called, play, task_of
from aiq.agents.table import Addition, Asked, Entry, Scored
from aiq.config.agents import load_factory
from aiq.wings.algorithmic import environment as bf
from aiq.wings.algorithmic.domain import BF
from aiq.wings.algorithmic.environment import sampled
from aiq.wings.algorithmic.equations.agents import HLQ, MCAIXI, Freq, QLearning, Random, TabularAgent
from aiq.wings.algorithmic.equations.estimation import quotient
from aiq.wings.algorithmic.equations.machine import MachineSettings, ProgramLanes
from aiq.wings.algorithmic.equations.programs import Population, ProgramSet
from aiq.wings.algorithmic.equations.runs import run_adaptive
from aiq.wings.algorithmic.equations.streams import base
from aiq.wings.algorithmic.equations.trials import Draws, Episode, Experiment
from aiq.wings.algorithmic.players import Aixi, Tabular


class FromActor:
    """An agent of the algorithmic test: factory(actions, observations, seed) makes it."""

    learning = True

    def __init__(self, factory: Callable[..., Any], name: str) -> None:
        self._factory, self.name = factory, name

    def begin(self, task: Task) -> None:
        """Make it anew; raises CannotPlay where an observation is not one number of some values."""
        if task.values is None or task.numbers != 1:
            raise CannotPlay(
                f"an observation is {task.numbers} numbers, agents of the algorithmic test take one symbol"
            )
        self._actor = called(self.name, task.name, self._factory, task.actions, len(task.values), task.seed)

    def start(self, observation: Array) -> None:
        """Keep the first observation; the reward before it is 0."""
        self._percept = (int(observation[0]), 0.0)

    def act(self) -> Any:
        """Return the next action."""
        return self._actor.act(*self._percept)

    def observe(self, reward: float, observation: Array, ended: bool) -> None:
        """Keep what came of the action until it acts again."""
        self._percept = (int(observation[0]), reward)


_LANES = 128
"""Machines side by side, about 100 kB each."""


@dataclass(frozen=True)
class Algorithmic:
    """The Algorithmic Intelligence Quotient (Legg and Veness 2013), adaptive stratified sampling.

    A trial has ``length`` cycles; ``runs`` counts trials without failure, two per pair.
    """

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
        kernel = bf.kernel(BF(source="bf", environments=1, steps=self.length))
        return task_of(kernel, self.name, self.length, training=trained)


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
    """Return the programs of a root seed as a population by strata."""
    return Population(sampled(root, programs, MachineSettings()))


_LEARNERS: Mapping[str, tuple[TabularAgent, str]] = {
    "random": (Random(), "draws every action uniformly"),
    "freq": (Freq(0.05), "mean reward per action, epsilon .05; looks at nothing"),
    "q": (QLearning(0.0, 0.5, 0.5, 0.05, 0.6), "tabular Q(lambda): lambda .5, rate .5, epsilon .05, discount .6"),
    "hlq": (HLQ(0.0, 0.95, 0.05, 0.7), "tabular HLQ(lambda): lambda .95, epsilon .05, discount .7"),
}
_AIXI = MCAIXI(30, 32, 3)


def addition(asked: Asked) -> Addition:
    """Return the quotient, its learners and MC-AIXI, agents of its own kind, and programs for the suite of all."""
    learners = [
        Entry(name, partial(Tabular, settings), {"algorithmic": settings}, about=about)
        for name, (settings, about) in _LEARNERS.items()
    ]
    aixi = "MC-AIXI-CTW: 30 simulations a step, context of 32 bits, horizon 3"
    return Addition(
        measures=(Algorithmic(asked.sizes.programs, asked.sizes.length, asked.sizes.runs),),
        agents=(*learners, Entry("mc-aixi", lambda: Aixi(_AIXI), {"algorithmic": _AIXI}, about=aixi)),
        words={"actor:": _actor},
        tests={"bf": {"source": "bf", "environments": 100, "steps": 50}},
    )


def _actor(named: str) -> Entry:
    factory, word = load_factory(named), f"actor:{named}"
    return Entry(word, lambda: FromActor(factory, word), about="an agent of the algorithmic test")
