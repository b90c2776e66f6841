"""The anytime test, and what repeated tests reduce to (Hernández-Orallo and Dowe 2010, Definitions 18 and 19).

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
from itertools import pairwise

import numpy as np

from aiq import seeding
from aiq.errors import InputError
from aiq.records.estimate import Estimate
from aiq.stats import percentile_interval
from aiq.wings.anytime.equations import Agent, AgentStopped, Clock, Environment, EnvironmentClass, checked, inform
from aiq.wings.anytime.equations.automata import Array

RAISES = 10_000
"""Vain increments of ξ after which a class without a highest complexity counts as exhausted."""
STANDSTILL = 1_000_000
"""Interactions in one environment after which a clock that has not moved counts as standing."""

Rewards = Sequence[float]


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One environment that the examinee finished.

    ``environment`` names it within its class; ``complexity`` H; ``level``, ``next_level``: ξ before and after;
    ``allowance``: n interactions, or τ seconds; ``reward`` R in [−1, 1]; ``spent``: interactions, or seconds, in all.
    """

    environment: str
    complexity: float
    level: float
    next_level: float
    allowance: float
    interactions: int
    reward: float
    spent: float


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
    """One administered test, by ``interactions`` or ``seconds``; its status: ``budget``, ``exhausted``, ``stopped``."""

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
        agent, number = self.agent, len(self.rows)
        first = environment.reset(self.generator("environment", number))
        inform(agent, environment)
        agent.begin(environment.actions, self.generator("agent", agent.name, number))
        agent.observe(first, 0.0)

    def finish(self, environment: Environment, allowance: float, rewards: Rewards, reward: float, spent: float) -> None:
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
    course: _Course, allowance: float, spent: Callable[[], float],
    play: Callable[[Environment, float, list[float]], float | None], grown: Callable[[float], float],
) -> AnytimeRun:  # fmt: skip
    """Administer a test, whose first environment has the ``allowance`` and the next ones what ``grown`` makes of it.

    ``play`` plays an environment for an allowance and adds its rewards to a list; it returns the mean reward, or None
    where the budget ended before the allowance.
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
            reward, observation = environment.step(checked(agent, agent.act(), environment.actions))
            rewards.append(reward)
            spent += 1
            agent.observe(observation, reward)
        return float(np.mean(rewards))

    return _administered(course, 1, lambda: spent, play, lambda allowance: math.ceil(allowance + allowance / 2))


def diminishing_mean(rewards: list[float], last: float, allowance: float) -> float:
    """Return the mean reward with diminishing history (Definition 16), so that resting on gains tends to 0.

    The first n* = ⌊n t/τ⌋ of the n rewards count, t the time of the last completed action and τ the allowance.
    """
    counted = math.floor(len(rewards) * last / allowance)
    return float(np.mean(rewards[:counted])) if counted > 0 else 0.0


def administer_seconds(
    agent: Agent, environments: EnvironmentClass, budget: float, *, root: int, clock: Clock, repetition: int = 0,
    first: float = 1e-6,
) -> AnytimeRun:  # fmt: skip
    """Administer the test in physical time (Definition 18), with a budget Θ and a ``first`` allowance τ in seconds.

    An action that is not complete at the end of τ does not count; an agent cannot be interrupted while it thinks.
    """
    course = _Course(agent, environments, "seconds", budget, root, repetition)
    begun = clock.now()

    def play(environment: Environment, allowance: float, rewards: list[float]) -> float | None:
        beginning, last = clock.now(), 0.0  # last: time of the last completed action
        course.begin(environment)
        while clock.now() - beginning < allowance:
            action = checked(agent, agent.act(), environment.actions)
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


# ---- reduction -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BudgetPoint:
    """State of a set of repeated tests at one budget: Υ, ξ, and how many tests had finished no environment."""

    agent: str
    environments: str
    measure: str
    budget: float
    upsilon: Estimate
    level: Estimate
    unfinished: int


@dataclass(frozen=True, slots=True)
class ComplexityReward:
    """Mean R of one agent in environments with ``low`` ≤ H < ``high``."""

    agent: str
    environments: str
    low: float
    high: float
    estimate: Estimate


def _resampled(table: Array, counts: Array, resamples: int, rng: np.random.Generator) -> Array:
    """Return bootstrap means, (resamples,): tests are drawn again, and in each drawn test its environments."""
    runs, width = table.shape
    inside = np.arange(width)
    means = np.empty(resamples)
    for index in range(resamples):
        drawn = rng.integers(runs, size=runs)
        picks = np.floor(rng.random((runs, width)) * counts[drawn, None]).astype(np.int64)
        values = np.take_along_axis(table[drawn], picks, axis=1) * (inside < counts[drawn, None])
        means[index] = (values.sum(axis=1) / counts[drawn]).mean()
    return means


def at_budget(runs: Sequence[AnytimeRun], budget: float, *, resamples: int = 1000, seed: int = 0) -> BudgetPoint:
    """Return Υ and ξ of repeated tests of one agent had they been stopped at ``budget`` (interactions or seconds).

    Υ is the mean over tests of each test's Υ; tests that had finished no environment have none and are counted. The
    interval resamples tests and environments within tests (percentiles).
    """
    head = runs[0]
    finished = [[row for row in run.rows if row.spent <= budget] for run in runs]
    rewards = [[row.reward for row in rows] for rows in finished if rows]
    if not rewards:
        raise InputError(
            f"no test of {head.agent!r} had finished an environment at the budget {budget}; give a larger budget"
        )
    counts = np.array([len(row) for row in rewards])
    table = np.zeros((len(rewards), counts.max()))
    for values, row in zip(table, rewards, strict=True):
        values[: len(row)] = row
    words = ("anytime", head.agent, head.environments, head.measure, str(float(budget)))
    rng = seeding.generator(seed, *words)
    value = float((table.sum(axis=1) / counts).mean())
    means = _resampled(table, counts, resamples, rng)
    method = "mean over tests of the mean over environments, bootstrap of tests and of environments in them"
    upsilon = Estimate(value, percentile_interval(means), len(rewards), method, seed)
    levels = np.array([rows[-1].next_level if rows else 1.0 for rows in finished])
    drawn = levels[rng.integers(levels.size, size=(resamples, levels.size))].mean(axis=1)
    interval = percentile_interval(drawn) if levels.size > 1 else None
    level = Estimate(float(levels.mean()), interval, levels.size, "mean over tests, bootstrap of tests", seed)
    unfinished = len(runs) - len(rewards)
    return BudgetPoint(head.agent, head.environments, head.measure, float(budget), upsilon, level, unfinished)


def reward_by_complexity(
    runs: Sequence[AnytimeRun], edges: Sequence[float], *, resamples: int = 1000, seed: int = 0
) -> tuple[ComplexityReward, ...]:
    """Return the mean R over environments with edges[i] ≤ H < edges[i + 1], if any; bootstrap of tests."""
    head = runs[0]
    rewards = np.array([row.reward for run in runs for row in run.rows])
    heights = np.array([row.complexity for run in runs for row in run.rows])
    tests = np.array([run.repetition for run in runs for _ in run.rows])
    points = []
    for low, high in pairwise(edges):
        inside = (heights >= low) & (heights < high)
        if not inside.any():
            continue
        chosen, groups = rewards[inside], tests[inside]
        rng = seeding.generator(seed, "anytime", "complexity", head.agent, head.environments, str(float(low)))
        members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
        number, means = len(members), []
        for _ in range(resamples if number > 1 else 0):
            drawn = np.concatenate([members[g] for g in rng.integers(number, size=number)])
            means.append(chosen[drawn].mean())
        method = "mean over environments, bootstrap of tests"
        estimate = Estimate(float(chosen.mean()), percentile_interval(means), int(chosen.size), method, seed)
        points.append(ComplexityReward(head.agent, head.environments, float(low), float(high), estimate))
    return tuple(points)
