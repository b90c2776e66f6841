"""Environments of the anytime test, played, and what the test adds to the table of agents.

Cups, automata and grids are kernels, domains and Gymnasium environments; the table gets the score of the test, one
class of environments per measure, and adapters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.random import Generator

from aiq import seeding
from aiq.agents.protocol import Agent, Array, CannotPlay, Task, needs_finite
from aiq.agents.table import Addition, Asked, Entry, Scored
from aiq.environments import Kernel, KernelEnv, played
from aiq.errors import InputError
from aiq.wings.anytime.domains import AnytimeAutomaton, AnytimeCups, AnytimeGrid
from aiq.wings.anytime.equations import Agent as AnytimeAgent
from aiq.wings.anytime.equations import Environment, EnvironmentClass
from aiq.wings.anytime.equations.administer import administer_interactions, at_budget
from aiq.wings.anytime.equations.automata import ACTIONS, AutomatonClass, automaton_of
from aiq.wings.anytime.equations.classes import Cups, CupsClass, FollowGood, GridClass, cups_of, grid_of

_PAPER = "section 6.{} of Hernández-Orallo and Dowe, Measuring Universal Intelligence (2010)"


@lru_cache(maxsize=32)
def drawn(kind: EnvironmentClass, root: int, count: int, complexity: tuple[float, float]) -> tuple[Environment, ...]:
    """Return different environments of a class with H in a range; a longer list begins with those of a shorter one.

    Raises:
        InputError: the class has not so many of them.
    """
    rng = seeding.generator(root, "environments", kind.name, f"{complexity[0]:g}", f"{complexity[1]:g}")
    environments: dict[str, Environment] = {}
    for _ in range(count):
        environment = kind.draw(complexity[0], complexity[1], environments.keys(), rng)
        if environment is None:
            raise InputError(
                f"{len(environments)} environments of {kind.name} with a complexity from {complexity[0]:g} to "
                f"{complexity[1]:g} were found, {count} are asked for; ask for fewer or widen complexity"
            )
        environments[environment.key] = environment
    return tuple(environments.values())


class SideBySide:
    """Environments of the test, one a lane; ``choose`` makes the next of a lane from its generator."""

    def __init__(
        self, numbers: int, choose: Callable[[Generator], Environment], generators: Sequence[Generator]
    ) -> None:
        self.numbers, self._choose, self._generators = numbers, choose, list(generators)
        self.environments: dict[int, Environment] = {}
        self._seen = np.zeros((len(generators), numbers), np.int64)

    def begin(self, chosen: Array) -> None:
        """Begin a new episode in the lanes ``chosen`` (n,)."""
        for lane in chosen.tolist():
            self.environments[lane] = self._choose(self._generators[lane])
            self._seen[lane] = self.environments[lane].reset(self._generators[lane])

    def step(self, chosen: Array, actions: Array) -> tuple[Array, Array]:
        """Take one step in the lanes ``chosen`` (n,); return rewards (n,) and that no episode ended (n,)."""
        rewards = np.zeros(len(chosen))
        for k, (lane, action) in enumerate(zip(chosen.tolist(), actions.tolist(), strict=True)):
            rewards[k], self._seen[lane] = self.environments[lane].step(action)
        return rewards, np.zeros(len(chosen), np.bool_)

    def observe(self, chosen: Array) -> Array:
        """Return the last observations, (n, numbers) int64."""
        return self._seen[chosen]

    def keep(self, order: Array) -> None:
        """Go on with these lanes alone, in this order."""
        lanes = order.tolist()
        self._generators = [self._generators[lane] for lane in lanes]
        self.environments = {k: self.environments[lane] for k, lane in enumerate(lanes) if lane in self.environments}
        self._seen = self._seen[order]


def _any_of(environments: tuple[Any, ...]) -> Callable[[Generator], Environment]:
    """Return what takes one of some environments at random, as a copy that a lane has for itself."""
    return lambda rng: copy(environments[rng.integers(len(environments)) if len(environments) > 1 else 0])


def _chosen(
    settings: AnytimeAutomaton | AnytimeGrid,
    kind: EnvironmentClass,
    read: Callable[[str], Any],
    words: tuple[str, str, str],
) -> tuple[tuple[Any, ...], str]:
    singular, plural, unit = words
    if settings.environment is not None:
        return (read(settings.environment),), f"the {singular} {settings.environment}"
    chosen = drawn(kind, settings.root, settings.environments, settings.complexity)
    low, high = settings.complexity
    return chosen, f"{len(chosen)} {plural} of H from {low:g} to {high:g} {unit}, root seed {settings.root}"


def cups(settings: AnytimeCups) -> Kernel:
    """Return the cups that the settings choose as a kernel."""
    given = None if settings.environment is None else cups_of(settings.environment).first
    colouring = f"first colouring {settings.environment}" if given else "another first colouring in every episode"

    def choose(rng: Generator) -> Environment:
        return Cups(given or (0, *rng.integers(2, size=settings.cups - 1).tolist()))

    return Kernel(
        make=lambda generators: SideBySide(settings.cups, choose, generators),
        numbers=settings.cups,
        values=(0.0, 1.0),
        actions=tuple(f"button {button}" for button in range(settings.cups)),
        rewards=(-1.0, 1.0),
        about="Cups on a circle, black or white; a button flips its cup, and the one beside it is flipped too",
        paper=_PAPER.format(1),
        notes=(
            f"{settings.cups} cups, {colouring} or its opposite",
            "1 where white cups are the majority, -1 where black ones are, 0 on a tie; a random agent has mean 0",
        ),
    )


def automata(settings: AnytimeAutomaton) -> Kernel:
    """Return the automata that the settings choose as a kernel."""
    chosen, note = _chosen(settings, AutomatonClass(), automaton_of, ("automaton", "automata", "bits"))
    symbols = max(int(automaton.symbols.max()) for automaton in chosen) + 1
    return Kernel(
        make=lambda generators: SideBySide(1, _any_of(chosen), generators),
        numbers=1,
        values=tuple(float(symbol) for symbol in range(symbols)),
        actions=tuple(f"action {action}" for action in range(ACTIONS)),
        rewards=(-1.0, 1.0),
        about="Finite automata whose states pay and show a symbol; three actions lead from state to state",
        paper=_PAPER.format(2),
        notes=(
            note,
            "states may share a symbol, so what is seen need not tell the state",
            "rewards are shifted and scaled so that a random agent has mean 0 at every step",
        ),
    )


def grids(settings: AnytimeGrid) -> Kernel:
    """Return the grids that the settings choose as a kernel.

    Raises:
        InputError: the grid given is none, or there are not so many as are asked for.
    """
    chosen, note = _chosen(settings, GridClass(), grid_of, ("environment", "environments", "symbols"))
    return Kernel(
        make=lambda generators: SideBySide(12, _any_of(chosen), generators),
        numbers=12,
        values=(0.0, 1.0),
        actions=("left", "right", "up", "down", "stay"),
        rewards=(-1.0, 1.0),
        about="A 9 x 9 torus on which Good and Evil repeat their paths; the agent does well near Good, far from Evil",
        paper=_PAPER.format(3),
        notes=(
            note,
            "1/(d_Good + 1) - 1/(d_Evil + 1), d the Euclidean distance on the torus; at most 0.85; a random agent has "
            "mean 0",
        ),
    )


cups_domain, automaton_domain, grid_domain = played(cups), played(automata), played(grids)


class CupsEnv(KernelEnv):
    """Cups and buttons of the anytime intelligence test (Hernández-Orallo and Dowe 2010, 6.1; `equations.classes`).

    There are n cups on a circle, black or white. Button i flips cup i, and the environment flips cup (i + 1) mod n.

    - Actions: `Discrete(cups)`, the buttons.
    - Observations: `MultiBinary(cups)`, 1 for white; `one-hot`: the same as a `Box` of 0 and 1.
    - Rewards: 1 where white cups are the majority, -1 where black ones are, 0 on a tie. A random agent's expected
      reward is 0 at every step.
    - Start: the colouring `environment` or its opposite, each with probability 1/2; without it, any colouring.
    - Arguments: the settings of the source `anytime_cups` (see `aiq domains`), and `observation`,
      `native` by default.
    """

    id = "aiq/AnytimeCups-v0"
    family = AnytimeCups
    kernel_of = staticmethod(cups)


class AutomatonEnv(KernelEnv):
    """Automata of the anytime intelligence test (Hernández-Orallo and Dowe 2010, 6.2; `equations.automata`).

    Every state pays a fixed reward and shows a symbol; three actions lead from state to state. An episode takes one of
    the automata at random.

    - Actions: `Discrete(3)`.
    - Observations: `Discrete` of as many symbols as the automata have; `one-hot`: a `Box` of as many 0 and 1.
    - Rewards: that of the state that is entered, in [-1, 1], shifted and scaled so that a random agent's expected
      reward is 0 at every step.
    - Start: drawn from a random agent's stationary distribution.
    - Arguments: the settings of the source `anytime_automaton` (see `aiq domains`), and `observation`,
      `native` by default.
    """

    id = "aiq/AnytimeAutomaton-v0"
    family = AnytimeAutomaton
    kernel_of = staticmethod(automata)


class GridEnv(KernelEnv):
    """Good and Evil on a torus, of the anytime test (Hernández-Orallo and Dowe 2010, 6.3; `equations.classes`).

    Agent and objects move on a 9 x 9 torus, all at once. Good and Evil each repeat a path for ever and never share a
    cell: one of them, at random, keeps its cell. An episode takes one of the environments at random.

    - Actions: `Discrete(5)`, left, right, up, down, stay.
    - Observations: `MultiBinary(12)`, for the left, right, upper and lower neighbour: Good is there, Evil is there, the
      neighbour lies beyond a limit of the grid; `one-hot`: the same as a `Box` of 0 and 1.
    - Rewards: 1/(d_Good + 1) - 1/(d_Evil + 1) on the new cells, d the Euclidean distance on the torus, in (-1, 1). A
      random agent's expected reward is 0 at every step.
    - Start: the objects in their first cells, the agent anywhere.
    - Arguments: the settings of the source `anytime_grid` (see `aiq domains`), and `observation`,
      `native` by default.
    """

    id = "aiq/AnytimeGrid-v0"
    family = AnytimeGrid
    kernel_of = staticmethod(grids)


# ---- the table of agents ---------------------------------------------------------------------------


class FromAnytime:
    """An examinee of the anytime test as an agent; it goes on learning whatever it is told.

    ``only``: numbers in the only observations of two values that it understands, in words why; None: any finite ones.
    """

    learning = True

    def __init__(self, agent: AnytimeAgent, only: tuple[int, str] | None = None) -> None:
        self._agent, self._only, self.name = agent, only, agent.name

    def begin(self, task: Task) -> None:
        """Meet a new environment; raises CannotPlay where observations are not what the examinee understands."""
        if self._only is not None and (task.numbers, task.values) != (self._only[0], (0.0, 1.0)):
            raise CannotPlay(self._only[1])
        needs_finite(self.name, task)
        self._agent.begin(task.actions, np.random.default_rng(task.seed))

    def start(self, observation: Array) -> None:
        """Take in the first observation, with reward 0."""
        self._agent.observe(tuple(observation.tolist()), 0.0)

    def act(self) -> Any:
        """Return the next action."""
        return self._agent.act()

    def observe(self, reward: float, observation: Array, ended: bool) -> None:
        """Take in what came of the action."""
        self._agent.observe(tuple(observation.tolist()), reward)


class Examinee:
    """An agent of the protocol as an examinee; ``task`` makes of the number of actions what it is told."""

    def __init__(self, agent: Agent, task: Callable[[int], Task]) -> None:
        self._agent, self._task, self.name = agent, task, agent.name

    def begin(self, actions: int, rng: np.random.Generator) -> None:
        """Tell the agent of a new environment."""
        self._agent.begin(replace(self._task(actions), seed=int(rng.integers(2**63))))
        self._fresh = True

    def observe(self, observation: tuple[int, ...], reward: float) -> None:
        """Show the first observation, or what came of an action."""
        seen = np.array(observation, np.int64)
        if self._fresh:
            self._agent.start(seen)
        else:
            self._agent.observe(reward, seen, False)
        self._fresh = False

    def act(self) -> int:
        """Return the agent's action as it is; the test checks it."""
        return cast(int, self._agent.act())


CLASSES: Mapping[str, EnvironmentClass] = {"cups": CupsClass(), "automata": AutomatonClass(), "grid": GridClass()}
_NEIGHBOURS = (12, "it looks at the four neighbours of a cell, which the grid alone shows")
_SYMBOLS = tuple(float(symbol) for symbol in range(64))
_SEEN: Mapping[str, tuple[int, tuple[float, ...], str]] = {
    "cups": (0, (0.0, 1.0), ""),
    "automata": (1, _SYMBOLS, "anytime_automaton"),
    "grid": (12, (0.0, 1.0), "anytime_grid"),
}
"""Class -> numbers in an observation (0: as many as actions), their values, the source of domains to train on."""


@dataclass(frozen=True)
class Anytime:
    """Repeated tests in one class that disregard time (Hernández-Orallo and Dowe 2010, Definition 19)."""

    family: str
    budget: int = 300
    tests: int = 20

    @property
    def name(self) -> str:
        """Name on the command line."""
        return f"anytime-{self.family}"

    @property
    def about(self) -> str:
        """What its score is."""
        return f"Υ of the anytime test on {self.family} after {self.budget} interactions, -1 to 1; random agents have 0"

    def score(self, entry: Entry, root: int) -> Scored:
        """Return Υ at the budget."""
        environments, native, make = CLASSES[self.family], entry.native.get(self.name), entry.make
        if native is None and make is None:
            raise CannotPlay(entry.why)
        runs = []
        for repetition in range(self.tests):
            examinee = Examinee(make(), self.task) if native is None and make else native(environments)
            runs.append(administer_interactions(examinee, environments, self.budget, root=root, repetition=repetition))
        return Scored(at_budget(runs, self.budget, seed=root).upsilon)

    def task(self, actions: int) -> Task:
        """Return what agents are told of an environment with so many actions."""
        numbers, values, source = _SEEN[self.family]
        training = {"source": source, "root": 1, "steps": 50} if source else {}
        text = f"an environment of the class {self.family} of the anytime test"
        return Task(
            self.name, actions, numbers or actions, values, (-1.0, 1.0), self.budget, text=text, training=training
        )


def addition(asked: Asked) -> Addition:
    """Return the test on every class, an agent that follows, and every class for the suite of all measures."""
    follows = "meets Good by chance, then follows it by the period of its moves"
    return Addition(
        measures=tuple(Anytime(family, asked.sizes.budget, asked.sizes.tests) for family in CLASSES),
        agents=(Entry("follow-good", lambda: FromAnytime(FollowGood(), _NEIGHBOURS), about=follows),),
        knows={"planner": {f"anytime-{family}": lambda environments: environments.oracle() for family in CLASSES}},
        tests={
            "cups": {"source": "anytime_cups", "cups": 5, "steps": 50},
            "automata": {"source": "anytime_automaton", "environments": 100, "steps": 50},
            "grid": {"source": "anytime_grid", "environments": 100, "steps": 50},
        },
    )
