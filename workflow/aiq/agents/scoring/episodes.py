"""Performances on control domains: the games of the 2020 suite, and AIQ over a suite of all families."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import domains, seeding
from aiq.agents.playing import play, task_of
from aiq.agents.protocol import Agent, CannotPlay, Task
from aiq.agents.scoring.base import Entry, Performances, Scored
from aiq.config import validate
from aiq.environments.gym_suite import TableDomain
from aiq.environments.worlds import KernelDomain
from aiq.gym2020 import SUITE
from aiq.gym2020.exact import optimal
from aiq.gym2020.suite import transitions
from aiq.records.estimate import Estimate
from aiq.stats.several import geometric_mean_of_means, mean_of_means

Floats = npt.NDArray[np.float64]
GAMES = ("FrozenLake", "FrozenLake8x8", "NChain", "Roulette", "CliffWalking", "Taxi")
"""The games of the suite of 2020 that have a finite number of observations."""
TESTS: Mapping[str, Mapping[str, Any]] = {
    "bf": {"source": "bf", "environments": 100, "steps": 50},
    "cups": {"source": "anytime_cups", "cups": 5, "steps": 50},
    "automata": {"source": "anytime_automaton", "environments": 100, "steps": 50},
    "grid": {"source": "anytime_grid", "environments": 100, "steps": 50},
    "lambda-star": {"source": "lambda_star", "steps": 50},
    "NChain": {"source": "gym2020", "name": "NChain"},
    "Roulette": {"source": "gym2020", "name": "Roulette"},
}
"""The suite of the measure ``suite``: one class of every family, and two games at which a random agent is not at 0."""


Known = dict[tuple[str, str], Floats]
"""(agent, test) -> performances that were played already: what two measures share is played once."""


@dataclass(frozen=True)
class Plan:
    """How agents play domains.

    Attributes:
        practice: episodes before those that count, in which agents learn.
        scored: episodes that count, in which they do not.
        repetitions: each begins anew, with random numbers of its own.
    """

    practice: int = 30
    scored: int = 10
    repetitions: int = 4


def performances(entry: Entry, name: str, settings: Mapping[str, Any], plan: Plan, root: int) -> Floats:
    """Return the performance of an agent on a domain, (repetitions,), each in [0, 1].

    Args:
        entry: the agent.
        name: of the domain.
        settings: of the domain, as in a configuration.
        plan: how it is played.
        root: root seed: all agents meet the same worlds.

    Raises:
        CannotPlay: the agent cannot play the domain, and why.
        InputError: it misbehaved.
    """
    return _prepared(entry, name, settings, plan, root)()


def _prepared(entry: Entry, name: str, settings: Mapping[str, Any], plan: Plan, root: int) -> Callable[[], Floats]:
    """Tell an agent of a domain, to see whether it can play it; return what plays it."""
    family = domains.CONTROL_FAMILIES[settings["source"]].settings
    domain = domains.control_domain(name, validate(family, dict(settings)))
    if not isinstance(domain, KernelDomain | TableDomain):
        raise CannotPlay(f"{name} is not played here")
    make = entry.make
    if make is None:
        raise CannotPlay(entry.why)
    further = {"episodes": plan.practice + plan.scored, "training": dict(settings)}
    task = task_of(domain.kernel, name, domain.horizon, **further)

    def told(repetition: int) -> Agent:
        agent = make()
        _begin(agent, replace(task, seed=seeding.integer(root, "agents", name, repetition)), name)
        return agent

    def played() -> Floats:
        generators = [seeding.generator(root, "agents", name, repetition) for repetition in range(plan.repetitions)]
        agents, lanes = [told(repetition) for repetition in range(plan.repetitions)], domain.kernel.make(generators)
        returns = play(agents, lanes, task, practice=plan.practice, scored=plan.scored).returns
        return np.array([domain.performance(domain.kernel.factor * float(total)) for total in returns.mean(axis=1)])

    told(0)
    return played


def _begin(agent: Agent, task: Task, name: str) -> None:
    """Tell an agent of a task; where it cannot play it say which one it is."""
    try:
        agent.begin(task)
    except CannotPlay as why:
        raise CannotPlay(f"{name}: {why}") from None


def _played(entry: Entry, tests: Mapping[str, Mapping[str, Any]], plan: Plan, root: int, known: Known) -> list[Floats]:
    """Return the performances on tests, those that are known from before included.

    The agent is told of all of them before it plays one, so that what it cannot play is known at once.
    """
    new = [name for name in tests if (entry.name, name) not in known]
    ready = {name: _prepared(entry, name, tests[name], plan, root) for name in new}
    for name in new:
        known[entry.name, name] = ready[name]()
    return [known[entry.name, name] for name in tests]


def _named(names: Sequence[str], values: Sequence[Floats]) -> Performances:
    """Return performances by test."""
    return tuple((name, tuple(map(float, row))) for name, row in zip(names, values, strict=True))


@dataclass(frozen=True)
class Games:
    """Mean performance on the games of the 2020 suite (the performances that its similarity is made of)."""

    plan: Plan = Plan()
    names: tuple[str, ...] = GAMES
    known: Known = field(default_factory=dict)
    name: str = "games"
    about: str = "mean performance on games of the 2020 suite, 0 to 1, after practice"

    def score(self, entry: Entry, root: int) -> Scored:
        """Return the mean over games; the optimum is computed exactly."""
        if entry.native.get(self.name) == "optimal":
            best = [
                SUITE[game].performance(optimal(transitions(SUITE[game]), SUITE[game].horizon)) for game in self.names
            ]
            value = float(np.mean(best))
            told = Estimate(value, (value, value), len(best), "exact, by value iteration")
            return Scored(told, tuple((game, (one,)) for game, one in zip(self.names, best, strict=True)))
        tests = {game: {"source": "gym2020", "name": game} for game in self.names}
        played = _played(entry, tests, self.plan, root, self.known)
        return Scored(mean_of_means(played, "games"), _named(self.names, played))


@dataclass(frozen=True)
class Suite:
    """AIQ per dimension over a small suite of every family, whose tests count as orthogonal.

    Relative AIQ of orthogonal tests is the product of the performances, whatever the complexities are; per dimension
    it is their geometric mean. `aiq score` scores the same performances in a space that was measured.
    """

    plan: Plan = Plan()
    tests: tuple[str, ...] = tuple(TESTS)
    known: Known = field(default_factory=dict)
    name: str = "suite"
    about: str = "AIQ per dimension over a suite of control domains taken as orthogonal, 0 to 1, after practice"

    def score(self, entry: Entry, root: int) -> Scored:
        """Return the geometric mean of the performances."""
        tests = {test: TESTS[test] for test in self.tests}
        played = _played(entry, tests, self.plan, root, self.known)
        return Scored(geometric_mean_of_means(played), _named(self.tests, played))
