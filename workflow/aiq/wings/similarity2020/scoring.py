"""Performances on games of the 2020 suite, of any agent of the protocol."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from aiq.agents.scoring.base import Addition, Asked, Entry, Scored
from aiq.agents.scoring.episodes import Known, Plan, named, played_on
from aiq.records.estimate import Estimate
from aiq.stats.several import mean_of_means
from aiq.wings.similarity2020.gym2020 import SUITE
from aiq.wings.similarity2020.gym2020.exact import optimal
from aiq.wings.similarity2020.gym2020.suite import transitions

GAMES = ("FrozenLake", "FrozenLake8x8", "NChain", "Roulette", "CliffWalking", "Taxi")
"""The games of the suite of 2020 that have a finite number of observations."""


@dataclass(frozen=True)
class Games:
    """Mean performance on the games of the 2020 suite (the performances that its similarity is made of)."""

    plan: Plan = field(default_factory=Plan)
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
        played = played_on(entry, tests, self.plan, root, self.known)
        return Scored(mean_of_means(played, "games"), named(self.names, played))


def addition(asked: Asked) -> Addition:
    """Return the measure of games, who plays them best, and two games for the suite of all measures."""
    return Addition(
        measures=(Games(asked.plan, known=asked.played),),
        knows={"planner": {"games": "optimal"}},
        tests={game: {"source": "gym2020", "name": game} for game in ("NChain", "Roulette")},
    )
