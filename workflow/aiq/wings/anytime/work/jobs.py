"""Administer the anytime test to the configured agents, and reduce their tests to what is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from aiq import storage
from aiq.storage import shards
from aiq.tasks.shell.job import LOGGER
from aiq.tasks.shell.units import take_over
from aiq.wings.anytime.equations import (
    ManualClock,
    SlowAgent,
    WallClock,
    administer_interactions,
    administer_seconds,
    at_budget,
    reward_by_complexity,
)
from aiq.wings.anytime.equations.clocks import Clock
from aiq.wings.anytime.equations.protocol import Agent, EnvironmentClass
from aiq.wings.anytime.records import AnytimeRun, BudgetPoint, ComplexityReward
from aiq.wings.anytime.run import AnytimeRun as Run
from aiq.wings.anytime.settings import Anytime, Seconds, Slow
from aiq.wings.anytime.storage import pack_test, unpack_test
from aiq.wings.anytime.work.agents import environment_class, examinee


@dataclass(frozen=True)
class Ending:
    """How many tests of an agent ended in a way."""

    agent: str
    status: str
    tests: int


@dataclass(frozen=True)
class ClassResult:
    """What the tests in one class reduce to; a budget at which no test had finished anything has no point."""

    environments: str
    measure: str
    points: tuple[BudgetPoint, ...]
    rewards: tuple[ComplexityReward, ...]
    endings: tuple[Ending, ...]


class Examination:
    """The tests of one agent in one class."""

    def __init__(self, run: Run, environments: str, agent: str) -> None:
        c = run.configuration
        self._configuration, self._name, self._who = c, agent, c.agents[agent]
        self._class = environment_class(environments, c.classes[environments], c.seed)

    def administer(self, repetition: int) -> AnytimeRun:
        """Administer one test, with an agent of its own.

        Raises:
            AgentError: the agent broke the protocol.
        """
        c = self._configuration
        if not isinstance(c.test, Seconds):
            agent = examinee(self._name, self._who, self._class, WallClock())
            return administer_interactions(agent, self._class, c.test.budget, root=c.seed, repetition=repetition)
        clock: Clock = WallClock() if c.test.action is None else ManualClock()
        return administer_seconds(
            self._timed(self._class, clock, c.test.action),
            self._class,
            c.test.budget,
            root=c.seed,
            repetition=repetition,
            clock=clock,
            first=c.test.first,
        )

    def _timed(self, environments: EnvironmentClass, clock: Clock, action: float | None) -> Agent:
        """Return the agent; on a simulated clock every action takes its time, a slow agent's its own."""
        agent = examinee(self._name, self._who, environments, clock)
        if action is None or isinstance(self._who, Slow):
            return agent
        slow = SlowAgent(agent, action, clock)
        slow.name = self._name
        return slow


def administer_tests(run: Run, environments: str, agent: str, first: int, last: int, target: str) -> None:
    """Administer tests ``first`` to ``last`` of one agent in one class."""
    fingerprint, seed = run.plan.test(environments, agent), run.configuration.seed
    examination = Examination(run, environments, agent)
    names = {f"{agent}+{r:06d}": r for r in range(first, last + 1)}

    def administer(name: str) -> shards.Unit:
        """Administer one test."""
        return shards.Unit(fingerprint, pack_test(examination.administer(names[name])))

    units = take_over(target, "anytime", dict.fromkeys(names, fingerprint), administer)
    shards.write(target, "anytime", fingerprint, seed, units)


def read_tests(run: Run, environments: str, sources: Sequence[str | Path]) -> dict[str, list[AnytimeRun]]:
    """Return agent -> tests in one class, from its shards in the order of the plan's jobs."""
    found: dict[str, list[AnytimeRun]] = {}
    for job, path in zip(run.plan.of_class(environments), sources, strict=True):
        units = shards.read(path, "anytime", run.plan.test(environments, job.agent))
        found.setdefault(job.agent, []).extend(unpack_test(unit.tree) for _, unit in sorted(units.items()))
    return found


def reduce(configuration: Anytime, environments: str, tests: Mapping[str, Sequence[AnytimeRun]]) -> ClassResult:
    """Return Υ and ξ against the budget, reward against complexity, and how the tests of a class ended."""
    how: dict[str, Any] = {"resamples": configuration.resamples, "seed": configuration.seed}
    edges = _edges([row.complexity for runs in tests.values() for run in runs for row in run.rows], configuration.bins)
    points, rewards, endings = [], [], []
    for agent, runs in tests.items():
        begun = [b for b in configuration.points if any(row.spent <= b for run in runs for row in run.rows)]
        points += [at_budget(runs, budget, **how) for budget in begun]
        if edges:
            rewards += reward_by_complexity(runs, edges, **how)
        statuses = [run.status for run in runs]
        endings += [Ending(agent, status, statuses.count(status)) for status in dict.fromkeys(statuses)]
    return ClassResult(environments, configuration.test.by, tuple(points), tuple(rewards), tuple(endings))


def _edges(complexities: Sequence[float], bins: int) -> list[float]:
    """Return whole edges of groups of H, evenly spread in log over what was met."""
    if not complexities:
        return []
    low, high = int(np.floor(min(complexities))), int(np.floor(max(complexities))) + 1
    return sorted({float(round(edge)) for edge in np.geomspace(max(low, 1), high, bins + 1)})


def examine(run: Run) -> list[ClassResult]:
    """Return what all tests of a configuration reduce to, administered here; nothing is written.

    Raises:
        AgentError: an agent broke the protocol.
    """
    found = []
    for name in run.plan.classes:
        tests = {}
        for agent in run.plan.agents(name):
            examination = Examination(run, name, agent)
            tests[agent] = [examination.administer(r) for r in range(run.configuration.repetitions)]
        found.append(reduce(run.configuration, name, tests))
    return found


def reduce_tests(run: Run, environments: str, sources: Sequence[str | Path], target: str) -> None:
    """Reduce the tests in one class."""
    found = reduce(run.configuration, environments, read_tests(run, environments, sources))
    storage.write_result(target, "anytime result", found, run.plan.result(environments), run.configuration.seed)
    LOGGER.info("%s: %d tests", environments, sum(ending.tests for ending in found.endings))


def read_results(run: Run, sources: Sequence[str | Path]) -> list[ClassResult]:
    """Return what the classes reduced to, in the order of the plan."""
    return [
        storage.read_result(path, "anytime result", ClassResult, run.plan.result(name))
        for name, path in zip(run.plan.classes, sources, strict=True)
    ]
