"""Worlds of Lambda* side by side with one agent each, moved by whoever acts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aiq.wings.collectives.equations.compiled import Array, compiled, seeded
from aiq.wings.collectives.equations.environments import Bank, bank, draw_environment
from aiq.wings.collectives.equations.settings import Settings
from aiq.wings.collectives.equations.simulation import WORLD
from aiq.wings.collectives.equations.world import Grid, Rules, World, grid, rules

VALUES = (-1.0, -0.5, 0.0, 0.5, 1.0)
"""All rewards that a cell can hold."""


@compiled
def _draw(place: Grid, world: World, rules: Rules, patterns: Bank, moves: Array, seed: Any, episode: int) -> int:
    stream = np.zeros(1, dtype=np.uint64)
    seeded(stream, seed, episode, WORLD)
    level, _ = draw_environment(place, world, rules, patterns, moves, episode, stream)
    return level


class TorusLanes:
    """Worlds of one test with one evaluated agent, drawn anew for every episode.

    A lane draws from its own generator the seed and the number of the episode; the world is then the one that a test
    with this seed has in this episode, so a test's own episodes can be played too (``begin_episode``).

    ``complexity`` (lanes,): K of each lane's episode; ``cell`` (lanes,): the agent's; ``good`` and ``evil`` (lanes,
    steps + 1): their cells over time; all int64.
    """

    numbers = 9

    def __init__(self, settings: Settings, root: int, generators: Sequence[np.random.Generator]) -> None:
        """Prepare the torus and the patterns of a root seed, for a test of one agent by the paper's rules."""
        self._rules, self._place = rules(settings), grid(settings.rows, settings.columns)
        self._patterns = bank(settings.steps, root)
        self._near = _nearness(self._place)
        self._generators = list(generators)
        lanes = len(self._generators)
        self.complexity, self.cell, self._time = (np.zeros(lanes, np.int64) for _ in range(3))
        self.good, self.evil = (np.zeros((lanes, settings.steps + 1), np.int64) for _ in range(2))

    def begin(self, chosen: Array) -> None:
        """Begin a new episode in the lanes ``chosen`` (n,)."""
        for lane in chosen.tolist():
            rng = self._generators[lane]
            self.begin_episode(lane, np.uint64(rng.integers(2**63)), int(rng.integers(2**31)))

    def begin_episode(self, lane: int, seed: np.uint64, episode: int) -> None:
        """Begin the numbered episode of a test's seed in one lane."""
        start, moves = np.zeros(2, np.int64), np.zeros((2, self.good.shape[1] - 1), np.int64)
        world = World(self.good[lane], self.evil[lane], np.zeros((0, 0), np.float32), start)
        self.complexity[lane] = _draw(self._place, world, self._rules, self._patterns, moves, seed, episode)
        self.cell[lane], self._time[lane] = start[0], 0

    def step(self, chosen: Array, actions: Array) -> tuple[Array, Array]:
        """Move agents and objects in the lanes ``chosen`` (n,); return rewards (n,) and that no episode ended."""
        self._time[chosen] += 1
        self.cell[chosen] = self._place.neighbours[self.cell[chosen], actions]
        rewards = self._rewards(chosen, self.cell[chosen][:, None])[:, 0]
        return rewards, np.zeros(len(chosen), np.bool_)

    def observe(self, chosen: Array) -> Array:
        """Return the rewards of the nine cells around, in the order of the moves, as places in ``VALUES``, (n, 9)."""
        around = self._place.neighbours[self.cell[chosen]]
        return (2 * self._rewards(chosen, around) + 2).astype(np.int64)

    def keep(self, order: Array) -> None:
        """Go on with these lanes alone, in this order."""
        self._generators = [self._generators[lane] for lane in order.tolist()]
        self.complexity, self.cell, self._time = self.complexity[order], self.cell[order], self._time[order]
        self.good, self.evil = self.good[order], self.evil[order]

    def _rewards(self, chosen: Array, cells: Array) -> Array:
        time = self._time[chosen]
        good, evil = self.good[chosen, time], self.evil[chosen, time]
        return self._near[cells, good[:, None]] - self._near[cells, evil[:, None]]


def _nearness(place: Grid) -> Array:
    """Return what an object in one cell spreads to another, (cells, cells): 1 on it, 0.5 around it, else 0."""
    cells = place.neighbours.shape[0]
    spread_out = np.zeros((cells, cells))
    for move in range(9):
        spread_out[place.neighbours[:, move], np.arange(cells)] = 0.5
    np.fill_diagonal(spread_out, 1.0)
    return spread_out
