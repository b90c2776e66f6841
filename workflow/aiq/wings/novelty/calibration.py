"""The kinds, ready to be examined: all that they bring along comes from play in level 0."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from aiq.wings.novelty.detection import Alarm, Tails, threshold
from aiq.wings.novelty.lookout import Lookout
from aiq.wings.novelty.networks import ACTIONS, INPUTS, Adaptive, Frozen, Overriding
from aiq.wings.novelty.physics import Floats, Linear, Physics, cart_pole, fitted
from aiq.wings.novelty.protocol import Arena, Seen, play_level0
from aiq.wings.novelty.repairing import Repairing
from aiq.wings.novelty.steering import Record, Steerer

_WORRIED = 0.9
_LEAST_FIRST, _LEAST_TICKS = 0.5, 0.05
"""Smallest unit of the tails' shares: of the opening, which is seen once an episode, and of ticks."""


class _Listener:
    """Plays as another agent does and keeps what the alarm would have heard of every episode."""

    def __init__(self, agent: Steerer) -> None:
        self._agent, self.name = agent, agent.name
        self.heard: list[float] = []
        self.records: list[Record] = []
        agent.begin(0)
        self.start, self.act, self.observe = agent.start, agent.act, agent.observe
        self.alarmed = False

    def begin(self, seed: int) -> None:
        """Nothing: the agent has begun."""

    def end(self, ticks: int) -> None:
        """Keep what the alarm would hear."""
        self.heard.append(self._agent.strangeness())
        self.records.append(self._agent._record)


def steerer(arena: Arena, episodes: int, root: int) -> Steerer:
    """Return the agent of the kind of UMass (b): the simulator's own constants, alarm from level 0."""
    physics = Physics()
    agent = Steerer(physics, physics.slopes())
    agent.name = "re-estimating"
    return _armed(agent, arena, episodes, root)


def learned_steerer(arena: Arena, episodes: int, root: int) -> Steerer:
    """Return the same without privileged knowledge: its predictor is fitted to random play in level 0."""
    scribe = _Scribe(root)
    play_level0(arena, [scribe], episodes, root)
    model = fitted(*(np.concatenate(part) for part in zip(*(r.arrays() for r in scribe.records), strict=True)))
    agent = Steerer(Linear(model.slopes, np.zeros((2, 2))), model.slopes)
    agent.name = "re-estimating, learned"
    return _armed(agent, arena, episodes, root)


def lookout(arena: Arena, episodes: int, root: int, caution: float = 3.0) -> Lookout:
    """Return the agent of the kind of WOW (d).

    Its caution is the largest of the tried ones (0, 1, 3, 10, 30) that costs nothing in level 0.
    """
    physics = Physics()
    agent = Lookout(physics, physics.slopes(), caution)
    listener = _Tailor(agent)
    play_level0(arena, [listener], episodes, root)
    agent.tails = Tails(np.array(listener.firsts)), Tails(np.concatenate(listener.ticks))
    agent.worry = float(np.quantile(np.concatenate(listener.scores), _WORRIED))
    shares = []
    for first, ticks in zip(listener.firsts, listener.ticks, strict=True):
        agent.first, agent.ticks = first, list(ticks)
        shares.append(agent.shares())
    least = np.where(np.arange(len(shares[0])) < len(agent.first), _LEAST_FIRST, _LEAST_TICKS)
    agent.scale = np.maximum(np.quantile(shares, 0.95, axis=0), least)
    agent.alarm = Alarm(threshold([float((one / agent.scale).max()) for one in shares]))
    agent.name = "lookout"
    return agent


def repairing(arena: Arena, episodes: int, root: int) -> Repairing:
    """Return the agent of the kind of HYDRA (c)."""
    agent = Repairing()
    _armed(agent, arena, episodes, root)
    return agent


def overriding(weights: Sequence[npt.NDArray[np.float32]], arena: Arena, episodes: int, root: int) -> Overriding:
    """Return the agent of the kind of NAPPING (e).

    The radius is half the median distance of two embeddings of level 0; the threshold the lowest mean of three
    episodes in turn.
    """
    scribe = _Memory(weights)
    (ticks,) = play_level0(arena, [scribe], episodes, root)
    rng = np.random.default_rng(root)
    rows = rng.choice(len(scribe.rows), size=(2, 500))
    seen = [np.array([scribe.values(scribe.rows[k])[1] for k in part]) for part in rows]
    radius = 0.5 * float(np.median(np.linalg.norm(seen[0] - seen[1], axis=1)))
    means = np.convolve(np.array(ticks) / 200, np.full(3, 1 / 3), "valid")
    return Overriding(weights, radius, Alarm(float(1 - means.min()), streak=1))


def adaptive(weights: Sequence[npt.NDArray[np.float32]], arena: Arena, episodes: int, root: int) -> Adaptive:
    """Return the deep Q-network that goes on learning (f), with the baseline's play in level 0 in its memory."""
    scribe = _Memory(weights)
    play_level0(arena, [scribe], episodes, root)
    return Adaptive(weights, np.array(scribe.rows, np.float32))


def _armed(agent: Steerer, arena: Arena, episodes: int, root: int) -> Steerer:
    listener = _Listener(agent)
    play_level0(arena, [listener], episodes, root)
    agent.alarm = Alarm(threshold(listener.heard))
    return agent


class _Scribe:
    """Acts at random and keeps the transitions."""

    name, alarmed = "scribe", False

    def __init__(self, seed: int) -> None:
        self._rng, self.records = np.random.default_rng(seed), list[Record]()

    def begin(self, seed: int) -> None:
        """Nothing to begin."""

    def start(self, observation: Seen) -> None:
        """Begin an episode."""
        self.records.append(Record())
        self._state: Floats = cart_pole(observation)

    def act(self, observation: Seen) -> int:
        """Return a random action."""
        return int(self._rng.integers(ACTIONS))

    def observe(self, action: int, observation: Seen, fallen: bool) -> None:
        """Keep the transition."""
        after = cart_pole(observation)
        self.records[-1].add(self._state, action, after)
        self._state = after

    def end(self, ticks: int) -> None:
        """Nothing to end."""


class _Tailor(_Listener):
    """Keeps what the tails are fitted to."""

    def __init__(self, agent: Lookout) -> None:
        super().__init__(agent)
        self._lookout = agent
        self.firsts: list[Floats] = []
        self.ticks: list[Floats] = []
        self.scores: list[Floats] = []

    def end(self, ticks: int) -> None:
        """Keep the episode."""
        self.firsts.append(self._lookout.first)
        self.ticks.append(np.array(self._lookout.ticks))
        self.scores.append(np.array(self._lookout.scores))


class _Memory(Frozen):
    """Plays as the baseline and keeps the transitions for a memory."""

    def __init__(self, weights: Sequence[npt.NDArray[np.float32]]) -> None:
        super().__init__(weights)
        self.rows: list[npt.NDArray[np.float32]] = []

    def start(self, observation: Seen) -> None:
        """Begin an episode."""
        self._before = np.array(observation[:INPUTS])

    def observe(self, action: int, observation: Seen, fallen: bool) -> None:
        """Keep the transition."""
        after = np.array(observation[:INPUTS])
        self.rows.append(np.concatenate([self._before, [action, float(fallen)], after]).astype(np.float32))
        self._before = after
