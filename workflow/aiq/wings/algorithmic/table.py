"""What the algorithmic quotient adds to the table of agents."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from aiq.agents.scoring.base import Addition, Asked, Entry
from aiq.config.factories import load_factory
from aiq.wings.algorithmic.adapters import FromActor
from aiq.wings.algorithmic.equations.agents import HLQ, MCAIXI, Freq, QLearning, Random, TabularAgent
from aiq.wings.algorithmic.scoring import Algorithmic
from aiq.wings.algorithmic.searching import Aixi
from aiq.wings.algorithmic.tabular import Tabular

_LEARNERS: Mapping[str, tuple[TabularAgent, str]] = {
    "random": (Random(), "draws every action uniformly"),
    "freq": (Freq(0.05), "mean reward per action, epsilon .05; looks at nothing"),
    "q": (QLearning(0.0, 0.5, 0.5, 0.05, 0.6), "tabular Q(lambda): lambda .5, rate .5, epsilon .05, discount .6"),
    "hlq": (HLQ(0.0, 0.95, 0.05, 0.7), "tabular HLQ(lambda): lambda .95, epsilon .05, discount .7"),
}
_AIXI = MCAIXI(30, 32, 3)


def addition(asked: Asked) -> Addition:
    """Return the quotient, its learners and MC-AIXI, agents of its own kind, and programs for the suite of all."""
    learners = [
        Entry(name, partial(Tabular, settings), {"algorithmic": settings}, about=about)
        for name, (settings, about) in _LEARNERS.items()
    ]
    aixi = "MC-AIXI-CTW: 30 simulations a step, context of 32 bits, horizon 3"
    return Addition(
        measures=(Algorithmic(asked.sizes.programs, asked.sizes.length, asked.sizes.runs),),
        agents=(*learners, Entry("mc-aixi", lambda: Aixi(_AIXI), {"algorithmic": _AIXI}, about=aixi)),
        words={"actor:": _actor},
        tests={"bf": {"source": "bf", "environments": 100, "steps": 50}},
    )


def _actor(named: str) -> Entry:
    """Return an agent of the algorithmic test, ``module:function``."""
    factory, word = load_factory(named), f"actor:{named}"
    return Entry(word, lambda: FromActor(factory, word), about="an agent of the algorithmic test")
