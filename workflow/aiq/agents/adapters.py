"""Adapters both ways between the protocol and the interfaces that the measures have for their own agents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np

from aiq.agents.playing import called, decided
from aiq.agents.protocol import Agent, Array, CannotPlay, Task, needs_finite
from aiq.anytime.protocol import Agent as AnytimeAgent
from aiq.collectives.compiled import below, bit_choices, bits, one_of, seeded
from aiq.collectives.lanes import VALUES
from aiq.collectives.settings import kind_code
from aiq.novelty.protocol import Agent as NoveltyAgent
from aiq.novelty.protocol import Seen

STATE = 10
"""Numbers of an observation of CartPole3D without its balls."""
_CHOICES = bit_choices()


class FromAnytime:
    """An examinee of the anytime test (`aiq.anytime.protocol`) as an agent; it goes on learning whatever it is told."""

    learning = True

    def __init__(self, agent: AnytimeAgent) -> None:
        self._agent, self.name = agent, agent.name

    def begin(self, task: Task) -> None:
        """Meet a new environment; raises CannotPlay where observations are real numbers."""
        needs_finite(self.name, task)
        self._agent.begin(task.actions, np.random.default_rng(task.seed))

    def start(self, observation: Array) -> None:
        """Take in the first observation, with reward 0."""
        self._agent.observe(tuple(observation.tolist()), 0.0)

    def act(self) -> Any:
        """Return the next action."""
        return self._agent.act()

    def observe(self, reward: float, observation: Array, ended: bool) -> None:
        """Take in what came of the action."""
        self._agent.observe(tuple(observation.tolist()), reward)


class Follower(FromAnytime):
    """An examinee that looks at the four neighbours of a cell of the grid."""

    def begin(self, task: Task) -> None:
        """Meet a new environment; raises CannotPlay anywhere but in the grid."""
        if task.numbers != 12 or task.values != (0.0, 1.0):
            raise CannotPlay("it looks at the four neighbours of a cell, which the grid alone shows")
        super().begin(task)


class Examinee:
    """An agent of the protocol as an examinee of the anytime test.

    Args:
        agent: the agent.
        task: from the number of actions to the task; its seed is drawn anew for every environment.
    """

    def __init__(self, agent: Agent, task: Callable[[int], Task]) -> None:
        self._agent, self._task, self.name = agent, task, agent.name

    def begin(self, actions: int, rng: np.random.Generator) -> None:
        """Tell the agent of a new environment."""
        self._agent.begin(replace(self._task(actions), seed=int(rng.integers(2**63))))
        self._fresh = True

    def observe(self, observation: tuple[int, ...], reward: float) -> None:
        """Show the first observation, or what came of an action."""
        seen = np.array(observation, np.int64)
        if self._fresh:
            self._agent.start(seen)
        else:
            self._agent.observe(reward, seen, False)
        self._fresh = False

    def act(self) -> int:
        """Return the agent's action as it is; the test checks it."""
        return cast(int, self._agent.act())


class FromActor:
    """An agent of the algorithmic test (`aiq.algorithmic.outside`): factory(actions, observations, seed) makes it."""

    learning = True

    def __init__(self, factory: Callable[..., Any], name: str) -> None:
        self._factory, self.name = factory, name

    def begin(self, task: Task) -> None:
        """Make it anew; raises CannotPlay where an observation is not one number of some values."""
        if task.values is None or task.numbers != 1:
            raise CannotPlay(
                f"an observation is {task.numbers} numbers, agents of the algorithmic test take one symbol"
            )
        self._actor = called(self.name, task.name, self._factory, task.actions, len(task.values), task.seed)

    def start(self, observation: Array) -> None:
        """Keep the first observation; the reward before it is 0."""
        self._percept = (int(observation[0]), 0.0)

    def act(self) -> Any:
        """Return the next action."""
        return self._actor.act(*self._percept)

    def observe(self, reward: float, observation: Array, ended: bool) -> None:
        """Keep what came of the action until it acts again."""
        self._percept = (int(observation[0]), reward)


class Moves:
    """A kind of single agents of Lambda* (``random``, ``local_search``) as an agent, with the kernel's own choices.

    ``stream`` (1,) is the random stream of the kind; set to that of an episode after ``begin`` (see
    `aiq.collectives.simulation`) it gives the kernel's own episode.
    """

    learning = False

    def __init__(self, kind: str) -> None:
        self._kind, self.name, self.stream = kind, kind, np.zeros(1, np.uint64)

    def begin(self, task: Task) -> None:
        """Begin; raises CannotPlay anywhere but in Lambda*."""
        if task.numbers != 9 or task.values != VALUES:
            raise CannotPlay("it looks at the rewards of nine cells, which Lambda* alone shows")
        seeded(self.stream, np.uint64(task.seed), 0, kind_code(self._kind))

    def start(self, observation: Array) -> None:
        """Look around."""
        self._seen = observation

    def act(self) -> int:
        """Return a move: any, or one of those to the best cells where any cell has a reward that is not 0."""
        if self._kind == "random":
            return int(below(self.stream, 9))
        best = self._seen == self._seen.max()
        if not (self._seen != VALUES.index(0.0)).any():
            best[:] = True
        mask = int((1 << np.flatnonzero(best)).sum())
        return int(one_of(mask, np.uint64(bits(self.stream)), *_CHOICES))

    def observe(self, reward: float, observation: Array, ended: bool) -> None:
        """Look around."""
        self._seen = observation


class FromNovelty:
    """An agent of the open-world evaluation (`aiq.novelty.protocol`), which plays CartPole3D alone."""

    learning = True

    def __init__(self, agent: NoveltyAgent) -> None:
        self._agent, self.name = agent, agent.name

    def begin(self, task: Task) -> None:
        """Begin a trial; raises CannotPlay anywhere but on CartPole3D."""
        if task.values is not None or task.actions != 5 or task.numbers < STATE or (task.numbers - STATE) % 7:
            raise CannotPlay("it knows the cart and pole of CartPole3D and nothing else")
        self._agent.begin(task.seed)
        self._ticks = -1

    def start(self, observation: Array) -> None:
        """Begin an episode; the one before is over."""
        self._over()
        self._ticks, self._seen = 0, np.asarray(observation, np.float32)
        self._agent.start(self._seen)

    def act(self) -> int:
        """Return the next action."""
        self._last = self._agent.act(self._seen)
        return self._last

    def observe(self, reward: float, observation: Array, ended: bool) -> None:
        """Take in what came of the action; ``ended``: the pole fell."""
        self._seen = np.asarray(observation, np.float32)
        self._ticks += not ended
        self._agent.observe(self._last, self._seen, ended)
        if ended:
            self._over()

    def _over(self) -> None:
        """Tell of the end of an episode, once."""
        if self._ticks >= 0:
            self._agent.end(self._ticks)
        self._ticks = -1


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
