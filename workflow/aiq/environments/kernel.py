"""What a measure's environments side by side offer, and what has to be known of them to play them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Lanes(Protocol):
    """Environments side by side, one a lane, each with a generator of its own."""

    numbers: int

    def begin(self, chosen: Array) -> None:
        """Begin a new episode in the lanes ``chosen`` (n,)."""

    def step(self, chosen: Array, actions: Array) -> tuple[Array, Array]:
        """Take one step in the lanes ``chosen`` (n,); return rewards (n,) and whether episodes ended (n,)."""

    def observe(self, chosen: Array) -> Array:
        """Return what is seen in the lanes ``chosen``, (n, numbers), places of values from 0 on."""

    def keep(self, order: Array) -> None:
        """Go on with these lanes alone, in this order."""


@dataclass(frozen=True)
class Kernel:
    """A measure's environments, ready to be played.

    Attributes:
        make: from generators, one a lane, to the lanes.
        numbers: numbers in an observation.
        values: the values that each of them can have.
        actions: names of the actions.
        rewards: smallest and largest reward of a step, of the measure itself.
        factor: what the measure's rewards are multiplied by.
        about: what the environments are, in words.
        paper: where they come from.
        notes: further lines of the data sheet.
    """

    make: Callable[[Sequence[np.random.Generator]], Lanes]
    numbers: int
    values: tuple[float, ...]
    actions: tuple[str, ...]
    rewards: tuple[float, float]
    about: str
    paper: str
    notes: tuple[str, ...]
    factor: float = 1.0


class Seen:
    """Turns observations of a kernel into ``width`` numbers from ``low`` to ``high``: its values, or one-hot.

    A number of two values stays one number, 0 or 1, in both.
    """

    def __init__(self, kernel: Kernel, observation: str) -> None:
        self._values = np.array(kernel.values, np.float32)
        self._hot = None
        self.width, self.low, self.high = kernel.numbers, float(self._values.min()), float(self._values.max())
        if observation == "one-hot" and len(kernel.values) != 2:
            self._hot = np.eye(len(kernel.values), dtype=np.float32)
            self.width, self.low, self.high = kernel.numbers * len(kernel.values), 0.0, 1.0

    def __call__(self, places: Array) -> npt.NDArray[np.float32]:
        """Return observations (n, numbers) as (n, width), float32."""
        if self._hot is None:
            return np.asarray(self._values[places])
        return np.asarray(self._hot[places]).reshape(len(places), self.width)
