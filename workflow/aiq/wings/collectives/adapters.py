"""Single agents of Lambda* as agents of the protocol."""

from __future__ import annotations

import numpy as np

from aiq.agents.protocol import Array, CannotPlay, Task
from aiq.wings.collectives.equations.compiled import below, bit_choices, bits, one_of, seeded
from aiq.wings.collectives.equations.lanes import VALUES
from aiq.wings.collectives.equations.settings import kind_code

_CHOICES = bit_choices()


class Moves:
    """A kind of single agents of Lambda* (``random``, ``local_search``) as an agent, with the kernel's own choices.

    ``stream`` (1,) is the random stream of the kind; set to that of an episode after ``begin`` (see
    `aiq.wings.collectives.equations.simulation`) it gives the kernel's own episode.
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
