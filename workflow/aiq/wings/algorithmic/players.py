"""The agents that the algorithmic quotient adds to the table of agents: learners and MC-AIXI in any task, factories.

The choices and updates are the same, step by step: an agent that plays a trial through the protocol with the streams of
that trial has the very score that the compiled loop of `aiq.wings.algorithmic.equations.trials` gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from aiq.agents.protocol import Array, CannotPlay, Task, called, needs_finite
from aiq.agents.table import Addition, Asked, Entry
from aiq.config.agents import load_factory
from aiq.errors import InputError
from aiq.wings.algorithmic.environment import Algorithmic
from aiq.wings.algorithmic.equations import agents, aixi, below, start, unit
from aiq.wings.algorithmic.equations.context_tree import grown

_GREEDY = 0
"""Place of epsilon among the parameters; with learning off it is 0."""


class Tabular:
    """A tabular learner (random, freq, q, hlq, sarsa) in any task with finite observations.

    Every observation that is met gets the next row of the table, so that a task may have many more than are ever seen.
    After the end of an episode the last reward is learned with nothing behind it. A time limit is no end: the last
    transition before it is not learned. Traces never reach over to the next episode.

    Raises:
        InputError: the settings ask for the published code's phantom first update.
    """

    def __init__(self, settings: agents.TabularAgent) -> None:
        if getattr(settings, "legacy", False):
            raise InputError(f"agent {settings.name} with legacy is of the algorithmic test alone; leave legacy out")
        self._settings, self.name, self.learning = settings, settings.name, True
        self.stream = np.zeros(4, np.uint64)

    def begin(self, task: Task) -> None:
        """Forget everything; raises CannotPlay where observations are real numbers and the agent looks at them."""
        kind = self._settings.kind
        self._blind = kind in (agents.RANDOM, agents.FREQUENCY)
        if not self._blind:
            needs_finite("a table", task)
        self._kind, self._parameters = kind, self._settings.parameters()
        self._still = self._parameters.copy()
        self._still[_GREEDY] = 0.0
        self._rows: dict[bytes, int] = {}
        rows = 1 if self._blind else _rows(task)
        self._tables, self._end = agents.new_tables(rows + 1, task.actions), rows
        agents.clear(self._tables, self._parameters)
        self._tables.values[rows * task.actions :] = 0.0 if kind != agents.FREQUENCY else self._parameters[1]
        start(self.stream, np.uint64(task.seed), 0, 0, 1)
        self._pending: tuple[int, int, float] | None = None

    def start(self, observation: Array) -> None:
        """Begin an episode: what was done before has nothing to do with it."""
        self._pending = None
        agents.forget(self._tables)
        self._seen = self._row(observation)
        self._last = -1

    def act(self) -> int:
        """Choose, and learn from the step before with the choice known (`aiq.wings.algorithmic.equations.trials`)."""
        parameters = self._parameters if self.learning else self._still
        if self._kind == agents.FREQUENCY:
            self._learn(0, 0)
        greedy, chosen = agents.decide(self._kind, self._tables, parameters, self._seen, self.stream)
        if self._kind != agents.FREQUENCY:
            self._learn(greedy, chosen)
        self._last = int(chosen)
        return self._last

    def observe(self, reward: float, observation: Array, ended: bool) -> None:
        """Keep what came of the action; it is learned when the next one is chosen, or now at the end."""
        self._pending = (self._seen, self._last, reward)
        self._seen = self._end if ended else self._row(observation)
        if ended:
            self._learn(0, 0)

    def _learn(self, greedy: int, chosen: int) -> None:
        if self._pending is not None and self.learning:
            agents.learn(self._kind, self._tables, self._parameters, *self._pending, self._seen, greedy, chosen)
        self._pending = None

    def _row(self, observation: Array) -> int:
        if self._blind:
            return 0
        return self._rows.setdefault(np.asarray(observation, np.int64).tobytes(), len(self._rows))


def _rows(task: Task) -> int:
    values = 1 if task.values is None else len(task.values)
    met = task.steps + task.episodes
    return int(min(float(values) ** task.numbers, met)) + 1


_MOST = 5_000
"""Steps of a task beyond which MC-AIXI does not play it, as each of them takes a search."""
_LEVELS = 5
"""Fewest symbols of MC-AIXI's code: rewards in between are rounded to the nearest of as many levels."""


class Aixi:
    """MC-AIXI-CTW with percepts coded in symbols: the digits of what is seen, then the reward.

    The code has as many symbols as the task has actions, at least five; a number of more values takes several
    digits, and rewards are rounded to as many equal steps between the smallest and the largest. In programs of five
    symbols that is the code of `equations.aixi`, and the agent has the very score of the compiled loop. Actions
    beyond the task's own count as their number modulo its actions. With learning off the model stays as it is.
    """

    name = "mc-aixi"

    def __init__(self, settings: agents.MCAIXI) -> None:
        self._settings, self.learning = settings, True
        self.stream, self.searching, self._search_start = np.zeros((3, 4), np.uint64)

    def begin(self, task: Task) -> None:
        """Forget everything; raises CannotPlay where observations are real numbers, or the task is too long."""
        needs_finite("MC-AIXI", task)
        if task.steps > _MOST:
            raise CannotPlay(f"{task.steps:,} steps, each with a search, are more than {_MOST:,} (too slow)")
        s, self._task = self._settings, task
        symbols = max(task.actions, _LEVELS)
        values = 1 if task.values is None else len(task.values)
        self._digits = 1
        while symbols**self._digits < values:
            self._digits += 1
        self._coding = aixi.Coding(symbols, task.numbers * self._digits, (symbols - 1).bit_length(), s.factored)
        depths = aixi.tree_depths(s, self._coding)
        self._forest, self._spare = aixi.sown(self._coding, depths, s.horizon, task.steps + task.episodes)
        self._search = aixi.new_search(s, symbols)
        for k, stream in enumerate((self.stream, self._search_start)):
            start(stream, np.uint64(task.seed), 0, 0, 1 + k)
        self.searching[:] = self._search_start

    def start(self, observation: Array) -> None:
        """Begin an episode; its first observation is not learned, as in the compiled loop."""

    def act(self) -> int:
        """Draw an action (epsilon, while learning), or search for one."""
        s = self._settings
        self._forest = grown(self._forest, self._spare)
        if self.learning and s.epsilon > 0 and unit(self.stream) < s.epsilon:
            action = below(self.stream, self._coding.symbols)
        else:
            if s.common_random_numbers:
                self.searching[:] = self._search_start
            action = aixi.plan(self._forest, self._search, self._coding, self.searching)
        aixi.append_symbol(self._forest, self._coding, action)
        return int(action) % self._task.actions

    def observe(self, reward: float, observation: Array, ended: bool) -> None:
        """Learn the percept bit by bit."""
        for position, symbol in enumerate((*self._seen(observation), self._level(reward))):
            if self.learning:
                aixi.learn_symbol(self._forest, self._coding, position, symbol)
            else:
                aixi.append_symbol(self._forest, self._coding, symbol)

    def _seen(self, observation: Array) -> list[int]:
        symbols = self._coding.symbols
        powers = [symbols**k for k in reversed(range(self._digits))]
        return [int(number) // power % symbols for number in observation for power in powers]

    def _level(self, reward: float) -> int:
        low, high = self._task.rewards
        share = min(1.0, max(0.0, (reward - low) / (high - low)))
        return round(share * (self._coding.symbols - 1))


class FromActor:
    """An agent of the algorithmic test: factory(actions, observations, seed) makes it."""

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


_LEARNERS: Mapping[str, tuple[agents.TabularAgent, str]] = {
    "random": (agents.Random(), "draws every action uniformly"),
    "freq": (agents.Freq(0.05), "mean reward per action, epsilon .05; looks at nothing"),
    "q": (
        agents.QLearning(0.0, 0.5, 0.5, 0.05, 0.6),
        "tabular Q(lambda): lambda .5, rate .5, epsilon .05, discount .6",
    ),
    "hlq": (agents.HLQ(0.0, 0.95, 0.05, 0.7), "tabular HLQ(lambda): lambda .95, epsilon .05, discount .7"),
}
_AIXI = agents.MCAIXI(30, 32, 3)


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
    factory, word = load_factory(named), f"actor:{named}"
    return Entry(word, lambda: FromActor(factory, word), about="an agent of the algorithmic test")
