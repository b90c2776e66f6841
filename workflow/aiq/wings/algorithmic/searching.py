"""MC-AIXI-CTW of the algorithmic quotient as an agent of the protocol, in any task with finite observations."""

from __future__ import annotations

import numpy as np

from aiq.agents.protocol import Array, CannotPlay, Task, needs_finite
from aiq.wings.algorithmic.equations.agents import MCAIXI
from aiq.wings.algorithmic.equations.aixi import tree_depths
from aiq.wings.algorithmic.equations.context_tree import append, grown, learn_bit, new_forest
from aiq.wings.algorithmic.equations.planning import Coding, append_action, new_search, plan
from aiq.wings.algorithmic.equations.streams import below, start, unit

_CAPACITY = 1 << 14
_LEVELS = 5
"""Fewest symbols of the code: rewards in between are rounded to the nearest of as many levels."""


class Aixi:
    """MC-AIXI-CTW with percepts coded in symbols: the digits of what is seen, then the reward.

    The code has as many symbols as the task has actions, at least five; a number of more values takes several
    digits, and rewards are rounded to as many equal steps between the smallest and the largest. In programs of five
    symbols that is the code of `equations.aixi`, and the agent has the very score of the compiled loop. Actions
    beyond the task's own count as their number modulo its actions. With learning off the model stays as it is.

    Args:
        settings: simulations, depth, horizon ...
        most: steps of a task beyond which it is not played, as each of them takes a search.
    """

    def __init__(self, settings: MCAIXI, name: str = "mc-aixi", most: int = 5_000) -> None:
        self._settings, self.name, self.learning, self._most = settings, name, True, most
        self.stream, self.searching, self._search_start = np.zeros((3, 4), np.uint64)

    def begin(self, task: Task) -> None:
        """Forget everything.

        Raises:
            CannotPlay: observations are real numbers, or the task is too long.
        """
        needs_finite("MC-AIXI", task)
        if task.steps > self._most:
            raise CannotPlay(f"{task.steps:,} steps, each with a search, are more than {self._most:,} (too slow)")
        s, self._task = self._settings, task
        symbols = max(task.actions, _LEVELS)
        values = 1 if task.values is None else len(task.values)
        self._digits = 1
        while symbols**self._digits < values:
            self._digits += 1
        self._coding = Coding(symbols, task.numbers * self._digits, (symbols - 1).bit_length(), s.factored)
        percept = (self._coding.cells + 1) * self._coding.width
        depths, simulated = tree_depths(s, self._coding), percept * s.horizon
        bits = (task.steps + task.episodes + s.horizon + 1) * (percept + self._coding.width)
        self._forest = new_forest(depths, bits, simulated, _CAPACITY)
        self._spare = (percept + simulated) * (int(depths.max()) + 1)
        self._search = new_search(s.simulations, s.horizon, symbols)
        for k, stream in enumerate((self.stream, self._search_start)):
            start(stream, np.uint64(task.seed), 0, 0, 1 + k)
        self.searching[:] = self._search_start

    def follow(self, own: Array, search: Array) -> None:
        """Take its random numbers from other streams (4,) from here on: its own, and that of its searches."""
        self.stream[:], self._search_start[:], self.searching[:] = own, search, search

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
            action = plan(self._forest, self._search, self._coding, s.simulations, float(s.exploration), self.searching)
        append_action(self._forest, self._coding, action)
        return int(action) % self._task.actions

    def observe(self, reward: float, observation: Array, ended: bool) -> None:
        """Learn the percept bit by bit."""
        coding = self._coding
        for position, symbol in enumerate((*self._seen(observation), self._level(reward))):
            for k in range(coding.width):
                bit = (symbol >> (coding.width - 1 - k)) & 1
                if self.learning:
                    learn_bit(self._forest, position * coding.width + k if coding.factored else 0, bit)
                else:
                    append(self._forest, bit)

    def _seen(self, observation: Array) -> list[int]:
        """Return the digits of an observation, each below the number of symbols."""
        symbols = self._coding.symbols
        powers = [symbols**k for k in reversed(range(self._digits))]
        return [int(number) // power % symbols for number in observation for power in powers]

    def _level(self, reward: float) -> int:
        low, high = self._task.rewards
        share = min(1.0, max(0.0, (reward - low) / (high - low)))
        return round(share * (self._coding.symbols - 1))
