"""A person as examinee, over any pair of text streams."""

from __future__ import annotations

from typing import TextIO

import numpy as np

from aiq.wings.anytime.equations.protocol import AgentStopped, Environment, Observation


class Person:
    """Shows rewards and pictures on ``output`` and reads the number of an action from a line of ``source``.

    A line that is no action is asked for again; ``q`` or the end of the input ends the test.

    Args:
        source: where lines are read.
        output: where text is written.
        picture: show the environment's own picture instead of the bare observation.
    """

    def __init__(self, source: TextIO, output: TextIO, *, picture: bool = True, name: str = "person") -> None:
        self._source, self._output, self._picture, self.name = source, output, picture, name
        self._environment: Environment | None = None

    def inform(self, environment: Environment) -> None:
        """Keep the environment for its picture."""
        self._environment = environment

    def begin(self, actions: int, rng: np.random.Generator) -> None:
        """Announce a new environment."""
        self._actions = actions
        self._write(f"\nA new environment with actions 0 to {actions - 1} (q ends the test).")

    def observe(self, observation: Observation, reward: float) -> None:
        """Show reward and observation."""
        shown = " ".join(map(str, observation))
        if self._picture and self._environment is not None:
            shown = self._environment.render()
        self._write(f"reward {reward:+.2f}\n{shown}")

    def act(self) -> int:
        """Ask until an action is given.

        Raises:
            AgentStopped: the person ended the test.
        """
        while True:
            self._write("action? ", end="")
            line = self._source.readline()
            word = line.strip()
            if not line or word.lower() == "q":
                raise AgentStopped
            if word.isdecimal() and int(word) < self._actions:
                return int(word)
            self._write(f"{word!r} is no action; type a number from 0 to {self._actions - 1}, or q.")

    def _write(self, text: str, end: str = "\n") -> None:
        self._output.write(text + end)
        self._output.flush()
