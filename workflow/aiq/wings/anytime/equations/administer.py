"""The anytime test (Hernández-Orallo and Dowe 2010, Definitions 18 and 19).

Both definitions share the adaptation: an environment with ξ − 1 ≤ H ≤ ξ not used before, chosen at
random; where there is none ξ grows by 1; after a mean reward R, ξ grows by ξ R / 2 and the allowance
by half of itself. In Definition 19 the allowance is a number n of interactions, at first 1, rounded
up; in Definition 18 it is a time τ, at first one microsecond. The environment in which the budget
ends does not count.

A test depends on (root seed, class, repetition, agent) alone: its repetitions can be shared out over
jobs in any way. Equal seeds give all agents the same choices from the same levels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from aiq import seeding
from aiq.errors import InputError
from aiq.wings.anytime.equations.protocol import (
    Agent,
    AgentError,
    AgentStopped,
    Clock,
    Environment,
    EnvironmentClass,
    checked_action,
    inform,
)

RAISES = 10_000
"""Vain increments of ξ after which a class without a highest complexity counts as exhausted."""
STANDSTILL = 1_000_000
"""Interactions in one environment after which a clock that has not moved counts as standing."""

Rewards = Sequence[float]
STATUSES = ("budget", "exhausted", "stopped", "failed")
"""Why a test ended: budget spent, no environments left, the examinee stopped it, the examinee failed."""


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One environment that the examinee finished.

    ``environment`` names it within its class; ``complexity`` H; ``level``, ``next_level``: ξ before and
    after; ``allowance``: n interactions, or τ seconds; ``interactions`` completed; ``reward`` R in
    [−1, 1]; ``spent``: interactions, or seconds, since the test began.
    """

    environment: str
    complexity: float
    level: float
    next_level: float
    allowance: float
    interactions: int
    reward: float
    spent: float

    def __post_init__(self) -> None:
        if not -1 <= self.reward <= 1:
            raise ValueError(f"the mean reward {self.reward} in {self.environment} is outside [−1, 1]")


@dataclass(frozen=True, slots=True)
class Interruption:
    """The environment in which the test ended; it does not count. ``reward``: mean so far, None before any."""

    environment: str
    complexity: float
    allowance: float
    interactions: int
    reward: float | None


@dataclass(frozen=True, slots=True)
class AnytimeRun:
    """One administered test. ``measure``: ``interactions`` (Definition 19) or ``seconds`` (Definition 18)."""

    agent: str
    environments: str
    measure: str
    budget: float
    root: int
    repetition: int
    status: str
    rows: tuple[TraceRow, ...]
    interruption: Interruption | None
    level: float

    def __post_init__(self) -> None:
        if self.measure not in ("interactions", "seconds") or self.status not in STATUSES:
            raise ValueError(f"unknown measure {self.measure!r} or status {self.status!r}")
        names = [row.environment for row in self.rows]
        if len(set(names)) != len(names):
            raise ValueError("a test used an environment twice")

    @property
    def upsilon(self) -> float:
        """Υ, the mean of R over the finished environments; NaN before the first is finished."""
        return sum(row.reward for row in self.rows) / len(self.rows) if self.rows else math.nan


@dataclass
class _Course:
    """The state of a test under way: ξ, the used environments, the trace."""

    agent: Agent
    environments: EnvironmentClass
    measure: str
    budget: float
    root: int
    repetition: int
    level: float = 1.0
    rows: list[TraceRow] = field(default_factory=list)

    def generator(self, *words: str | int) -> np.random.Generator:
        """Return the generator of this repetition for a purpose."""
        return seeding.generator(self.root, "anytime", self.environments.name, self.repetition, *words)

    def choose(self) -> Environment | None:
        """Return the next environment, raising ξ as long as there is none, or None when all are used."""
        rng, used = self.generator("choice", len(self.rows)), {row.environment for row in self.rows}
        for _ in range(RAISES):
            if self.level - 1 > self.environments.highest:
                return None
            environment = self.environments.draw(self.level - 1, self.level, used, rng)
            if environment is not None:
                return environment
            self.level += 1
        return None

    def begin(self, environment: Environment) -> None:
        """Show the agent the beginning of an environment."""
        agent, number = self.agent, len(self.rows)
        first = environment.reset(self.generator("environment", number))
        inform(agent, environment)
        agent.begin(environment.actions, self.generator("agent", agent.name, number))
        agent.observe(first, 0.0)

    def decide(self, environment: Environment) -> int:
        """Return the agent's next action, checked."""
        try:
            action = self.agent.act()
        except (AgentStopped, AgentError):
            raise
        except Exception as error:
            raise AgentError(
                f"agent {self.agent.name!r} failed in act() with {type(error).__name__}: {error}; correct the agent"
            ) from error
        return checked_action(self.agent, action, environment.actions)

    def finish(self, environment: Environment, allowance: float, rewards: Rewards, reward: float, spent: float) -> None:
        """Count an environment and adapt ξ."""
        level = self.level
        self.level += level * reward / 2
        row = (environment.key, environment.complexity, level, self.level, allowance, len(rewards), reward, spent)
        self.rows.append(TraceRow(*row))

    def ended(
        self, status: str, environment: Environment | None = None, allowance: float = 0.0, rewards: Rewards = ()
    ) -> AnytimeRun:
        """Return the record of the test; ``environment`` is the one in which it ended, which does not count."""
        last = None
        if environment is not None:
            mean = float(np.mean(rewards)) if rewards else None
            last = Interruption(environment.key, environment.complexity, allowance, len(rewards), mean)
        words = (self.agent.name, self.environments.name, self.measure, self.budget, self.root, self.repetition)
        return AnytimeRun(*words, status, tuple(self.rows), last, self.level)


def _administered(
    course: _Course,
    allowance: float,
    spent: Callable[[], float],
    play: Callable[[Environment, float, list[float]], float | None],
    grown: Callable[[float], float],
) -> AnytimeRun:
    """Administer a test, whose first environment has the ``allowance`` and the next ones what ``grown`` makes of it.

    ``play`` lets the agent play an environment for an allowance and adds its rewards to a list; it returns the mean
    reward, or None where the budget ended before the allowance.
    """
    while spent() < course.budget:
        environment = course.choose()
        if environment is None:
            return course.ended("exhausted")
        rewards: list[float] = []
        try:
            mean = play(environment, allowance, rewards)
        except AgentStopped:
            return course.ended("stopped", environment, allowance, rewards)
        if mean is None:
            return course.ended("budget", environment, allowance, rewards)
        course.finish(environment, allowance, rewards, mean, spent())
        allowance = grown(allowance)
    return course.ended("budget")


def administer_interactions(
    agent: Agent, environments: EnvironmentClass, budget: int, *, root: int, repetition: int = 0
) -> AnytimeRun:
    """Administer the test that disregards time (Definition 19); raises AgentError for a breach of the protocol."""
    course = _Course(agent, environments, "interactions", budget, root, repetition)
    spent = 0

    def play(environment: Environment, allowance: float, rewards: list[float]) -> float | None:
        nonlocal spent
        course.begin(environment)
        while len(rewards) < allowance:
            if spent >= budget:
                return None
            reward, observation = environment.step(course.decide(environment))
            rewards.append(reward)
            spent += 1
            agent.observe(observation, reward)
        return float(np.mean(rewards))

    return _administered(course, 1, lambda: spent, play, lambda allowance: math.ceil(allowance + allowance / 2))


def diminishing_mean(rewards: list[float], last: float, allowance: float) -> float:
    """Return the mean reward with diminishing history (Definition 16).

    The first n* = ⌊n t/τ⌋ of the n rewards count, t the time of the last completed action and τ the
    allowance; 0 where n* = 0. So an agent that rests on its first gains tends to 0.
    """
    counted = math.floor(len(rewards) * last / allowance)
    return float(np.mean(rewards[:counted])) if counted > 0 else 0.0


def administer_seconds(
    agent: Agent,
    environments: EnvironmentClass,
    budget: float,
    *,
    root: int,
    clock: Clock,
    repetition: int = 0,
    first: float = 1e-6,
) -> AnytimeRun:
    """Administer the test in physical time (Definition 18), with a budget Θ and a ``first`` allowance τ in seconds.

    An action that is not complete at the end of τ does not count. An agent cannot be interrupted while
    it thinks: the time it takes too long is spent all the same.
    """
    course = _Course(agent, environments, "seconds", budget, root, repetition)
    begun = clock.now()

    def play(environment: Environment, allowance: float, rewards: list[float]) -> float | None:
        beginning, last = clock.now(), 0.0  # last: time of the last completed action
        course.begin(environment)
        while clock.now() - beginning < allowance:
            action = course.decide(environment)
            passed = clock.now() - beginning
            if passed > allowance or beginning + passed > begun + budget:
                break
            reward, observation = environment.step(action)
            rewards.append(reward)
            last = passed
            agent.observe(observation, reward)
            if len(rewards) >= STANDSTILL and passed == 0:
                raise InputError(
                    f"the clock stood still for {STANDSTILL} interactions; let it move, for example by a slow agent"
                )
        if beginning + allowance > begun + budget and clock.now() >= begun + budget:
            return None
        return diminishing_mean(rewards, last, allowance)

    return _administered(course, first, lambda: clock.now() - begun, play, lambda allowance: allowance + allowance / 2)
