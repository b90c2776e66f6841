"""The open-world evaluation on CartPole3D of its own kinds and of any agent of the protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from aiq.agents.network import Pool, Weights
from aiq.agents.playing import decided
from aiq.agents.protocol import Agent, CannotPlay, Task
from aiq.agents.scoring.base import Addition, Asked, Entry, Scored
from aiq.domains.cartpole3d.levels import TICKS
from aiq.stats.several import geometric_mean_of_means
from aiq.wings.novelty import calibration
from aiq.wings.novelty.networks import ACTIONS
from aiq.wings.novelty.protocol import Agent as NoveltyAgent
from aiq.wings.novelty.protocol import Arena, Plan, Seen, play_trial
from aiq.wings.novelty.summary import last

STATE = 10
"""Numbers of an observation of CartPole3D without its balls."""


class Trialist:
    """An agent of the protocol in the open-world evaluation: paid 1 per tick, sees cart and pole, raises no alarm."""

    alarmed = False

    def __init__(self, agent: Agent, task: Task) -> None:
        self._agent, self._task, self.name = agent, task, agent.name

    def begin(self, seed: int) -> None:
        """Tell the agent of a new trial."""
        self._agent.begin(replace(self._task, seed=seed))

    def start(self, observation: Seen) -> None:
        """Begin an episode."""
        self._agent.start(observation[:STATE])

    def act(self, observation: Seen) -> int:
        """Return the next action."""
        return decided(self._agent, self._task)

    def observe(self, action: int, observation: Seen, fallen: bool) -> None:
        """Show what came of it."""
        self._agent.observe(float(not fallen), observation[:STATE], fallen)

    def end(self, ticks: int) -> None:
        """Nothing to tell."""


TRAINING: Mapping[str, Any] = {"source": "cartpole3d", "view": "cart", "training_reward": "tick"}
Kind = Callable[[Weights, Arena, int, int], NoveltyAgent]
KINDS: Mapping[str, Kind] = {
    "re-estimating": lambda net, arena, episodes, root: calibration.steerer(arena, episodes, root),
    "re-estimating-learned": lambda net, arena, episodes, root: calibration.learned_steerer(arena, episodes, root),
    "lookout": lambda net, arena, episodes, root: calibration.lookout(arena, episodes, root),
    "repairing": lambda net, arena, episodes, root: calibration.repairing(arena, episodes, root),
    "overriding": calibration.overriding,
    "adaptive": calibration.adaptive,
}
"""The kinds of docs/methods/novelty.md: from a network of level 0, an arena, episodes of level 0 and a seed."""


@dataclass(frozen=True)
class Novelty:
    """The protocol of the open-world evaluation (docs/methods/novelty.md), levels easy.

    Attributes:
        network: trains the network of level 0 that some kinds need.
        levels: of the novelty.
        trials: per level, the same for every agent.
        plan: what a trial is made of.
        calibrated: episodes of level 0 for thresholds.
    """

    network: Pool
    levels: tuple[int, ...] = (14, 15, 16)
    trials: int = 4
    plan: Plan = field(default_factory=lambda: Plan(episodes=20, earliest=4, latest=8))
    calibrated: int = 60
    name: str = "novelty"

    @property
    def about(self) -> str:
        """What its score is."""
        levels = ", ".join(map(str, self.levels))
        return (
            f"AIQ per dimension of the last ten episodes of trials with novelty {levels}, taken as orthogonal, 0 to 1"
        )

    def score(self, entry: Entry, root: int) -> Scored:
        """Return the geometric mean over levels of the performance at the end of the trials."""
        task = Task(self.name, ACTIONS, STATE, None, (0.0, 1.0), TICKS, self.plan.episodes, training=TRAINING)
        arena = Arena()
        try:
            agent = self._agent(entry, arena, task, root)
            found = [
                [play_trial(arena, agent, self.plan, level, "easy", root, k) for k in range(self.trials)]
                for level in self.levels
            ]
        finally:
            arena.close()
        ends = np.array([last(trials) for trials in found])
        named = tuple(
            (f"level-{level:02d}", tuple(map(float, row))) for level, row in zip(self.levels, ends, strict=True)
        )
        return Scored(geometric_mean_of_means(ends, "levels"), named)

    def _agent(self, entry: Entry, arena: Arena, task: Task, root: int) -> NoveltyAgent:
        kind: Kind | None = entry.native.get(self.name)
        if kind is not None:
            net = self.network.weights(task) if kind in (KINDS["overriding"], KINDS["adaptive"]) else []
            return kind(net, arena, self.calibrated, root)
        if entry.make is None:
            raise CannotPlay(entry.why)
        return Trialist(entry.make(), task)


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
