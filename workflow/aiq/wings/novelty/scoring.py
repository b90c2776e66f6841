"""The kinds of agents for novelty, calibrated by play in level 0, and the open-world evaluation as a measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from aiq.agents.players import Pool, Weights
from aiq.agents.protocol import Agent, CannotPlay
from aiq.agents.table import Addition, Asked, Entry, Scored
from aiq.domains.cartpole3d.levels import TICKS
from aiq.stats import geometric_mean_of_means
from aiq.wings.novelty.lookout import Lookout, Repairing, Tails
from aiq.wings.novelty.networks import Adaptive, Frozen, Overriding, transition
from aiq.wings.novelty.protocol import ACTIONS, TASK, Alarm, Arena, Plan, Seen, Watchful, play_level0, play_trial
from aiq.wings.novelty.steering import Floats, Linear, Physics, Record, Steerer, fitted

CAUTION = 3.0
"""Of the lookout: the largest of the tried weights of hits (0, 1, 3, 10, 30) that costs nothing in level 0."""
_WORRIED = 0.9
_LEAST_FIRST, _LEAST_TICKS = 0.5, 0.05
"""Smallest unit of the tails' shares: of the opening, which is seen once an episode, and of ticks."""


def threshold(values: Sequence[float]) -> float:
    """Return the 95 % point of values of level 0: of 100 one episode in 17 lies above, two in turn one pair in 300."""
    return float(np.quantile(values, 0.95))


def steerer(weights: Weights, arena: Arena, episodes: int, root: int) -> Steerer:
    """Return the agent of the kind of UMass (b): the simulator's own constants, alarm from level 0."""
    physics = Physics()
    return _armed(Steerer(physics, physics.slopes()), "re-estimating", arena, episodes, root)


def learned_steerer(weights: Weights, arena: Arena, episodes: int, root: int) -> Steerer:
    """Return the same without privileged knowledge: its predictor is fitted to random play in level 0."""
    player, records = _Random(root), list[Record]()
    play_level0(arena, player, episodes, root, lambda: records.append(player.record))
    model = fitted(*(np.concatenate(part) for part in zip(*(r.arrays() for r in records), strict=True)))
    agent = Steerer(Linear(model.slopes, np.zeros((2, 2))), model.slopes)
    return _armed(agent, "re-estimating, learned", arena, episodes, root)


class _Random(Steerer):
    """Acts at random."""

    def __init__(self, seed: int) -> None:
        super().__init__(Physics(), Physics().slopes())
        self._rng = np.random.default_rng(seed)

    def choose(self) -> int:
        return int(self._rng.integers(ACTIONS))


def lookout(weights: Weights, arena: Arena, episodes: int, root: int) -> Lookout:
    """Return the agent of the kind of WOW (d)."""
    physics = Physics()
    agent = Lookout(physics, physics.slopes(), CAUTION)
    openings: list[Floats] = []
    ticks: list[Floats] = []
    scores: list[float] = []

    def note() -> None:
        openings.append(agent.opening)
        ticks.append(np.array(agent.noted))
        scores.extend(agent.scores)

    play_level0(arena, agent, episodes, root, note)
    agent.tails = Tails(np.array(openings)), Tails(np.concatenate(ticks))
    agent.worry = float(np.quantile(scores, _WORRIED))
    shares = []
    for opening, noted in zip(openings, ticks, strict=True):
        agent.opening, agent.noted = opening, list(noted)
        shares.append(agent.shares())
    least = np.where(np.arange(len(shares[0])) < len(agent.opening), _LEAST_FIRST, _LEAST_TICKS)
    agent.scale = np.maximum(np.quantile(shares, 0.95, axis=0), least)
    agent.alarm = Alarm(threshold([float((share / agent.scale).max()) for share in shares]))
    return agent


def repairing(weights: Weights, arena: Arena, episodes: int, root: int) -> Steerer:
    """Return the agent of the kind of HYDRA (c)."""
    return _armed(Repairing(), "repairing", arena, episodes, root)


def overriding(weights: Weights, arena: Arena, episodes: int, root: int) -> Overriding:
    """Return NAPPING's kind (e): half the median distance of embeddings, the least mean of three episodes."""
    player = _Remembering(weights)
    ticks = play_level0(arena, player, episodes, root)
    rng = np.random.default_rng(root)
    rows = rng.choice(len(player.rows), size=(2, 500))
    seen = [np.array([player.values(player.rows[k])[1] for k in part]) for part in rows]
    radius = 0.5 * float(np.median(np.linalg.norm(seen[0] - seen[1], axis=1)))
    means = np.convolve(np.array(ticks) / TICKS, np.full(3, 1 / 3), "valid")
    return Overriding(weights, radius, Alarm(float(1 - means.min()), streak=1))


def adaptive(weights: Weights, arena: Arena, episodes: int, root: int) -> Adaptive:
    """Return the deep Q-network that goes on learning (f), with the baseline's play in level 0 in its memory."""
    player = _Remembering(weights)
    play_level0(arena, player, episodes, root)
    return Adaptive(weights, np.array(player.rows, np.float32))


class _Remembering(Frozen):
    """Plays as the baseline and keeps the transitions for a memory."""

    def __init__(self, weights: Weights) -> None:
        super().__init__(weights)
        self.rows: list[npt.NDArray[np.float32]] = []

    def observe(self, reward: float, observation: Seen, ended: bool) -> None:
        self.rows.append(transition(self.seen, self.action, observation, ended))
        super().observe(reward, observation, ended)


def _armed(agent: Steerer, name: str, arena: Arena, episodes: int, root: int) -> Steerer:
    """Return an agent with a name, its alarm set by what it would have heard of level 0."""
    heard: list[float] = []
    play_level0(arena, agent, episodes, root, lambda: heard.append(agent.strangeness()))
    agent.name, agent.alarm = name, Alarm(threshold(heard))
    return agent


Kind = Callable[[Weights, Arena, int, int], Watchful]
KINDS: Mapping[str, Kind] = {
    "re-estimating": steerer,
    "re-estimating-learned": learned_steerer,
    "lookout": lookout,
    "repairing": repairing,
    "overriding": overriding,
    "adaptive": adaptive,
}
"""The kinds of docs/methods/novelty.md: from a network of level 0, an arena, episodes of level 0 and a seed.

``overriding`` and ``adaptive`` alone use the network.
"""


@dataclass(frozen=True)
class Novelty:
    """The protocol of the open-world evaluation (docs/methods/novelty.md), levels easy.

    ``network`` trains the network of level 0 that some kinds need; ``trials`` are per level, the same for every agent;
    ``calibrated``: episodes of level 0 for thresholds.
    """

    network: Pool
    levels: tuple[int, ...] = (14, 15, 16)
    trials: int = 4
    plan: Plan = field(default_factory=lambda: Plan(episodes=20, earliest=4, latest=8))
    calibrated: int = 60
    name: str = TASK.name

    @property
    def about(self) -> str:
        """What its score is."""
        levels = ", ".join(map(str, self.levels))
        return (
            f"AIQ per dimension of the last ten episodes of trials with novelty {levels}, taken as orthogonal, 0 to 1"
        )

    def score(self, entry: Entry, root: int) -> Scored:
        """Return the geometric mean over levels of the performance at the end of the trials."""
        with closing(Arena()) as arena:
            agent = self._agent(entry, arena, root)
            ends = [
                [play_trial(arena, agent, self.plan, level, "easy", root, k).after for k in range(self.trials)]
                for level in self.levels
            ]
        performances = tuple((f"level-{level:02d}", tuple(row)) for level, row in zip(self.levels, ends, strict=True))
        return Scored(geometric_mean_of_means(np.array(ends), "levels"), performances)

    def _agent(self, entry: Entry, arena: Arena, root: int) -> Agent:
        kind: Kind | None = entry.native.get(self.name)
        if kind is not None:
            weights = self.network.weights(TASK) if kind in (overriding, adaptive) else []
            return kind(weights, arena, self.calibrated, root)
        if entry.make is None:
            raise CannotPlay(entry.why)
        return entry.make()


def addition(asked: Asked) -> Addition:
    """Return the evaluation and its own kinds of agents."""
    if asked.network is not None:
        asked.pool.take(TASK.name, asked.network)
    why = "it knows the cart and pole of CartPole3D and nothing else"
    about = "a kind of agent for novelty on CartPole3D (docs/methods/novelty.md)"
    return Addition(
        measures=(Novelty(asked.pool, trials=asked.sizes.trials),),
        agents=[Entry(name, None, {TASK.name: kind}, why, about) for name, kind in KINDS.items()],
    )
