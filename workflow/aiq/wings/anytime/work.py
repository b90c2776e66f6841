"""Administer the anytime test to the configured agents, and reduce their tests to what is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np

from aiq.plans.base import Job
from aiq.plans.cost import START
from aiq.plans.layout import Files
from aiq.plans.run import Run
from aiq.run.costing import LONGEST, SHORTEST, Sample
from aiq.run.job import LOGGER, read_units
from aiq.storage import hdf5
from aiq.storage.records import pack, unpack
from aiq.wings.anytime.equations.administer import (
    AnytimeRun,
    Interruption,
    TraceRow,
    administer_interactions,
    administer_seconds,
)
from aiq.wings.anytime.equations.agents import SlowAgent
from aiq.wings.anytime.equations.protocol import Clock, ManualClock
from aiq.wings.anytime.equations.reduction import BudgetPoint, ComplexityReward, at_budget, reward_by_complexity
from aiq.wings.anytime.examinees import environment_class, examinee
from aiq.wings.anytime.plan import AnytimePlan, ExamJob
from aiq.wings.anytime.plan import tests as modelled_cost
from aiq.wings.anytime.settings import Anytime, Interactions, Seconds, Slow

_COLUMNS = {field.name: np.float64 for field in fields(TraceRow)} | {"environment": object, "interactions": np.int64}
_PLAIN = ("agent", "environments", "measure", "budget", "root", "repetition", "status", "level")


def pack_test(run: AnytimeRun) -> dict[str, Any]:
    """Return the tree of one administered test."""
    tree: dict[str, Any] = {name: getattr(run, name) for name in _PLAIN}
    tree["interruption"] = None if run.interruption is None else pack(run.interruption)
    tree["trace"] = {name: np.array([getattr(row, name) for row in run.rows], kind) for name, kind in _COLUMNS.items()}
    return tree


def unpack_test(tree: Mapping[str, Any]) -> AnytimeRun:
    """Build an administered test from its tree."""
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


def examination(c: Anytime, name: str, agent: str) -> Callable[[int], AnytimeRun]:
    """Return what administers the test of a repetition to an agent, made anew each time, in the class of a name."""
    who, environments, test = c.agents[agent], environment_class(name, c.classes[name], c.seed), c.test

    def administer(repetition: int) -> AnytimeRun:
        how: dict[str, Any] = {"root": c.seed, "repetition": repetition}
        if not isinstance(test, Seconds):
            player = examinee(agent, who, environments, Clock())
            return administer_interactions(player, environments, test.budget, **how)
        clock = Clock() if test.action is None else ManualClock()
        player = examinee(agent, who, environments, clock)
        if test.action is not None and not isinstance(who, Slow):  # a slow agent takes a time of its own
            player = SlowAgent(player, test.action, clock)
            player.name = agent
        return administer_seconds(player, environments, test.budget, **how, clock=clock, first=test.first)

    return administer


def administer_tests(run: Exams, job: ExamJob, at: Job) -> Callable[[str], object]:
    """Return what administers one of the tests of a job."""
    administer, units = examination(run.configuration, job.environments, job.agent), job.units
    return lambda name: pack_test(administer(units[name]))


def read_tests(run: Exams, environments: str) -> dict[str, list[AnytimeRun]]:
    """Return agent -> tests in one class."""
    tests: dict[str, list[AnytimeRun]] = {}
    for job, _, test in read_units(run, "administer_anytime", unpack_test, run.plan.of_class(environments)):
        tests.setdefault(job.agent, []).append(test)
    return tests


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
    c, repetitions = run.configuration, range(run.configuration.repetitions)
    results = []
    for name in run.plan.classes:
        tests = {agent: list(map(examination(c, name, agent), repetitions)) for agent in run.plan.agents(name)}
        results.append(reduce(c, name, tests))
    return results


def reduce_tests(run: Exams, environments: str, at: Job) -> ClassResult:
    """Reduce the tests in one class."""
    result = reduce(run.configuration, environments, read_tests(run, environments))
    LOGGER.info("%s: %d tests", environments, sum(ending.tests for ending in result.endings))
    return result


def samples(run: Exams) -> Iterator[Sample]:
    """Yield one test of every agent in every class, with a smaller budget where it is large."""
    c = run.configuration
    for name, agent in c.pairs:
        modelled = modelled_cost(c, name, 1).seconds - START
        share, test = min(1.0, LONGEST / modelled), c.test
        budget: float = test.budget * share
        if isinstance(test, Interactions):
            budget = max(min(test.budget, SHORTEST), round(budget))
            share = budget / test.budget
        cut = c.model_copy(update={"test": test.model_copy(update={"budget": budget})})
        waiting = isinstance(test, Seconds) and test.action is None  # it lasts as long as its budget says
        times = c.repetitions / share
        files = sum((job.environments, job.agent) == (name, agent) for job in run.plan.jobs) / share
        work = partial(_administered, cut, name, agent)
        seconds = c.repetitions * test.budget if waiting else None
        yield Sample(f"{agent} in {name}", work, times, times, files, c.repetitions, c.repetitions * modelled, seconds)


def _administered(configuration: Anytime, name: str, agent: str) -> object:
    return pack_test(examination(configuration, name, agent)(0))
