"""Learners and MC-AIXI of the algorithmic quotient as agents of the protocol, in any task with finite observations.

The choices and updates are the same, step by step: an agent that plays a trial through the protocol with the streams of
that trial has the very score that the compiled loop of `aiq.wings.algorithmic.equations.trials` gives it.
"""

from __future__ import annotations

import numpy as np

from aiq.agents.protocol import Array, CannotPlay, Task, needs_finite
from aiq.errors import InputError
from aiq.wings.algorithmic.equations.agents import FREQUENCY, MCAIXI, RANDOM, TabularAgent
from aiq.wings.algorithmic.equations.aixi import (
    Coding,
    append_symbol,
    learn_symbol,
    new_search,
    plan,
    sown,
    tree_depths,
)
from aiq.wings.algorithmic.equations.context_tree import grown
from aiq.wings.algorithmic.equations.learning import clear, decide, forget, learn, new_tables
from aiq.wings.algorithmic.equations.streams import below, start, unit

_GREEDY = 0
"""Place of epsilon among the parameters; with learning off it is 0."""


class Tabular:
    """A tabular learner (random, freq, q, hlq, sarsa) in any task with finite observations.

    Every observation that is met gets the next row of the table, so that a task may have many more than are ever seen.
    After the end of an episode nothing more is to be had: the last reward is learned with nothing behind it. A time
    limit is no end: the last transition before it is not learned. Traces never reach over to the next episode.

    Raises:
        InputError: the settings ask for the published code's phantom first update.
    """

    def __init__(self, settings: TabularAgent) -> None:
        if getattr(settings, "legacy", False):
            raise InputError(f"agent {settings.name} with legacy is of the algorithmic test alone; leave legacy out")
        self._settings, self.name, self.learning = settings, settings.name, True
        self.stream = np.zeros(4, np.uint64)

    def begin(self, task: Task) -> None:
        """Forget everything; raises CannotPlay where observations are real numbers and the agent looks at them."""
        kind = self._settings.kind
        self._blind = kind in (RANDOM, FREQUENCY)
        if not self._blind:
            needs_finite("a table", task)
        self._kind, self._parameters = kind, self._settings.parameters()
        self._still = self._parameters.copy()
        self._still[_GREEDY] = 0.0
        self._rows: dict[bytes, int] = {}
        rows = 1 if self._blind else _rows(task)
        self._tables, self._end = new_tables(rows + 1, task.actions), rows
        clear(self._tables, self._parameters)
        self._tables.values[rows * task.actions :] = 0.0 if kind != FREQUENCY else self._parameters[1]
        start(self.stream, np.uint64(task.seed), 0, 0, 1)
        self._pending: tuple[int, int, float] | None = None

    def start(self, observation: Array) -> None:
        """Begin an episode: what was done before has nothing to do with it."""
        self._pending = None
        forget(self._tables)
        self._seen = self._row(observation)
        self._last = -1

    def act(self) -> int:
        """Choose, and learn from the step before with the choice known (`aiq.wings.algorithmic.equations.trials`)."""
        parameters = self._parameters if self.learning else self._still
        if self._kind == FREQUENCY:
            self._learn(0, 0)
        greedy, chosen = decide(self._kind, self._tables, parameters, self._seen, self.stream)
        if self._kind != FREQUENCY:
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
            learn(self._kind, self._tables, self._parameters, *self._pending, self._seen, greedy, chosen)
        self._pending = None

    def _row(self, observation: Array) -> int:
        if self._blind:
            return 0
        return self._rows.setdefault(np.asarray(observation, np.int64).tobytes(), len(self._rows))


def _rows(task: Task) -> int:
    """Return the most observations that can be met: all there are, or one more than steps and episodes."""
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

    def __init__(self, settings: MCAIXI) -> None:
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
        self._coding = Coding(symbols, task.numbers * self._digits, (symbols - 1).bit_length(), s.factored)
        depths = tree_depths(s, self._coding)
        self._forest, self._spare = sown(self._coding, depths, s.horizon, task.steps + task.episodes)
        self._search = new_search(s, symbols)
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
            action = plan(self._forest, self._search, self._coding, self.searching)
        append_symbol(self._forest, self._coding, action)
        return int(action) % self._task.actions

    def observe(self, reward: float, observation: Array, ended: bool) -> None:
        """Learn the percept bit by bit."""
        for position, symbol in enumerate((*self._seen(observation), self._level(reward))):
            if self.learning:
                learn_symbol(self._forest, self._coding, position, symbol)
            else:
                append_symbol(self._forest, self._coding, symbol)

    def _seen(self, observation: Array) -> list[int]:
        symbols = self._coding.symbols
        powers = [symbols**k for k in reversed(range(self._digits))]
        return [int(number) // power % symbols for number in observation for power in powers]

    def _level(self, reward: float) -> int:
        low, high = self._task.rewards
        share = min(1.0, max(0.0, (reward - low) / (high - low)))
        return round(share * (self._coding.symbols - 1))
