"""The open-world evaluation: trials of episodes in which novelty begins at an episode that no agent is told.

All agents play the same trials: the same first novel episode, the same seeds of the episodes. An agent sees
observations and when an episode ends; it is never told the level, nor that there is one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.agents.protocol import Agent, Task, decided
from aiq.domains.cartpole3d.levels import TICKS, resolve
from aiq.domains.cartpole3d.observation import Observer
from aiq.domains.cartpole3d.world import World
from aiq.errors import InputError

STATE, ACTIONS = 10, 5  # numbers of an observation of CartPole3D without its balls, and actions
MOST_BALLS = 20
LAST = 10  # episodes at the end of a trial that count as *after*
TASK = Task(
    "novelty", ACTIONS, STATE, None, (0.0, 1.0), TICKS,
    training={"source": "cartpole3d", "view": "cart", "training_reward": "tick"},
)  # fmt: skip
"""What agents are told: a reward of 1 for every tick, cart and pole without balls."""

Seen = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class NoveltyTrial:
    """One trial of one agent, ``kind``: performance of each episode, in [0, 1], and what it said after it.

    ``level``: of the novelty; 0 if nothing became new. ``begins``: number of the first novel episode, counted from 0.
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
    def after(self) -> float:
        """Mean performance of the last episodes."""
        return float(np.mean(self.performance[max(self.begins, len(self.performance) - LAST) :]))

    @property
    def false_alarm(self) -> bool:
        """Whether the agent said so before the novelty began."""
        return any(self.alarmed[: self.begins])

    @property
    def delay(self) -> int | None:
        """Novel episodes played when it was first said, at least 1; None if never, or if said before."""
        if self.false_alarm or True not in self.alarmed:
            return None
        return self.alarmed.index(True) - self.begins + 1


@dataclass(frozen=True)
class Plan:
    """What a trial is made of: episodes, the ``earliest`` to ``latest`` number of them before the novelty, uniform."""

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


@dataclass
class Alarm:
    """Raised once ``streak`` episodes in turn give more than a threshold from level 0, for the rest of the trial."""

    threshold: float
    streak: int = 2
    raised: bool = False
    _above: int = 0

    def hear(self, value: float) -> None:
        """Take in the value of an episode."""
        self._above = self._above + 1 if value > self.threshold else 0
        self.raised = self.raised or self._above >= self.streak


class Watchful(ABC):
    """Base of agents made for the evaluation: they see the balls too, are told when an episode is over, have an alarm.

    What such an agent knows of level 0 it brings along. ``seen`` and ``action`` are the last ones, ``ticks`` those
    survived in the present episode.
    """

    name = "watchful"
    learning = True
    alarm: Alarm | None = None

    def begin(self, task: Task) -> None:  # noqa: B027 (an agent may have nothing to forget)
        """Begin a trial and forget the one before; ``task.seed`` is all its randomness."""

    def start(self, observation: Seen) -> None:
        """Begin an episode."""
        self.seen, self.ticks = observation, 0

    def act(self) -> int:
        """Return the next action, 0 to 4."""
        self.action = self.choose()
        return self.action

    @abstractmethod
    def choose(self) -> int:
        """Return the action for what was seen last."""

    def observe(self, reward: float, observation: Seen, ended: bool) -> None:
        """Take in what came of the action; ``ended``: the pole fell."""
        self.seen = observation
        self.ticks += not ended

    def end(self) -> None:  # noqa: B027 (an agent may have nothing to learn)
        """Take in that the episode is over."""


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

    def play(
        self, agent: Agent, world: World, rng: np.random.Generator, end: Callable[[], object] | None = None
    ) -> int:
        """Let an agent that has begun a trial play one episode, ``end`` in place of its own; return its ticks."""
        world.reset(rng)
        width = None if isinstance(agent, Watchful) else STATE
        agent.start(self.observer(world)[:width])
        while True:
            world.step(decided(agent, TASK))
            fallen = world.fallen
            agent.observe(float(not fallen), self.observer(world)[:width], fallen)
            if fallen or world.over:
                break
        if end is not None:
            end()
        elif isinstance(agent, Watchful):
            agent.end()
        return world.ticks - int(fallen)

    def close(self) -> None:
        """Give all worlds back."""
        for world in self._worlds.values():
            world.close()
        self._worlds.clear()


def play_trial(
    arena: Arena, agent: Agent, plan: Plan, level: int, difficulty: str, root: int, number: int
) -> NoveltyTrial:
    """Let an agent play one trial; what is not ``Watchful`` sees no balls and raises no alarm.

    ``level``: of the novelty, 1 to 16; 0 for a trial in which nothing becomes new. Trial ``number`` of a level and a
    root seed is the same for every agent.
    """
    key = (root, "novelty", level, difficulty, number)
    begins = int(seeding.generator(*key, "begin").integers(plan.earliest, plan.latest + 1))
    agent.begin(replace(TASK, episodes=plan.episodes, seed=seeding.integer(*key, "agent")))
    performance, alarmed = [], []
    for episode in range(plan.episodes):
        world = arena.world(level if episode >= begins else 0, difficulty)
        performance.append(arena.play(agent, world, seeding.generator(*key, episode)) / TICKS)
        alarm = agent.alarm if isinstance(agent, Watchful) else None
        alarmed.append(alarm is not None and alarm.raised)
    return NoveltyTrial(agent.name, level, difficulty, number, begins, tuple(performance), tuple(alarmed))


def play_level0(
    arena: Arena, agent: Agent, episodes: int, root: int, end: Callable[[], object] | None = None
) -> list[int]:
    """Let an agent play episodes of level 0 that no trial has; return the ticks survived; ``end`` as in ``play``."""
    world = arena.world(0, "easy")
    agent.begin(TASK)
    return [arena.play(agent, world, seeding.generator(root, "novelty", "level 0", k), end) for k in range(episodes)]
