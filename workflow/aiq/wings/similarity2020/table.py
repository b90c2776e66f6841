"""What the 2020 suite adds to the table of agents."""

from __future__ import annotations

from aiq.agents.scoring.base import Addition, Asked
from aiq.wings.similarity2020.scoring import Games


def addition(asked: Asked) -> Addition:
    """Return the measure of games, who plays them best, and two games for the suite of all measures."""
    return Addition(
        measures=(Games(asked.plan, known=asked.played),),
        knows={"planner": {"games": "optimal"}},
        tests={game: {"source": "gym2020", "name": game} for game in ("NChain", "Roulette")},
    )
