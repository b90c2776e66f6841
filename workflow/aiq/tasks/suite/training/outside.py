"""Let agents from outside play control domains; what goes wrong with one is counted and stops nobody else."""

from __future__ import annotations

import operator
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.config.agents import OutsidePlayer
from aiq.config.learners import load_factory
from aiq.domains.control import ControlDomain
from aiq.errors import AiqError, InputError
from aiq.plans.run import SuiteRun as Run
from aiq.records.control import OutsidePlay
from aiq.storage import shards
from aiq.storage.records import pack
from aiq.tasks.shell.job import LOGGER
from aiq.tasks.shell.units import FORGETFUL, Keeper, take_over
from aiq.tasks.suite.training.domains import episode_seeds, prepared
from aiq.training.playing import play

Act = Callable[[Any], Any]


@dataclass(frozen=True)
class Description:
    """What a factory is told of the domain that its agent will play.

    Attributes:
        name: name in the suite.
        observations: numbers in an observation, a vector of float32.
        actions: number of actions; an action is an integer from 0 to ``actions`` - 1.
        horizon: longest episode in steps.
        bounds: smallest and largest return of an episode: performance 0 and 1.
        seed: root of all randomness of this agent, another one for every episode.
        text: what the domain is, in words.
    """

    name: str
    observations: int
    actions: int
    horizon: int
    bounds: tuple[float, float]
    seed: int
    text: str


class OutsidePolicy:
    """Agents of one factory in one series of episodes, as what chooses actions in ``training.playing``.

    Args:
        agent: its settings.
        domain: the domain.
        seeds: seed of the agent in each episode.
    """

    def __init__(self, agent: OutsidePlayer, domain: ControlDomain, seeds: list[int]) -> None:
        self._agent, self._domain, self._seeds = agent, domain, seeds
        self._factory = load_factory(agent.factory)
        self._acts: dict[int, Act] = {}

    def __call__(self, observations: npt.NDArray[np.float32], episodes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return an action for each running episode.

        Raises:
            InputError: the agent raised, or answered with anything but actions of the domain.
        """
        if self._agent.batched:
            return self._checked(self._call(self._act(0), observations.copy()), len(episodes))
        answers = [
            self._call(self._act(int(number)), row.copy()) for number, row in zip(episodes, observations, strict=True)
        ]
        return self._checked(answers, len(episodes))

    def _act(self, episode: int) -> Act:
        """Return the agent of an episode, made when it is first needed."""
        if episode not in self._acts:
            d = self._domain
            told = Description(
                d.name, d.observations, d.actions, d.horizon, d.bounds, self._seeds[episode], d.sheet.description
            )
            try:
                made = self._factory(told, **self._agent.arguments)
            except Exception as error:
                raise InputError(
                    f"agent {self._agent.name}: the factory {self._agent.factory} raised {_reason(error)}; "
                    "it is called as factory(domain, **arguments)"
                ) from error
            if not callable(made):
                raise InputError(
                    f"agent {self._agent.name}: the factory {self._agent.factory} returned {made!r}; it must return a "
                    "function of the observation"
                )
            self._acts[episode] = made
        return self._acts[episode]

    def _call(self, act: Act, observation: npt.NDArray[np.float32]) -> Any:
        """Return what the agent answers."""
        try:
            return act(observation)
        except Exception as error:
            raise InputError(f"agent {self._agent.name} raised {_reason(error)} on {self._domain.name}") from error

    def _checked(self, answers: Any, count: int) -> npt.NDArray[np.int64]:
        found = list(answers) if np.ndim(answers) else [answers]
        if len(found) != count:
            raise InputError(
                f"agent {self._agent.name} returned {len(found)} actions on {self._domain.name} "
                f"for {count} observations"
            )
        actions = np.empty(count, np.int64)
        for k, answer in enumerate(found):
            try:
                action = operator.index(answer)
            except TypeError:
                action = -1
            if isinstance(answer, bool) or not 0 <= action < self._domain.actions:
                raise InputError(
                    f"agent {self._agent.name} returned the action {answer!r} on {self._domain.name}; allowed are "
                    f"integers from 0 to {self._domain.actions - 1}"
                )
            actions[k] = action
        return actions


def play_outside(
    run: Run, domain: str, name: str, source: str | Path, target: str | Path, keeper: Keeper = FORGETFUL
) -> None:
    """Let one agent from outside play one domain, every repetition by itself."""
    c = run.configuration
    agent = next(agent for agent in c.agents.outside if agent.name == name)
    world = prepared(run, domain, source)
    keys = {f"{name}+{r:06d}": r for r in range(c.agents.repetitions)}

    def work(unit: str) -> shards.Unit:
        """Play one repetition."""
        result = one_play(agent, world, c.seed, keys[unit])
        if result.reason:
            LOGGER.warning("%s", result.reason)
        return shards.Unit(run.plan.outside(domain, name), pack(result))

    units = take_over(target, "outside", dict.fromkeys(keys, run.plan.outside(domain, name)), work, keeper)
    shards.write(target, "outside", run.plan.of_outside(domain, name), c.seed, units)


def one_play(agent: OutsidePlayer, domain: ControlDomain, root: int, repetition: int) -> OutsidePlay:
    """Return one repetition; a failure of the agent or of the environment is a record too."""
    begun = time.perf_counter()
    keys = range(repetition * agent.episodes, (repetition + 1) * agent.episodes)
    own = [seeding.integer(root, "outside", domain.name, agent.name, k) for k in keys]
    try:
        episodes = play(domain, episode_seeds(root, domain.name, keys), OutsidePolicy(agent, domain, own))
    except AiqError as error:
        return OutsidePlay(float("nan"), np.zeros(0), time.perf_counter() - begun, "failed", str(error))
    performance = domain.performance(float(episodes.returns.mean()))
    return OutsidePlay(performance, episodes.returns, time.perf_counter() - begun, "finished")


def _reason(error: BaseException) -> str:
    """Return an exception as words on one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())
