"""The agents and the measures that the table knows by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from aiq.agents.adapters import Follower, FromActor, Moves
from aiq.agents.kernel import Tabular
from aiq.agents.network import Pool, Weights
from aiq.agents.outside import outside
from aiq.agents.scoring.algorithmic import Algorithmic
from aiq.agents.scoring.anytime import CLASSES, Anytime
from aiq.agents.scoring.base import Entry, Measure
from aiq.agents.scoring.collectives import Collectives
from aiq.agents.scoring.episodes import Floats, Games, Plan, Suite
from aiq.agents.scoring.novelty import KINDS, Novelty
from aiq.agents.searching import Aixi
from aiq.algorithmic.agents import HLQ, MCAIXI, Freq, QLearning, Random, TabularAgent
from aiq.anytime.agents import FollowGood
from aiq.anytime.protocol import EnvironmentClass
from aiq.config.factories import load_factory
from aiq.errors import InputError, choice

_LEARNERS: Mapping[str, tuple[TabularAgent, str]] = {
    "random": (Random(), "draws every action uniformly"),
    "freq": (Freq(0.05), "mean reward per action, epsilon .05; looks at nothing"),
    "q": (QLearning(0.0, 0.5, 0.5, 0.05, 0.6), "tabular Q(lambda): lambda .5, rate .5, epsilon .05, discount .6"),
    "hlq": (HLQ(0.0, 0.95, 0.05, 0.7), "tabular HLQ(lambda): lambda .95, epsilon .05, discount .7"),
}
_AIXI = MCAIXI(30, 32, 3)
_ONLY_PLANS = "it is told the whole environment, and there is no planner for this one"
_ONLY_POLE = "it knows the cart and pole of CartPole3D and nothing else"


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
        known = {} if self.network is None else {"novelty": self.network}
        object.__setattr__(self, "pool", Pool(self.sizes.training, root=self.root, known=known))

    pool: Pool = field(init=False)

    def measures(self) -> dict[str, Measure]:
        """Return the measures by name."""
        s = self.sizes
        plan = Plan(s.practice, s.scored, s.repetitions)
        found: list[Measure] = [Algorithmic(s.programs, s.length, s.runs)]
        found += [Anytime(family, s.budget, s.tests) for family in CLASSES]
        played: dict[tuple[str, str], Floats] = {}
        found += [Collectives(episodes=s.episodes), Games(plan, known=played), Suite(plan, known=played)]
        found.append(Novelty(self.pool, trials=s.trials))
        return {measure.name: measure for measure in found}

    def agents(self) -> dict[str, Entry]:
        """Return the agents by name."""
        found = [
            Entry(name, partial(Tabular, settings), {"algorithmic": settings}, about=about)
            for name, (settings, about) in _LEARNERS.items()
        ]
        aixi = "MC-AIXI-CTW: 30 simulations a step, context of 32 bits, horizon 3"
        found.append(Entry("mc-aixi", lambda: Aixi(_AIXI), {"algorithmic": _AIXI}, about=aixi))
        net = "best of three deep Q-networks of 2 x 32, trained on environments of the kind, then frozen"
        found.append(Entry("dqn", lambda: self.pool, about=net))
        told = {f"anytime-{family}": _oracle for family in CLASSES}
        about = "told the environment, it plans: the best there is"
        found.append(Entry("planner", None, {**told, "collectives": "oracle", "games": "optimal"}, _ONLY_PLANS, about))
        local = "goes to the best of the nine cells that it sees"
        found.append(Entry("local-search", lambda: Moves("local_search"), {"collectives": "local_search"}, "", local))
        found.append(
            Entry(
                "follow-good",
                lambda: Follower(FollowGood()),
                about="meets Good by chance, then follows it by the period of its moves",
            )
        )
        found += [
            Entry(
                name, None, {"novelty": kind}, _ONLY_POLE, "a kind of agent for novelty on CartPole3D (decision 0141)"
            )
            for name, kind in KINDS.items()
        ]
        return {entry.name: entry for entry in found}

    def agent(self, word: str) -> Entry:
        """Return an agent: a known one, ``module:function``, ``actor:module:function`` or ``sb3:ALGORITHM:FILE``.

        Raises:
            InputError: there is none of this name.
        """
        known = self.agents()
        if word in known:
            return known[word]
        if word.startswith("actor:"):
            factory = load_factory(word.removeprefix("actor:"))
            return Entry(word, lambda: FromActor(factory, word), about="an agent of the algorithmic test")
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


def _oracle(environments: EnvironmentClass) -> object:
    """Return the oracle of a class of environments."""
    return environments.oracle()
