"""Classes and examinees of the anytime test from their settings; administer it, and reduce tests to what is drawn."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from aiq import wing
from aiq.errors import InputError, reason
from aiq.plans.base import Job
from aiq.plans.cost import START
from aiq.plans.layout import Files
from aiq.plans.run import Run
from aiq.run.costing import LONGEST, SHORTEST, Sample
from aiq.run.job import LOGGER, read_units
from aiq.storage import hdf5
from aiq.storage.records import pack, unpack
from aiq.wings.anytime import equations
from aiq.wings.anytime import plan as settings
from aiq.wings.anytime.equations import administer
from aiq.wings.anytime.equations.automata import AutomatonClass, ProgramClass
from aiq.wings.anytime.equations.classes import BlackCup, CupsClass, FollowGood, GridClass
from aiq.wings.anytime.plan import Anytime, AnytimePlan, ExamJob, Interactions, Seconds, Slow
from aiq.wings.anytime.plan import tests as modelled_cost

PLAIN: dict[str, Callable[[], equations.Agent]] = {
    "random": equations.RandomAgent,
    "black_cup": BlackCup,
    "follow_good": FollowGood,
}


def environment_class(name: str, made: settings.Environments, root: int) -> equations.EnvironmentClass:
    """Return the class of environments that the settings describe, under its name in the configuration."""
    match made:
        case settings.Cups():
            return CupsClass(name=name)
        case settings.Automata():
            return AutomatonClass(name=name)
        case settings.GridWorld():
            return GridClass(name=name)
        case settings.BfPrograms():
            if "algorithmic" not in wing.measures():
                needed = "family programs needs the measure algorithmic, which is not installed here"
                raise InputError(f"class {name!r}: {needed}")
            return ProgramClass(name, root, made.blocks)


def examinee(
    name: str, who: settings.Examinee, environments: equations.EnvironmentClass, clock: equations.Clock
) -> equations.Agent:
    """Return the agent that the settings describe, under its name in the configuration."""
    match who:
        case settings.Slow():
            agent: equations.Agent = equations.SlowAgent(_player(name, who.agent, environments), who.seconds, clock)
        case settings.Sandbagger():
            winner = _player("winner", who.winner, environments)
            agent = equations.SandbaggingAgent(winner, environments.oracle(-1))
        case _:
            agent = _player(name, who, environments)
    cast(Any, agent).name = name
    return agent


def _player(name: str, who: settings.Player, environments: equations.EnvironmentClass) -> equations.Agent:
    match who:
        case settings.QLearner():
            return equations.TabularQ(who.rate, who.discount, who.exploration)
        case settings.Outside():
            return Guarded(name, outside(who.file, who.attribute))
        case settings.Plain():
            return environments.oracle() if who.kind == "oracle" else PLAIN[who.kind]()


class Guarded:
    """An agent from outside whose own failures become one sentence, whichever of its methods fails."""

    def __init__(self, name: str, agent: equations.Agent) -> None:
        self.name, self._agent = name, agent
        self.begin, self.observe, self.act = (partial(self._call, method) for method in ("begin", "observe", "act"))

    def _call(self, method: str, *arguments: object) -> Any:
        try:
            return getattr(self._agent, method)(*arguments)
        except (equations.AgentError, equations.AgentStopped):
            raise
        except Exception as error:
            why = reason(error)
            raise equations.AgentError(
                f"agent {self.name!r} failed in {method}() with {why}; correct the agent"
            ) from error


def outside(file: str, attribute: str) -> equations.Agent:
    """Return the agent that a Python file defines: an instance of a class, or a policy function; else InputError."""
    defined = getattr(_module(file), attribute, None)
    if defined is None:
        raise InputError(f"{file} defines no {attribute!r}; define it, or name what the file defines")
    if isinstance(defined, type):
        try:
            agent = defined()
        except Exception as error:
            raise InputError(f"{attribute} of {file} cannot be made: {reason(error)}; give it no arguments") from error
        if all(callable(getattr(agent, method, None)) for method in ("begin", "observe", "act")):
            return cast(equations.Agent, agent)
        raise InputError(f"{attribute} of {file} is no agent; it needs the methods begin, observe and act")
    if callable(defined):
        return equations.PolicyAgent(defined)
    raise InputError(f"{attribute} of {file} is {defined!r}; it must be a class or a function of the observation")


def _module(file: str) -> object:
    spec = importlib.util.spec_from_file_location("aiq_examinee", file) if Path(file).exists() else None
    if spec is None or spec.loader is None:
        raise InputError(f"the agent's file {file} is no Python file; give the path of a file that ends in .py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"the agent's file {file} fails: {reason(error)}; correct it") from error
    return module


def looks(run: Run[Any, Any, Any]) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield agents' files, each with what refuses it where it cannot be run or defines no agent of its name."""
    for name, who in run.configuration.agents.items():
        for agent in settings.from_files(who):
            yield f"agent {name}", partial(outside, agent.file, agent.attribute)


_COLUMNS = {field.name: np.float64 for field in fields(administer.TraceRow)} | {
    "environment": object,
    "interactions": np.int64,
}
_PLAIN = ("agent", "environments", "measure", "budget", "root", "repetition", "status", "level")


def pack_test(run: administer.AnytimeRun) -> dict[str, Any]:
    """Return the tree of one administered test."""
    tree: dict[str, Any] = {name: getattr(run, name) for name in _PLAIN}
    tree["interruption"] = None if run.interruption is None else pack(run.interruption)
    tree["trace"] = {name: np.array([getattr(row, name) for row in run.rows], kind) for name, kind in _COLUMNS.items()}
    return tree


def unpack_test(tree: Mapping[str, Any]) -> administer.AnytimeRun:
    """Build an administered test from its tree."""
    with hdf5.fitting("anytime test"):
        columns = [tree["trace"][name].tolist() for name in _COLUMNS]
        rows = tuple(administer.TraceRow(*row) for row in zip(*columns, strict=True))
        last = tree["interruption"]
        plain = {name: tree[name] for name in _PLAIN}
        return administer.AnytimeRun(
            **plain, rows=rows, interruption=None if last is None else unpack(administer.Interruption, last)
        )


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
    points: tuple[administer.BudgetPoint, ...]
    rewards: tuple[administer.ComplexityReward, ...]
    endings: tuple[Ending, ...]


def examination(c: Anytime, name: str, agent: str) -> Callable[[int], administer.AnytimeRun]:
    """Return what administers the test of a repetition to an agent, made anew each time, in the class of a name."""
    who, environments, test = c.agents[agent], environment_class(name, c.classes[name], c.seed), c.test

    def one(repetition: int) -> administer.AnytimeRun:
        how: dict[str, Any] = {"root": c.seed, "repetition": repetition}
        if not isinstance(test, Seconds):
            player = examinee(agent, who, environments, equations.Clock())
            return administer.administer_interactions(player, environments, test.budget, **how)
        clock = equations.Clock() if test.action is None else equations.ManualClock()
        player = examinee(agent, who, environments, clock)
        if test.action is not None and not isinstance(who, Slow):  # a slow agent takes a time of its own
            player = equations.SlowAgent(player, test.action, clock)
            player.name = agent
        return administer.administer_seconds(player, environments, test.budget, **how, clock=clock, first=test.first)

    return one


def administer_tests(run: Exams, job: ExamJob, at: Job) -> Callable[[str], object]:
    """Return what administers one of the tests of a job."""
    one, units = examination(run.configuration, job.environments, job.agent), job.units
    return lambda name: pack_test(one(units[name]))


def read_tests(run: Exams, environments: str) -> dict[str, list[administer.AnytimeRun]]:
    """Return agent -> tests in one class."""
    tests: dict[str, list[administer.AnytimeRun]] = {}
    for job, _, test in read_units(run, "administer_anytime", unpack_test, run.plan.of_class(environments)):
        tests.setdefault(job.agent, []).append(test)
    return tests


def reduce(
    configuration: Anytime, environments: str, tests: Mapping[str, Sequence[administer.AnytimeRun]]
) -> ClassResult:
    """Return Υ and ξ against the budget, reward against complexity, and how the tests of a class ended."""
    how: dict[str, Any] = {"resamples": configuration.resamples, "seed": configuration.seed}
    edges = _edges([row.complexity for runs in tests.values() for run in runs for row in run.rows], configuration.bins)
    points, rewards, endings = [], [], []
    for agent, runs in tests.items():
        begun = [b for b in configuration.points if any(row.spent <= b for run in runs for row in run.rows)]
        points += [administer.at_budget(runs, budget, **how) for budget in begun]
        if edges:
            rewards += administer.reward_by_complexity(runs, edges, **how)
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
