"""Administer the anytime test to the configured agents, and reduce their tests to what is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np

from aiq.plans.base import Job
from aiq.plans.cost.sizing import START
from aiq.plans.layout import Files
from aiq.plans.run import Run
from aiq.run.costing import LONGEST, SHORTEST
from aiq.run.estimate import Sample
from aiq.run.job import LOGGER
from aiq.run.units import read_units
from aiq.storage import hdf5
from aiq.storage.records import pack, unpack
from aiq.wings.anytime.equations import (
    ManualClock,
    SlowAgent,
    WallClock,
    administer_interactions,
    administer_seconds,
    at_budget,
    reward_by_complexity,
)
from aiq.wings.anytime.equations.protocol import Agent, Clock, EnvironmentClass
from aiq.wings.anytime.examinees import environment_class, examinee
from aiq.wings.anytime.plan import AnytimePlan, ExamJob
from aiq.wings.anytime.plan import tests as modelled_cost
from aiq.wings.anytime.records import AnytimeRun, BudgetPoint, ComplexityReward, Interruption, TraceRow
from aiq.wings.anytime.settings import Anytime, Interactions, Seconds, Slow

_WHOLE = ("interactions",)
_COLUMNS = tuple(field.name for field in fields(TraceRow))
_PLAIN = ("agent", "environments", "measure", "budget", "root", "repetition", "status", "level")


def pack_test(run: AnytimeRun) -> dict[str, Any]:
    """Return the tree of one administered test."""
    tree: dict[str, Any] = {name: getattr(run, name) for name in _PLAIN}
    tree["interruption"] = None if run.interruption is None else pack(run.interruption)
    rows = {name: [getattr(row, name) for row in run.rows] for name in _COLUMNS}
    tree["trace"] = {name: _array(name, values) for name, values in rows.items()}
    return tree


def _array(name: str, values: list[Any]) -> np.ndarray:
    if name == "environment":
        return np.array(values, dtype=object)
    return np.array(values, dtype=np.int64 if name in _WHOLE else np.float64)


def unpack_test(tree: Mapping[str, Any]) -> AnytimeRun:
    """Build an administered test from its tree.

    Raises:
        StorageError: entries are missing or of another type.
    """
    with hdf5.fitting("anytime test"):
        columns = [tree["trace"][name].tolist() for name in _COLUMNS]
        rows = tuple(TraceRow(*row) for row in zip(*columns, strict=True))
        last = tree["interruption"]
        plain = {name: tree[name] for name in _PLAIN}
        return AnytimeRun(**plain, rows=rows, interruption=None if last is None else unpack(Interruption, last))


Exams = Run[Anytime, AnytimePlan, Files]


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

    def __init__(self, run: Exams, environments: str, agent: str) -> None:
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


def administer_tests(run: Exams, job: ExamJob, at: Job) -> Callable[[str], object]:
    """Return what administers one of the tests of a job."""
    examination, units = Examination(run, job.environments, job.agent), job.units
    return lambda name: pack_test(examination.administer(units[name]))


def read_tests(run: Exams, environments: str) -> dict[str, list[AnytimeRun]]:
    """Return agent -> tests in one class."""
    found: dict[str, list[AnytimeRun]] = {}
    for job, _, test in read_units(run, "administer_anytime", unpack_test, run.plan.of_class(environments)):
        found.setdefault(job.agent, []).append(test)
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


def examine(run: Exams) -> list[ClassResult]:
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


def reduce_tests(run: Exams, environments: str, at: Job) -> ClassResult:
    """Reduce the tests in one class."""
    found = reduce(run.configuration, environments, read_tests(run, environments))
    LOGGER.info("%s: %d tests", environments, sum(ending.tests for ending in found.endings))
    return found


def samples(run: Exams) -> Iterator[Sample]:
    """Yield one test of every agent in every class, with a smaller budget where it is large."""
    c = run.configuration
    for name, agent in c.pairs:
        modelled = modelled_cost(c, c.classes[name], 1).seconds - START
        share, test = min(1.0, LONGEST / modelled), c.test
        budget: float = test.budget * share
        if isinstance(test, Interactions):
            budget = max(min(test.budget, SHORTEST), round(budget))
            share = budget / test.budget
        cut = c.model_copy(update={"test": test.model_copy(update={"budget": budget})})
        examination = Examination(replace(run, configuration=cut), name, agent)
        waiting = isinstance(test, Seconds) and test.action is None  # it lasts as long as its budget says
        times = c.repetitions / share
        files = sum((job.environments, job.agent) == (name, agent) for job in run.plan.jobs) / share
        yield Sample(
            f"{agent} in {name}",
            partial(_administered, examination),
            times,
            times,
            files,
            c.repetitions,
            c.repetitions * modelled,
            c.repetitions * test.budget if waiting else None,
        )


def _administered(examination: Examination) -> object:
    return pack_test(examination.administer(0))
