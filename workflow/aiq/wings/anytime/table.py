"""What the anytime test adds to the table of agents."""

from __future__ import annotations

from aiq.agents.scoring.base import Addition, Asked, Entry
from aiq.wings.anytime.adapters import Follower
from aiq.wings.anytime.equations.agents import FollowGood
from aiq.wings.anytime.equations.protocol import EnvironmentClass
from aiq.wings.anytime.scoring import CLASSES, Anytime


def addition(asked: Asked) -> Addition:
    """Return the test on every class, an agent that follows, and every class for the suite of all measures."""
    follows = "meets Good by chance, then follows it by the period of its moves"
    return Addition(
        measures=tuple(Anytime(family, asked.sizes.budget, asked.sizes.tests) for family in CLASSES),
        agents=(Entry("follow-good", lambda: Follower(FollowGood()), about=follows),),
        knows={"planner": {f"anytime-{family}": _oracle for family in CLASSES}},
        tests={
            "cups": {"source": "anytime_cups", "cups": 5, "steps": 50},
            "automata": {"source": "anytime_automaton", "environments": 100, "steps": 50},
            "grid": {"source": "anytime_grid", "environments": 100, "steps": 50},
        },
    )


def _oracle(environments: EnvironmentClass) -> object:
    """Return the oracle of a class of environments."""
    return environments.oracle()
