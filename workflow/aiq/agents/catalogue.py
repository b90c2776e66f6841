"""The agents and the measures that the table knows by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from aiq import wing
from aiq.agents.network import Pool, Weights
from aiq.agents.outside import outside
from aiq.agents.scoring.base import Addition, Asked, Entry, Measure
from aiq.agents.scoring.episodes import Plan, Suite
from aiq.errors import InputError, choice

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

    def __post_init__(self) -> None:
        """Make the pool of networks that all cells share."""
        object.__setattr__(self, "pool", Pool(self.sizes.training, root=self.root))

    pool: Pool = field(init=False)

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
        """Return an agent with what every measure takes for it."""
        further = [addition.knows.get(entry.name, {}) for addition in self.additions]
        return replace(
            entry, native={**entry.native, **{key: made for known in further for key, made in known.items()}}
        )

    def agent(self, word: str) -> Entry:
        """Return an agent: a known one, ``module:function``, ``sb3:ALGORITHM:FILE``, or in a measure's own words.

        Raises:
            InputError: there is none of this name.
        """
        known = self.agents()
        if word in known:
            return known[word]
        for addition in self.additions:
            for beginning, made in addition.words.items():
                if word.startswith(beginning):
                    return made(word.removeprefix(beginning))
        if ":" in word:
            return Entry(word, outside(word), about="an agent of yours")
        raise InputError(choice("agent", word, (*known, "module:function")))

    def chosen(self, names: Sequence[str]) -> dict[str, Measure]:
        """Return the measures of these names, all where none is named; raises InputError for an unknown one."""
        known = self.measures()
        for name in names:
            if name not in known:
                raise InputError(choice("measure", name, known))
        return {name: known[name] for name in names or known}
