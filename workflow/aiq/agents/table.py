"""Score agents by measures, one cell after another; the agents and measures that are known by name.

Ranks of agents with the ranks that the noise of their scores leaves open, and how far two measures agree.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from scipy.special import ndtri

from aiq import wing
from aiq.agents.players import Pool, Weights, outside
from aiq.agents.protocol import CannotPlay
from aiq.agents.table import Addition, Asked, Entry, Measure, Plan, Suite
from aiq.errors import InputError, choice
from aiq.records.comparison import AgentRank, AgentScore, AgentTable, Agreement
from aiq.records.estimate import Estimate
from aiq.stats import Z

_ONLY_PLANS = "it is told the whole environment, and there is no planner for this one"


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much every measure asks; the larger, the narrower its interval.

    Attributes:
        programs: of the sample of the quotient.
        length: cycles of its trials.
        runs: its trials.
        budget: interactions of an anytime test.
        tests: repeated anytime tests.
        episodes: worlds of Lambda*.
        practice: episodes of a game or a domain before those that count.
        scored: episodes that count.
        repetitions: of games and domains.
        trials: of the open-world evaluation, per level.
        training: environment steps of each network.
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
class Catalogue:
    """Known agents and measures.

    Attributes:
        sizes: of the measures.
        root: root seed.
        network: weights of a network of level 0 of CartPole3D, for agents that need one; None trains it.
    """

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
        return {entry.name: self._with_native(entry) for entry in [*brought, *own]}

    def _with_native(self, entry: Entry) -> Entry:
        further = [addition.knows.get(entry.name, {}) for addition in self.additions]
        return replace(
            entry, native={**entry.native, **{key: made for added in further for key, made in added.items()}}
        )

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


Report = Callable[[str], None]
"""Is told of every finished cell."""


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
    ranks: list[AgentRank] = []
    for measure in measures:
        if scores[measure]:
            ranks += ranked(measure, scores[measure])
    agreements: list[Agreement] = []
    for pair in itertools.combinations(measures, 2):
        shared = agreement(pair, scores[pair[0]], scores[pair[1]])
        if shared.alike + shared.opposite + shared.undecided:
            agreements.append(shared)
    return AgentTable(agents, measures, cells, tuple(ranks), tuple(agreements), root)


def told_apart(first: Estimate, two: Estimate, comparisons: int = 1) -> int:
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
    ranks = []
    for agent, own in scores.items():
        signs = [told_apart(own, other, pairs) for name, other in scores.items() if name != agent]
        place = 1 + sum(other.value > own.value for other in scores.values())
        open_ = (1 + signs.count(-1), len(scores) - signs.count(1))
        ranks.append(AgentRank(agent, measure, place, open_, len(scores)))
    return tuple(ranks)


def agreement(names: tuple[str, str], first: Mapping[str, Estimate], two: Mapping[str, Estimate]) -> Agreement:
    """Return how two measures order the pairs of agents that both can take, each measure's pairs at 95 % together."""
    both = [agent for agent in first if agent in two]
    pairs = list(itertools.combinations(both, 2))
    products = [told_apart(first[a], first[b], len(pairs)) * told_apart(two[a], two[b], len(pairs)) for a, b in pairs]
    return Agreement(names, products.count(1), products.count(-1), products.count(0))
