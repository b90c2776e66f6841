"""What Lambda* adds to the table of agents."""

from __future__ import annotations

from aiq.agents.scoring.base import Addition, Asked, Entry
from aiq.wings.collectives.adapters import Moves
from aiq.wings.collectives.scoring import Collectives


def addition(asked: Asked) -> Addition:
    """Return the score of a group of one, an agent that looks around, and Lambda* for the suite of all measures."""
    local = "goes to the best of the nine cells that it sees"
    return Addition(
        measures=(Collectives(episodes=asked.sizes.episodes),),
        agents=(Entry("local-search", lambda: Moves("local_search"), {"collectives": "local_search"}, about=local),),
        knows={"planner": {"collectives": "oracle"}},
        tests={"lambda-star": {"source": "lambda_star", "steps": 50}},
    )
