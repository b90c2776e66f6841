"""The anytime test of any agent of the protocol, one class of environments per measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aiq.agents.protocol import CannotPlay, Task
from aiq.agents.scoring.base import Entry, Scored
from aiq.wings.anytime.adapters import Examinee
from aiq.wings.anytime.equations.administer import administer_interactions
from aiq.wings.anytime.equations.automata import AutomatonClass
from aiq.wings.anytime.equations.cups import CupsClass
from aiq.wings.anytime.equations.grid import GridClass
from aiq.wings.anytime.equations.protocol import EnvironmentClass
from aiq.wings.anytime.equations.reduction import at_budget

CLASSES: Mapping[str, EnvironmentClass] = {"cups": CupsClass(), "automata": AutomatonClass(), "grid": GridClass()}
_SYMBOLS = tuple(float(symbol) for symbol in range(64))
_SEEN: Mapping[str, tuple[int, tuple[float, ...], str]] = {
    "cups": (0, (0.0, 1.0), ""),
    "automata": (1, _SYMBOLS, "anytime_automaton"),
    "grid": (12, (0.0, 1.0), "anytime_grid"),
}
"""Class -> numbers in an observation (0: as many as actions), their values, the source of domains to train on."""


@dataclass(frozen=True)
class Anytime:
    """The anytime intelligence test that disregards time (Hernández-Orallo and Dowe 2010, Definition 19).

    Attributes:
        family: class of environments: cups, automata or grid.
        budget: interactions of a test.
        tests: repeated tests.
    """

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
        environments = CLASSES[self.family]
        make = entry.native.get(self.name)
        if make is None and entry.make is None:
            raise CannotPlay(entry.why)
        runs = []
        for repetition in range(self.tests):
            if make is not None:
                examinee = make(environments)
            else:
                assert entry.make is not None
                examinee = Examinee(entry.make(), self.task)
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
