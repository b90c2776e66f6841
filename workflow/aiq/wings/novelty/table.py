"""What the open-world evaluation adds to the table of agents."""

from __future__ import annotations

from aiq.agents.scoring.base import Addition, Asked, Entry
from aiq.wings.novelty.scoring import KINDS, Novelty

_ONLY_POLE = "it knows the cart and pole of CartPole3D and nothing else"


def addition(asked: Asked) -> Addition:
    """Return the evaluation and its own kinds of agents."""
    if asked.network is not None:
        asked.pool.take(Novelty.name, asked.network)
    about = "a kind of agent for novelty on CartPole3D (docs/methods/novelty.md)"
    return Addition(
        measures=(Novelty(asked.pool, trials=asked.sizes.trials),),
        agents=[Entry(name, None, {"novelty": kind}, _ONLY_POLE, about) for name, kind in KINDS.items()],
    )
