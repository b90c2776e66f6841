"""The table of agents: what a measure and an agent are to it, those known by name, its cells, ranks and agreement.

Agents are scored by measures, one cell after another. Ranks come with those that the noise of the scores leaves open.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.special import ndtri

from aiq import domains, seeding, wing
from aiq.agents.players import Pool, Weights, outside
from aiq.agents.protocol import Agent, CannotPlay, play, task_of
from aiq.config import validate
from aiq.environments import Kernel
from aiq.errors import InputError, choice
from aiq.records.comparison import AgentRank, AgentScore, AgentTable, Agreement
from aiq.records.estimate import Estimate, Floats
from aiq.stats import Z, geometric_mean_of_means

_ONLY_PLANS = "it is told the whole environment, and there is no planner for this one"


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


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much every measure asks; the larger, the narrower its interval.

    ``programs`` of the sample of the quotient, cycles (``length``) and ``runs`` of its trials; interactions
    (``budget``) of an anytime test and how many ``tests`` there are; worlds of Lambda* (``episodes``); episodes of
    ``practice`` of a game or a domain, those ``scored`` after them, and ``repetitions``; ``trials`` of the open-world
    evaluation, per level; environment steps of the ``training`` of each network.
    """

    programs: int = 1000
    length: int = 200
    runs: int = 600
    budget: int = 300
    tests: int = 20
    episodes: int = 200
    practice: int = 30
    scored: int = 10
    repetitions: int = 4
    trials: int = 4
    training: int = 3_000


@dataclass(frozen=True)
class Plan:
    """How agents play domains: episodes in which they learn, then those that count; each repetition begins anew."""

    practice: int = 30
    scored: int = 10
    repetitions: int = 4


@dataclass(frozen=True)
class Asked:
    """What the table asks a measure for: how much, and the network that agents share.

    ``network``: weights of a network of level 0 of CartPole3D; None where it is to be trained. ``played``: performances
    that were played already.
    """

    sizes: Sizes
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

    plan: Plan
    tests: Mapping[str, Mapping[str, Any]]
    kept: Kept
    name: str = "suite"
    about: str = "AIQ per dimension over a suite of control domains taken as orthogonal, 0 to 1, after practice"

    def score(self, entry: Entry, root: int) -> Scored:
        """Return the geometric mean of the performances."""
        played = played_on(entry, self.tests, self.plan, root, self.kept)
        return Scored(geometric_mean_of_means(played), named([*self.tests], played))


@dataclass(frozen=True)
class Catalogue:
    """Known agents and measures; ``network`` as in ``Asked``."""

    sizes: Sizes = field(default_factory=Sizes)
    root: int = 0
    network: Weights | None = None

    @cached_property
    def pool(self) -> Pool:
        """The pool of networks that all cells share."""
        return Pool(self.sizes.training, root=self.root)

    @cached_property
    def additions(self) -> tuple[Addition, ...]:
        """What every measure adds, in the order of the measures."""
        s = self.sizes
        asked = Asked(s, self.pool, self.network, Plan(s.practice, s.scored, s.repetitions), {})
        added: list[Addition] = [its.part("agents")(asked) for its in wing.measures().values() if its.agents]
        tests = {name: settings for addition in added for name, settings in addition.tests.items()}
        return (*added, Addition(measures=(Suite(asked.plan, tests, asked.played),) if tests else ()))

    def measures(self) -> dict[str, Measure]:
        """Return the measures by name."""
        return {measure.name: measure for addition in self.additions for measure in addition.measures}

    def agents(self) -> dict[str, Entry]:
        """Return the agents by name: one that trains, one that plans, and those that measures bring."""
        net = "best of three deep Q-networks of 2 x 32, trained on environments of the kind, then frozen"
        about = "told the environment, it plans: the best there is"
        own = [Entry("dqn", lambda: self.pool, about=net), Entry("planner", None, {}, _ONLY_PLANS, about)]
        brought = [entry for addition in self.additions for entry in addition.agents]
        entries: dict[str, Entry] = {}
        for entry in [*brought, *own]:
            native = dict(entry.native)
            for addition in self.additions:
                native |= addition.knows.get(entry.name, {})
            entries[entry.name] = replace(entry, native=native)
        return entries

    def agent(self, word: str) -> Entry:
        """Return an agent: a known one, ``module:function``, ``sb3:ALGORITHM:FILE``, or in a measure's own words.

        Raises:
            InputError: there is none of this name.
        """
        agents = self.agents()
        if word in agents:
            return agents[word]
        for addition in self.additions:
            for beginning, make in addition.words.items():
                if word.startswith(beginning):
                    return make(word.removeprefix(beginning))
        if ":" in word:
            return Entry(word, outside(word), about="an agent of yours")
        raise InputError(choice("agent", word, (*agents, "module:function")))

    def chosen(self, names: Sequence[str]) -> dict[str, Measure]:
        """Return the measures of these names, all where none is named; raises InputError for an unknown one."""
        measures = self.measures()
        for name in names:
            if name not in measures:
                raise InputError(choice("measure", name, measures))
        return {name: measures[name] for name in names or measures}


def cell(entry: Entry, measure: Measure, root: int) -> AgentScore:
    """Return one cell of the table: the score of an agent by a measure, or why there is none.

    Raises:
        InputError: the agent raised, or left its actions.
    """
    begun = time.process_time()
    try:
        scored = measure.score(entry, root)
    except CannotPlay as why:
        return AgentScore(entry.name, measure.name, None, str(why), time.process_time() - begun)
    spent = time.process_time() - begun
    return AgentScore(entry.name, measure.name, scored.estimate, "", spent, scored.performances)


def compared(
    agents: tuple[str, ...], measures: tuple[str, ...], cells: tuple[AgentScore, ...], root: int
) -> AgentTable:
    """Return a table of finished cells with the ranks, and the agreement of every two measures."""
    scores: dict[str, dict[str, Estimate]] = {
        measure: {cell.agent: cell.estimate for cell in cells if cell.measure == measure and cell.estimate is not None}
        for measure in measures
    }
    ranks = [rank for measure in measures for rank in ranked(measure, scores[measure])]
    agreements: list[Agreement] = []
    for pair in itertools.combinations(measures, 2):
        shared = agreement(pair, scores[pair[0]], scores[pair[1]])
        if shared.alike + shared.opposite + shared.undecided:
            agreements.append(shared)
    return AgentTable(agents, measures, cells, tuple(ranks), tuple(agreements), root)


def _told_apart(first: Estimate, two: Estimate, comparisons: int = 1) -> int:
    """Return 1 where the first score is higher, -1 where it is lower, 0 where the noise leaves that open.

    Scores count as independent and normal with the error that their interval speaks of (half its width / 1.96, so a
    Student's interval of few repetitions gives a larger one). A score without interval is told apart from none. The
    probability that any of so many comparisons errs is 5 % (Bonferroni).
    """
    if first.interval is None or two.interval is None:
        return 0
    spread = sum(((high - low) / (2 * Z)) ** 2 for low, high in (first.interval, two.interval)) ** 0.5
    width = -float(ndtri((1 - 0.95) / (2 * comparisons)))
    difference = first.value - two.value
    return 0 if abs(difference) <= width * spread else (1 if difference > 0 else -1)


def ranked(measure: str, scores: Mapping[str, Estimate]) -> tuple[AgentRank, ...]:
    """Return the rank of each agent, and those from 1 + agents certainly above it to all - agents certainly below it.

    With 95 % probability all these ranges hold the true ranks at once (measured on normal scores of five agents with
    five repetitions each: 97 % where all are alike, the worst case).
    """
    pairs = len(scores) * (len(scores) - 1) // 2
    ranks: list[AgentRank] = []
    for agent, own in scores.items():
        signs = [_told_apart(own, other, pairs) for name, other in scores.items() if name != agent]
        place = 1 + sum(other.value > own.value for other in scores.values())
        open_ = (1 + signs.count(-1), len(scores) - signs.count(1))
        ranks.append(AgentRank(agent, measure, place, open_, len(scores)))
    return tuple(ranks)


def agreement(names: tuple[str, str], first: Mapping[str, Estimate], two: Mapping[str, Estimate]) -> Agreement:
    """Return how two measures order the pairs of agents that both can take, each measure's pairs at 95 % together."""
    both = [agent for agent in first if agent in two]
    pairs = list(itertools.combinations(both, 2))
    products = [_told_apart(first[a], first[b], len(pairs)) * _told_apart(two[a], two[b], len(pairs)) for a, b in pairs]
    return Agreement(names, products.count(1), products.count(-1), products.count(0))
