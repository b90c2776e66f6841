"""Performances on control domains, and AIQ over a suite of those that the measures bring."""

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
from aiq.environments.kernel import Kernel
from aiq.stats.several import geometric_mean_of_means

Floats = npt.NDArray[np.float64]

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
    kernel = getattr(domain, "kernel", None)
    if not isinstance(kernel, Kernel):
        raise CannotPlay(f"{name} is not played here")
    make = entry.make
    if make is None:
        raise CannotPlay(entry.why)
    further = {"episodes": plan.practice + plan.scored, "training": dict(settings)}
    task = task_of(kernel, name, domain.horizon, **further)

    def told(repetition: int) -> Agent:
        agent = make()
        _begin(agent, replace(task, seed=seeding.integer(root, "agents", name, repetition)), name)
        return agent

    def played() -> Floats:
        generators = [seeding.generator(root, "agents", name, repetition) for repetition in range(plan.repetitions)]
        agents, lanes = [told(repetition) for repetition in range(plan.repetitions)], kernel.make(generators)
        returns = play(agents, lanes, task, practice=plan.practice, scored=plan.scored).returns
        return np.array([domain.performance(kernel.factor * float(total)) for total in returns.mean(axis=1)])

    told(0)
    return played


def _begin(agent: Agent, task: Task, name: str) -> None:
    """Tell an agent of a task; where it cannot play it say which one it is."""
    try:
        agent.begin(task)
    except CannotPlay as why:
        raise CannotPlay(f"{name}: {why}") from None


def played_on(
    entry: Entry, tests: Mapping[str, Mapping[str, Any]], plan: Plan, root: int, known: Known
) -> list[Floats]:
    """Return the performances on tests, those that are known from before included.

    The agent is told of all of them before it plays one, so that what it cannot play is known at once.
    """
    new = [name for name in tests if (entry.name, name) not in known]
    ready = {name: _prepared(entry, name, tests[name], plan, root) for name in new}
    for name in new:
        known[entry.name, name] = ready[name]()
    return [known[entry.name, name] for name in tests]


def named(names: Sequence[str], values: Sequence[Floats]) -> Performances:
    """Return performances by test."""
    return tuple((name, tuple(map(float, row))) for name, row in zip(names, values, strict=True))


@dataclass(frozen=True)
class Suite:
    """AIQ per dimension over a small suite, some domains of every measure, whose tests count as orthogonal.

    Relative AIQ of orthogonal tests is the product of the performances, whatever the complexities are; per dimension
    it is their geometric mean. `aiq score` scores the same performances in a space that was measured.
    """

    plan: Plan = Plan()
    tests: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    known: Known = field(default_factory=dict)
    name: str = "suite"
    about: str = "AIQ per dimension over a suite of control domains taken as orthogonal, 0 to 1, after practice"

    def score(self, entry: Entry, root: int) -> Scored:
        """Return the geometric mean of the performances."""
        played = played_on(entry, self.tests, self.plan, root, self.known)
        return Scored(geometric_mean_of_means(played), named([*self.tests], played))
