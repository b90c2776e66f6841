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
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

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
    Informed,
    WallClock,
    checked_action,
)
from aiq.wings.anytime.records import AnytimeRun, Interruption, TraceRow

MICROSECOND = 1e-6
RAISES = 10_000
"""Vain increments of ξ after which a class without a highest complexity counts as exhausted."""
STANDSTILL = 1_000_000
"""Interactions in one environment after which a clock that has not moved counts as standing."""

Stop = Callable[[], bool]


@dataclass
class _Course:
    """The state of a test under way: ξ, the used environments, the trace."""

    environments: EnvironmentClass
    root: int
    repetition: int
    level: float = 1.0
    used: set[str] = field(default_factory=set)
    rows: list[TraceRow] = field(default_factory=list)

    def words(self, *more: str | int) -> np.random.Generator:
        """Return the generator of this repetition for a purpose."""
        return seeding.generator(self.root, "anytime", self.environments.name, self.repetition, *more)

    def choose(self) -> Environment | None:
        """Return the next environment, raising ξ as long as there is none, or None when all are used."""
        rng = self.words("choice", len(self.rows))
        for _ in range(RAISES):
            if self.level - 1 > self.environments.highest:
                return None
            environment = self.environments.draw(self.level - 1, self.level, self.used, rng)
            if environment is not None:
                return environment
            self.level += 1
        return None

    def finish(
        self, environment: Environment, allowance: float, interactions: int, reward: float, spent: float
    ) -> None:
        """Count an environment and adapt ξ."""
        level = self.level
        self.level += level * reward / 2
        self.used.add(environment.key)
        self.rows.append(
            TraceRow(environment.key, environment.complexity, level, self.level, allowance, interactions, reward, spent)
        )

    def run(self, agent: Agent, measure: str, budget: float, status: str, last: Interruption | None) -> AnytimeRun:
        """Return the record of the test."""
        return AnytimeRun(
            agent.name,
            self.environments.name,
            measure,
            budget,
            self.root,
            self.repetition,
            status,
            tuple(self.rows),
            last,
            self.level,
        )


def _begin(agent: Agent, environment: Environment, course: _Course) -> None:
    first = environment.reset(course.words("environment", len(course.rows)))
    if isinstance(agent, Informed):
        agent.inform(environment)
    agent.begin(environment.actions, course.words("agent", agent.name, len(course.rows)))
    agent.observe(first, 0.0)


def _decide(agent: Agent, environment: Environment) -> int:
    """Return the agent's next action, checked.

    Raises:
        AgentError: the agent fails or returns no action.
    """
    try:
        action = agent.act()
    except (AgentStopped, AgentError):
        raise
    except Exception as error:
        raise AgentError(
            f"agent {agent.name!r} failed in act() with {type(error).__name__}: {error}; correct the agent"
        ) from error
    return checked_action(agent, action, environment.actions)


def _interruption(environment: Environment, allowance: float, rewards: list[float]) -> Interruption:
    mean = float(np.mean(rewards)) if rewards else None
    return Interruption(environment.key, environment.complexity, allowance, len(rewards), mean)


def administer_interactions(
    agent: Agent,
    environments: EnvironmentClass,
    budget: int,
    *,
    root: int,
    repetition: int = 0,
    stop: Stop | None = None,
) -> AnytimeRun:
    """Administer the test that disregards time (Definition 19).

    Args:
        agent: the examinee.
        environments: the class of environments.
        budget: interactions in all, at least 1.
        root: root seed.
        repetition: number of this test among repeated ones.
        stop: asked before every interaction; the test ends when it returns True.

    Raises:
        InputError: the budget is no whole number of at least 1.
        AgentError: the agent broke the protocol; the exception holds the test up to there.
    """
    given: Any = budget
    if not isinstance(given, int) or isinstance(given, bool) or given < 1:
        raise InputError(f"the budget is {budget!r} interactions; it must be a whole number of at least 1")
    course = _Course(environments, root, repetition)
    spent, allowance = 0, 1

    def ended(status: str, last: Interruption | None) -> AnytimeRun:
        return course.run(agent, "interactions", budget, status, last)

    while spent < budget:
        environment = course.choose()
        if environment is None:
            return ended("exhausted", None)
        rewards: list[float] = []
        try:
            _begin(agent, environment, course)
            while len(rewards) < allowance:
                if spent >= budget or (stop is not None and stop()):
                    status = "budget" if spent >= budget else "stopped"
                    return ended(status, _interruption(environment, allowance, rewards))
                reward, observation = environment.step(_decide(agent, environment))
                rewards.append(reward)
                spent += 1
                agent.observe(observation, reward)
        except AgentStopped:
            return ended("stopped", _interruption(environment, allowance, rewards))
        except AgentError as fault:
            fault.run = ended("failed", _interruption(environment, allowance, rewards))
            raise
        course.finish(environment, allowance, allowance, float(np.mean(rewards)), spent)
        allowance = math.ceil(allowance + allowance / 2)
    return ended("budget", None)


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
    repetition: int = 0,
    clock: Clock | None = None,
    first: float = MICROSECOND,
    stop: Stop | None = None,
) -> AnytimeRun:
    """Administer the test in physical time (Definition 18).

    An action that is not complete at the end of τ does not count. An agent cannot be interrupted while
    it thinks: the time it takes too long is spent all the same.

    Args:
        agent: the examinee.
        environments: the class of environments.
        budget: Θ in seconds, above 0 and finite.
        root: root seed.
        repetition: number of this test among repeated ones.
        clock: source of the time; by default the wall clock, with which results cannot be repeated exactly.
        first: τ at first, seconds.
        stop: asked before every interaction; the test ends when it returns True.

    Raises:
        InputError: the budget or the first allowance is not above 0, or the clock stands still.
        AgentError: the agent broke the protocol; the exception holds the test up to there.
    """
    for what, value in (("the budget", budget), ("the first allowance", first)):
        if not (0 < value < math.inf):
            raise InputError(f"{what} is {value} seconds; it must be above 0 and finite")
    clock = WallClock() if clock is None else clock
    course = _Course(environments, root, repetition)
    begin, allowance = clock.now(), first

    def ended(status: str, last: Interruption | None) -> AnytimeRun:
        return course.run(agent, "seconds", budget, status, last)

    while clock.now() - begin < budget:
        environment = course.choose()
        if environment is None:
            return ended("exhausted", None)
        rewards: list[float] = []
        try:
            last = _timed(agent, environment, course, clock, allowance, begin + budget, rewards, stop)
        except AgentStopped:
            return ended("stopped", _interruption(environment, allowance, rewards))
        except AgentError as fault:
            fault.run = ended("failed", _interruption(environment, allowance, rewards))
            raise
        if last is None:
            return ended("budget", _interruption(environment, allowance, rewards))
        mean = diminishing_mean(rewards, last, allowance)
        course.finish(environment, allowance, len(rewards), mean, clock.now() - begin)
        allowance += allowance / 2
    return ended("budget", None)


def _timed(
    agent: Agent,
    environment: Environment,
    course: _Course,
    clock: Clock,
    allowance: float,
    end: float,
    rewards: list[float],
    stop: Stop | None,
) -> float | None:
    """Let the agent interact for the allowance and collect ``rewards``.

    Returns the time of the last completed action (0 if none), or None when the test's own time ended
    before the allowance did.
    """
    begin = clock.now()
    _begin(agent, environment, course)
    last = 0.0
    while clock.now() - begin < allowance:
        if stop is not None and stop():
            raise AgentStopped
        action = _decide(agent, environment)
        passed = clock.now() - begin
        if passed > allowance or begin + passed > end:
            break
        reward, observation = environment.step(action)
        rewards.append(reward)
        last = passed
        agent.observe(observation, reward)
        if len(rewards) >= STANDSTILL and passed == 0:
            raise InputError(
                f"the clock stood still for {STANDSTILL} interactions; let it move, for example by a slow agent"
            )
    return None if begin + allowance > end and clock.now() >= end else last
