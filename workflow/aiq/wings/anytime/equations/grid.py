"""Good and Evil on a 9 × 9 torus (Hernández-Orallo and Dowe 2010, section 6.3).

Agent and objects move left, right, up, down or stay, all at once. Good and Evil repeat their paths for
ever and never share a cell: on a clash one of them, at random, keeps its cell. The reward is
1/(d_Good + 1) − 1/(d_Evil + 1) on the new cells, d the Euclidean distance on the torus. The agent
sees for each of its four neighbours (left, right, up, down) whether Good, Evil and a limit of the
grid are there: twelve numbers 0 or 1. H = number of symbols of both paths.

The agent starts in a uniformly random cell. A random agent is then in a uniformly random cell at every
step, whatever Good and Evil do, and both terms have the same mean: every environment is balanced
exactly. (On Good the reward is 1 − 1/(d_Evil + 1), at most 0.85: no policy tends to 1.)
"""

from __future__ import annotations

import math
import re
from collections.abc import Set
from dataclasses import dataclass
from typing import cast

import numpy as np

from aiq.errors import InputError
from aiq.wings.anytime.equations.protocol import Agent, Environment, Observation, Oracle

SIDE = 9
MOVES = "LRUDS"
SHIFTS = {"L": (-1, 0), "R": (1, 0), "U": (0, -1), "D": (0, 1), "S": (0, 0)}
TRIES = 300
Cell = tuple[int, int]
_GRID = re.compile(r"([LRUDS]+)/([LRUDS]+)@(\d)(\d)(\d)(\d)")
_HALF = SIDE // 2


def moved(cell: Cell, move: str) -> Cell:
    """Return the cell after a move on the torus; cells are (x, y), y downward, 0 … 8."""
    right, down = SHIFTS[move]
    return (cell[0] + right) % SIDE, (cell[1] + down) % SIDE


def ways(source: Cell, target: Cell) -> tuple[int, int]:
    """Return the shortest signed ways right and down from one cell to another, each −4 … 4."""
    return (target[0] - source[0] + _HALF) % SIDE - _HALF, (target[1] - source[1] + _HALF) % SIDE - _HALF


def reward(agent: Cell, good: Cell, evil: Cell) -> float:
    """Return 1/(d_Good + 1) − 1/(d_Evil + 1)."""
    return 1 / (math.hypot(*ways(agent, good)) + 1) - 1 / (math.hypot(*ways(agent, evil)) + 1)


class Grid:
    """One environment: the paths of Good and Evil over L, R, U, D, S and their first cells; its key says them."""

    def __init__(self, good_path: str, evil_path: str, good: Cell, evil: Cell) -> None:
        if good == evil or not all(0 <= x < SIDE for x in (*good, *evil)):
            raise InputError(f"Good starts in {good} and Evil in {evil}; give two different cells within 0 to 8")
        self.good_path, self.evil_path, self.first = good_path, evil_path, (good, evil)
        self.good, self.evil, self.agent, self.time = good, evil, (0, 0), 0
        self._rng = np.random.default_rng(0)
        self.key = "{}/{}@{}{}{}{}".format(good_path, evil_path, *good, *evil)
        self.complexity, self.actions = float(len(good_path) + len(evil_path)), len(MOVES)

    def reset(self, rng: np.random.Generator) -> Observation:
        """Put the objects on their first cells and the agent anywhere."""
        self._rng, self.time = rng, 0
        self.good, self.evil = self.first
        self.agent = (int(rng.integers(SIDE)), int(rng.integers(SIDE)))
        return self.observation()

    def step(self, action: int) -> tuple[float, Observation]:
        """Move everybody."""
        good = moved(self.good, self.good_path[self.time % len(self.good_path)])
        evil = moved(self.evil, self.evil_path[self.time % len(self.evil_path)])
        if good == evil:
            if good == self.good or (evil != self.evil and self._rng.integers(2) == 1):
                evil = self.evil
            else:
                good = self.good
        self.good, self.evil, self.time = good, evil, self.time + 1
        self.agent = moved(self.agent, MOVES[action])
        return reward(self.agent, good, evil), self.observation()

    def observation(self) -> Observation:
        """Return Good, Evil, Limit of the left, right, upper and lower neighbour."""
        x, y = self.agent
        limits = (x == 0, x == SIDE - 1, y == 0, y == SIDE - 1)
        seen = []
        for move, limit in zip("LRUD", limits, strict=True):
            cell = moved(self.agent, move)
            seen += [int(cell == self.good), int(cell == self.evil), int(limit)]
        return tuple(seen)

    def render(self) -> str:
        """Return the grid: + Good, - Evil, A agent, * agent together with an object."""
        rows = [["."] * SIDE for _ in range(SIDE)]
        for (x, y), mark in ((self.good, "+"), (self.evil, "-"), (self.agent, "A")):
            rows[y][x] = mark if rows[y][x] == "." else "*"
        return "\n".join(" ".join(row) for row in rows) + "\nactions 0 left, 1 right, 2 up, 3 down, 4 stay"


def grid_of(key: str) -> Grid:
    """Return the grid of ``good path/evil path@xyxy``, the first cells of Good and Evil behind the paths."""
    parts = _GRID.fullmatch(key)
    if parts is None:
        raise InputError(
            f"the grid is {key!r}; write the paths of Good and Evil over L, R, U, D, S and their first cells, each 0 "
            "to 8, for example 'RRD/S@0044'"
        )
    good, evil, *cells = parts.groups()
    a, b, c, d = map(int, cells)
    return Grid(good, evil, (a, b), (c, d))


class GridOracle(Oracle):
    """Knows the paths: takes the nearest meeting with Good (with sign −1 with Evil), then stays with it."""

    def inform(self, environment: Environment) -> None:
        """See the environment itself."""
        self._grid = cast(Grid, environment)

    def act(self) -> int:
        """Step towards the first cell in which the object can be met, clashes apart; within 8 steps there is one."""
        grid = self._grid
        path, cell = (grid.good_path, grid.good) if self.sign > 0 else (grid.evil_path, grid.evil)
        for ahead in range(SIDE):
            cell = moved(cell, path[(grid.time + ahead) % len(path)])
            right, down = ways(grid.agent, cell)
            if abs(right) + abs(down) <= ahead + 1:
                break
        if right:
            return MOVES.index("R" if right > 0 else "L")
        if down:
            return MOVES.index("D" if down > 0 else "U")
        return MOVES.index("S")


@dataclass(frozen=True)
class GridClass:
    """All environments on the torus with paths of up to ``longest`` symbols together."""

    longest: int = 1000
    name: str = "grid"

    @property
    def highest(self) -> float:
        """H of the longest paths."""
        return float(self.longest)

    def draw(self, low: float, high: float, used: Set[str], rng: np.random.Generator) -> Environment | None:
        """Return an unused environment with low ≤ H ≤ high, or None after 300 vain tries.

        There are (H − 1) 5^H pairs of paths for each H, which decides between two H in one level.
        """
        sizes = np.arange(max(2, math.ceil(low)), min(self.longest, math.floor(high)) + 1)
        weights = (sizes - 1) * 5.0 ** (sizes - sizes.max(initial=0))
        for _ in range(TRIES if sizes.size else 0):
            total = int(rng.choice(sizes, p=weights / weights.sum()))
            cut = int(rng.integers(1, total))
            symbols = "".join(MOVES[k] for k in rng.integers(len(MOVES), size=total))
            first, second = rng.choice(SIDE * SIDE, size=2, replace=False).tolist()
            grid = Grid(symbols[:cut], symbols[cut:], divmod(first, SIDE), divmod(second, SIDE))
            if grid.key not in used:
                return grid
        return None

    def oracle(self, sign: int = 1) -> Agent:
        """Return the oracle of the class."""
        return GridOracle(sign)
