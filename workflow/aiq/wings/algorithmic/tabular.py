"""Learners of the algorithmic quotient as agents of the protocol: the same choices and updates, step by step.

A learner that plays a trial through the protocol with the streams of that trial has the very score that the compiled
loop of `aiq.wings.algorithmic.equations.trials` gives it.
"""

from __future__ import annotations

import numpy as np

from aiq.agents.protocol import Array, Task, needs_finite
from aiq.errors import InputError
from aiq.wings.algorithmic.equations.agents import FREQUENCY, RANDOM, TabularAgent
from aiq.wings.algorithmic.equations.learning import clear, decide, learn, new_tables
from aiq.wings.algorithmic.equations.streams import start as start_stream

_NOBODY = -1
_GREEDY = 0
"""Place of epsilon among the parameters; with learning off it is 0."""


class Tabular:
    """A tabular learner (random, freq, q, hlq, sarsa) in any task with finite observations.

    Every observation that is met gets the next row of the table, so that a task may have many more than are ever seen.
    After the end of an episode nothing more is to be had: the last reward is learned with nothing behind it. A time
    limit is no end: the last transition before it is not learned. Traces never reach over to the next episode.

    Args:
        settings: which learner, and its parameters.
        name: in tables.

    Raises:
        InputError: the settings ask for the published code's phantom first update.
    """

    def __init__(self, settings: TabularAgent, name: str = "") -> None:
        if getattr(settings, "legacy", False):
            raise InputError(f"agent {settings.name} with legacy is of the algorithmic test alone; leave legacy out")
        self._settings, self.name, self.learning = settings, name or settings.name, True
        self.stream = np.zeros(4, np.uint64)

    def begin(self, task: Task) -> None:
        """Forget everything.

        Raises:
            CannotPlay: observations are real numbers and the agent looks at them.
        """
        kind = self._settings.kind
        if kind not in (RANDOM, FREQUENCY):
            needs_finite("a table", task)
        self._blind = kind in (RANDOM, FREQUENCY)
        self._kind, self._parameters = kind, self._settings.parameters()
        self._still = self._parameters.copy()
        self._still[_GREEDY] = 0.0
        self._rows: dict[bytes, int] = {}
        rows = 1 if self._blind else _rows(task)
        self._tables, self._end = new_tables(rows + 1, task.actions), rows
        clear(self._tables, self._parameters)
        self._tables.values[rows * task.actions :] = 0.0 if kind != FREQUENCY else self._parameters[1]
        start_stream(self.stream, np.uint64(task.seed), 0, 0, 1)
        self._pending: tuple[int, int, float] | None = None

    def start(self, observation: Array) -> None:
        """Begin an episode: what was done before has nothing to do with it."""
        self._pending = None
        if self._kind not in (RANDOM, FREQUENCY):
            tables = self._tables
            tables.traces[tables.active[: tables.active_count[0]]] = 0.0
            tables.active_count[0] = 0
        self._seen = self._row(observation)
        self._last = _NOBODY

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
        """Learn from the step before, if there is one and learning is on."""
        if self._pending is not None and self.learning:
            learn(self._kind, self._tables, self._parameters, *self._pending, self._seen, greedy, chosen)
        self._pending = None

    def _row(self, observation: Array) -> int:
        """Return the row of an observation, a new one where it is met for the first time."""
        if self._blind:
            return 0
        return self._rows.setdefault(np.asarray(observation, np.int64).tobytes(), len(self._rows))


def _rows(task: Task) -> int:
    """Return the most observations that can be met: all there are, or one more than steps and episodes."""
    values = 1 if task.values is None else len(task.values)
    met = task.steps + task.episodes
    return int(min(float(values) ** task.numbers, met)) + 1
