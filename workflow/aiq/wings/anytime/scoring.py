"""What the anytime test adds to the table of agents: its score, one class of environments per measure, and adapters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from aiq.agents.protocol import Agent, Array, CannotPlay, Task, needs_finite
from aiq.agents.table import Addition, Asked, Entry, Scored
from aiq.wings.anytime.equations.administer import administer_interactions
from aiq.wings.anytime.equations.agents import FollowGood
from aiq.wings.anytime.equations.automata import AutomatonClass
from aiq.wings.anytime.equations.cups import CupsClass
from aiq.wings.anytime.equations.grid import GridClass
from aiq.wings.anytime.equations.protocol import Agent as AnytimeAgent
from aiq.wings.anytime.equations.protocol import EnvironmentClass
from aiq.wings.anytime.equations.reduction import at_budget


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
    """An agent of the protocol as an examinee of the anytime test.

    ``task`` makes of the number of actions the task, whose seed is drawn anew for every environment.
    """

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
