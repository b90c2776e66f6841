"""What a measure is to the table of agents, what the table knows of an agent, and performances on control domains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from aiq import domains, seeding
from aiq.agents.players import Pool, Weights
from aiq.agents.protocol import Agent, CannotPlay, play, task_of
from aiq.config import validate
from aiq.environments import Kernel
from aiq.records.estimate import Estimate, Floats
from aiq.stats.means import geometric_mean_of_means

Performances = tuple[tuple[str, tuple[float, ...]], ...]


@dataclass(frozen=True)
class Entry:
    """An agent of the table.

    Attributes:
        name: in the table.
        make: makes an agent of the protocol; None: there is none.
        native: name of a measure -> what the measure's own code takes for this agent; the protocol is not used there.
        why: why it cannot be examined where it has neither.
        about: what it is, in one sentence.
    """

    name: str
    make: Callable[[], Agent] | None = None
    native: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""
    about: str = ""


@dataclass(frozen=True)
class Scored:
    """A score, and the performances that it is made of, if it is: test -> one number per repetition."""

    estimate: Estimate
    performances: Performances = ()


class Measure(Protocol):
    """A measure of the table."""

    @property
    def name(self) -> str:
        """Name on the command line."""

    @property
    def about(self) -> str:
        """What its score is, with its range, in one line."""

    def score(self, entry: Entry, root: int) -> Scored:
        """Return the score of an agent; raises CannotPlay, or InputError where the agent misbehaves."""


@dataclass(frozen=True)
class Asked:
    """What the table asks a measure for.

    Attributes:
        sizes: how much every measure asks of an agent, a ``table.Sizes``.
        pool: the network that agents share.
        network: weights of a network of level 0 of CartPole3D; None where it is to be trained.
        plan: how agents play domains.
        played: performances that were played already.
    """

    sizes: Any
    pool: Pool
    network: Weights | None
    plan: Plan
    played: Kept


@dataclass(frozen=True)
class Addition:
    """What a measure adds to the table.

    Attributes:
        measures: what agents are scored by.
        agents: agents that it brings.
        words: beginning of a word such as ``actor:`` -> from the rest to the agent.
        knows: name of an agent that anybody brings -> what measures of this one take for it (see ``Entry.native``).
        tests: name -> settings of the domains that it adds to the measure ``suite``.
    """

    measures: Sequence[Measure] = ()
    agents: Sequence[Entry] = ()
    words: Mapping[str, Callable[[str], Entry]] = field(default_factory=dict)
    knows: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    tests: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


Kept = dict[tuple[str, str], Floats]
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


def _prepared(entry: Entry, name: str, settings: Mapping[str, Any], plan: Plan, root: int) -> Callable[[], Floats]:
    """Tell an agent of a domain, to see whether it can play it; return what gives its performances, (repetitions,)."""
    family = domains.CONTROL_FAMILIES[settings["source"]].settings
    domain = domains.control_domain(name, validate(family, dict(settings)))
    kernel = getattr(domain, "kernel", None)
    if not isinstance(kernel, Kernel):
        raise CannotPlay(f"{name} is not played here")
    make = entry.make
    if make is None:
        raise CannotPlay(entry.why)
    task = task_of(kernel, name, domain.horizon, episodes=plan.practice + plan.scored, training=dict(settings))

    def begun(repetition: int) -> Agent:
        agent = make()
        try:
            agent.begin(replace(task, seed=seeding.integer(root, "agents", name, repetition)))
        except CannotPlay as why:
            raise CannotPlay(f"{name}: {why}") from None
        return agent

    def played() -> Floats:
        generators = [seeding.generator(root, "agents", name, repetition) for repetition in range(plan.repetitions)]
        agents, lanes = [begun(repetition) for repetition in range(plan.repetitions)], kernel.make(generators)
        returns = play(agents, lanes, task, practice=plan.practice, scored=plan.scored).returns
        return np.array([domain.performance(kernel.factor * float(total)) for total in returns.mean(axis=1)])

    begun(0)
    return played


def played_on(entry: Entry, tests: Mapping[str, Mapping[str, Any]], plan: Plan, root: int, kept: Kept) -> list[Floats]:
    """Return the performances on tests, each (repetitions,) in [0, 1], those that are kept from before included.

    The agent is told of all of them before it plays one, so that what it cannot play is known at once. All agents meet
    the same worlds. Tests are name -> settings of a domain, as in a configuration; new performances are kept.

    Raises:
        CannotPlay: the agent cannot play a test, and why.
        InputError: it misbehaved.
    """
    new = [name for name in tests if (entry.name, name) not in kept]
    ready = {name: _prepared(entry, name, tests[name], plan, root) for name in new}
    for name in new:
        kept[entry.name, name] = ready[name]()
    return [kept[entry.name, name] for name in tests]


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
    kept: Kept = field(default_factory=dict)
    name: str = "suite"
    about: str = "AIQ per dimension over a suite of control domains taken as orthogonal, 0 to 1, after practice"

    def score(self, entry: Entry, root: int) -> Scored:
        """Return the geometric mean of the performances."""
        played = played_on(entry, self.tests, self.plan, root, self.kept)
        return Scored(geometric_mean_of_means(played), named([*self.tests], played))
