"""The open-world evaluation: trials of episodes in which novelty begins at an episode that no agent is told.

All kinds play the same trials: the same first novel episode, the same seeds of the episodes. An agent sees observations
and when an episode ends; it is never told the level, nor that there is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.domains.cartpole3d.levels import TICKS, resolve
from aiq.domains.cartpole3d.observation import Observer
from aiq.domains.cartpole3d.world import World
from aiq.errors import InputError
from aiq.records.estimate import Estimate
from aiq.wings.novelty.physics import MOST_BALLS

# ---- Records of the open-world evaluation on CartPole3D (3.4 of the 2025 paper) ------------------


@dataclass(frozen=True, slots=True)
class NoveltyTrial:
    """One trial of one agent.

    Attributes:
        kind: name of the agent.
        level: of the novelty; 0 if nothing became new.
        difficulty: of the level.
        number: of the trial.
        begins: number of the first novel episode, counted from 0.
        performance: of each episode, in [0, 1].
        alarmed: whether the agent said after each episode that something is new.
    """

    kind: str
    level: int
    difficulty: str
    number: int
    begins: int
    performance: tuple[float, ...]
    alarmed: tuple[bool, ...]

    def __post_init__(self) -> None:
        """Refuse what is no trial."""
        if len(self.performance) != len(self.alarmed) or not 0 < self.begins < len(self.performance):
            raise ValueError(f"a trial of {len(self.performance)} episodes cannot begin to be novel at {self.begins}")
        if not all(0 <= value <= 1 for value in self.performance):
            raise ValueError("a performance lies outside [0, 1]")

    @property
    def false_alarm(self) -> bool:
        """Whether the agent said so before the novelty began."""
        return any(self.alarmed[: self.begins])

    @property
    def delay(self) -> int | None:
        """Novel episodes played when it was first said, at least 1; None if never, or if said before."""
        if self.false_alarm:
            return None
        said = [k for k, one in enumerate(self.alarmed) if one]
        return said[0] - self.begins + 1 if said else None


@dataclass(frozen=True, slots=True)
class NoveltyResult:
    """What the trials of one kind on one level come to; intervals are over trials.

    Attributes:
        kind: name of the agents.
        level: of the novelty.
        difficulty: of the level.
        before: mean performance in the episodes before the novelty.
        first: mean performance in the first novel episodes.
        after: mean performance in the last episodes of the trials.
        apti: after / (after + the baseline's after); None without a baseline.
        false_alarms: share of trials with an alarm before the novelty.
        detected: share of the other trials with an alarm after it; None where there is no other trial.
        delay: mean novel episodes until the alarm, of the trials in which it came; None where it never did.
        apti_over_time: of each novel episode that all trials have.
    """

    kind: str
    level: int
    difficulty: str
    before: Estimate
    first: Estimate
    after: Estimate
    apti: Estimate | None
    false_alarms: Estimate
    detected: Estimate | None
    delay: Estimate | None
    apti_over_time: tuple[float, ...]

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        told: dict[str, object] = {"kind": self.kind, "level": self.level, "difficulty": self.difficulty}
        for name in ("before", "first", "after", "apti", "false_alarms", "detected", "delay"):
            value = getattr(self, name)
            told[name] = None if value is None else value.as_dict()
        return {**told, "apti_over_time": list(self.apti_over_time)}


# ---- The open-world evaluation -------------------------------------------------------------------


Seen = npt.NDArray[np.float32]


class Agent(Protocol):
    """One agent in one trial. What it knows of level 0 it brings along; ``begin`` forgets what trials taught."""

    name: str

    def begin(self, seed: int) -> None:
        """Begin a trial; ``seed`` is all its randomness."""

    def start(self, observation: Seen) -> None:
        """Begin an episode."""

    def act(self, observation: Seen) -> int:
        """Return the next action, 0 to 4."""

    def observe(self, action: int, observation: Seen, fallen: bool) -> None:
        """Take in what came of an action."""

    def end(self, ticks: int) -> None:
        """Take in the end of an episode, after so many ticks."""

    @property
    def alarmed(self) -> bool:
        """Whether it says that something is new."""


@dataclass(frozen=True)
class Plan:
    """What a trial is made of.

    Attributes:
        episodes: episodes of a trial.
        earliest: smallest number of episodes before the novelty, at least 1.
        latest: largest number of them; drawn uniformly.
    """

    episodes: int = 30
    earliest: int = 6
    latest: int = 12

    def __post_init__(self) -> None:
        """Refuse trials without episodes before or after the novelty."""
        if not 1 <= self.earliest <= self.latest < self.episodes:
            raise InputError(
                f"novelty begins after {self.earliest} to {self.latest} of {self.episodes} episodes; there must be at "
                "least one before and one after it"
            )


class Arena:
    """Worlds of some variants, built when they are needed and used again."""

    def __init__(self) -> None:
        self._worlds: dict[tuple[int, str], World] = {}
        self.observer = Observer("paper", MOST_BALLS, "full")

    def world(self, level: int, difficulty: str) -> World:
        """Return the world of a variant."""
        key = (level, difficulty if level else "easy")
        if key not in self._worlds:
            self._worlds[key] = World(resolve(*key), MOST_BALLS)
        return self._worlds[key]

    def play(self, agent: Agent, world: World, rng: np.random.Generator) -> int:
        """Let an agent play one episode; return the ticks that it survived."""
        world.reset(rng)
        seen = self.observer(world)
        agent.start(seen)
        while True:
            action = agent.act(seen)
            world.step(action)
            seen, fallen = self.observer(world), world.fallen
            agent.observe(action, seen, fallen)
            if fallen or world.over:
                survived = world.ticks - int(fallen)
                agent.end(survived)
                return survived

    def close(self) -> None:
        """Give all worlds back."""
        for world in self._worlds.values():
            world.close()
        self._worlds.clear()


def play_trial(
    arena: Arena, agent: Agent, plan: Plan, level: int, difficulty: str, root: int, number: int
) -> NoveltyTrial:
    """Let an agent play one trial.

    Args:
        arena: holds the worlds.
        agent: it begins anew.
        plan: what a trial is made of.
        level: of the novelty, 1 to 16; 0 for a trial in which nothing becomes new.
        difficulty: of the level.
        root: root seed: trial ``number`` of a level is the same for every agent.
        number: of the trial.
    """
    key = (root, "novelty", level, difficulty, number)
    begins = int(seeding.generator(*key, "begin").integers(plan.earliest, plan.latest + 1))
    agent.begin(seeding.integer(*key, "agent"))
    performance, alarmed = [], []
    for episode in range(plan.episodes):
        world = arena.world(level if episode >= begins else 0, difficulty)
        performance.append(arena.play(agent, world, seeding.generator(*key, episode)) / TICKS)
        alarmed.append(agent.alarmed)
    return NoveltyTrial(agent.name, level, difficulty, number, begins, tuple(performance), tuple(alarmed))


def play_level0(arena: Arena, agents: Sequence[Agent], episodes: int, root: int) -> list[list[int]]:
    """Let agents play episodes of level 0 that no trial has; return the ticks survived, a list an agent."""
    world = arena.world(0, "easy")
    return [
        [arena.play(agent, world, seeding.generator(root, "novelty", "level 0", k)) for k in range(episodes)]
        for agent in agents
    ]
