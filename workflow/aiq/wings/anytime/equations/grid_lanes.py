"""Grids of Good and Evil side by side, one a lane, in NumPy: step by step equal to `equations.grid`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from aiq.wings.anytime.equations.checks import Array
from aiq.wings.anytime.equations.grid import MOVES, SHIFTS, SIDE, Grid

_SHIFTS = np.array([SHIFTS[move] for move in MOVES])
_HALF = SIDE // 2
_WAYS = range(-_HALF, _HALF + 1)
_NEARNESS = np.array([[1 / (math.hypot(right, down) + 1) for down in _WAYS] for right in _WAYS])
"""1/(d + 1) for the shortest ways right and down, each from -4 to 4."""


class GridLanes:
    """Grids of a list, drawn anew for every episode and stepped together.

    A lane draws from its own generator: the grid (if there are several) and, as the grid itself does, the agent's
    first cell and who keeps its cell in a clash.

    Attributes:
        numbers: numbers in an observation: 12.
        which: (lanes,) int64, the grid of each lane's episode.
    """

    numbers = 12

    def __init__(self, grids: Sequence[Grid], generators: Sequence[np.random.Generator]) -> None:
        """Lay the paths of the grids side by side."""
        paths = [(one.good_path, one.evil_path) for one in grids]
        longest = max(len(path) for pair in paths for path in pair)
        self._moves = np.zeros((len(grids), 2, longest), np.int64)
        self._lengths = np.array([[len(path) for path in pair] for pair in paths])
        for k, pair in enumerate(paths):
            for which, path in enumerate(pair):
                self._moves[k, which, : len(path)] = [MOVES.index(move) for move in path]
        self._first = np.array([one.first for one in grids])
        self._generators = list(generators)
        lanes = len(self._generators)
        self.which, self._time = np.zeros(lanes, np.int64), np.zeros(lanes, np.int64)
        self._objects = np.zeros((lanes, 2, 2), np.int64)  # Good and Evil, x and y
        self._agent = np.zeros((lanes, 2), np.int64)

    def begin(self, chosen: Array) -> None:
        """Begin a new episode in the lanes ``chosen`` (n,)."""
        for lane in chosen.tolist():
            rng = self._generators[lane]
            self.which[lane] = rng.integers(len(self._first)) if len(self._first) > 1 else 0
            self._agent[lane] = int(rng.integers(SIDE)), int(rng.integers(SIDE))
        self._objects[chosen] = self._first[self.which[chosen]]
        self._time[chosen] = 0

    def step(self, chosen: Array, actions: Array) -> tuple[Array, Array]:
        """Move everybody in the lanes ``chosen`` (n,); return rewards (n,) and that no episode ended (n,)."""
        which, time = self.which[chosen], self._time[chosen]
        old = self._objects[chosen]
        turn = time[:, None] % self._lengths[which]
        new = (old + _SHIFTS[self._moves[which[:, None], [0, 1], turn]]) % SIDE
        for k in np.flatnonzero((new[:, 0] == new[:, 1]).all(axis=1)).tolist():
            keeper = self._keeper(int(chosen[k]), old[k], new[k])
            new[k, keeper] = old[k, keeper]
        agent = (self._agent[chosen] + _SHIFTS[actions]) % SIDE
        self._objects[chosen], self._agent[chosen], self._time[chosen] = new, agent, time + 1
        ways = (new - agent[:, None] + _HALF) % SIDE
        near = _NEARNESS[ways[..., 0], ways[..., 1]]
        return near[:, 0] - near[:, 1], np.zeros(len(chosen), np.bool_)

    def _keeper(self, lane: int, old: Array, new: Array) -> int:
        """Return who keeps its cell in a clash, 0 for Good and 1 for Evil; one that stood still is run into."""
        stood = (old == new).all(axis=1)
        return int(stood[0] or (not stood[1] and self._generators[lane].integers(2) == 1))

    def observe(self, chosen: Array) -> Array:
        """Return Good, Evil, Limit of the left, right, upper and lower neighbour, (n, 12) int64 of 0 and 1."""
        agent, objects = self._agent[chosen], self._objects[chosen]
        cells = (agent[:, None] + _SHIFTS[:4]) % SIDE
        meets = (cells[:, :, None] == objects[:, None]).all(axis=3)
        x, y = agent[:, 0], agent[:, 1]
        limits = np.stack([x == 0, x == SIDE - 1, y == 0, y == SIDE - 1], axis=1)
        return np.concatenate([meets, limits[:, :, None]], axis=2).reshape(len(chosen), self.numbers).astype(np.int64)

    def keep(self, order: Array) -> None:
        """Go on with these lanes alone, in this order."""
        self._generators = [self._generators[lane] for lane in order.tolist()]
        self.which, self._time = self.which[order], self._time[order]
        self._objects, self._agent = self._objects[order], self._agent[order]
