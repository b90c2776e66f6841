"""Cups and buttons, and Good and Evil on a 9 × 9 torus (Hernández-Orallo and Dowe 2010, sections 6.1 and 6.3).

**Cups.** There are n cups on a circle, black or white, and n buttons. Button i flips cup i and the environment
then flips cup (i + 1) mod n. The reward is +1 when white cups are the majority, −1 when black ones
are, 0 on a tie; the observation holds the colours, 1 for white. H = n.

An environment is a pair of opposite first colourings, of which each start takes one at random: so a
random agent's expected reward is exactly 0 at every step. (A single first colouring is not balanced
for odd n, as a move keeps the parity of the number of white cups.) With n = 2 both buttons do the
same and no action matters, so the class begins with n = 3.

**The torus.** Agent and objects move left, right, up, down or stay, all at once. Good and Evil repeat their paths for
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
from aiq.wings.anytime.equations import Agent, Environment, EnvironmentClass, Observation, Player
from aiq.wings.anytime.equations.automata import Oracle, Planner, Table

LEAST = 3
LISTED = 10
"""Up to this n unused environments are listed; above, they are drawn until one is new."""


class Cups:
    """One environment of n cups; ``first`` is a colouring, its key that with cup 0 black; H = n; one button per cup."""

    def __init__(self, first: Observation) -> None:
        self.first, self.cups = first, list(first)
        self.key = "".join(str(cup ^ first[0]) for cup in first)
        self.complexity, self.actions = float(len(first)), len(first)

    def reset(self, rng: np.random.Generator) -> Observation:
        """Take the first colouring or its opposite, each with probability one half."""
        flip = int(rng.integers(2))
        self.cups = [cup ^ flip for cup in self.first]
        return tuple(self.cups)

    def step(self, action: int) -> tuple[float, Observation]:
        """Press a button."""
        for cup in (action, (action + 1) % len(self.cups)):
            self.cups[cup] ^= 1
        excess = 2 * sum(self.cups) - len(self.cups)
        return float((excess > 0) - (excess < 0)), tuple(self.cups)

    def render(self) -> str:
        """Return the cups and below them the numbers of the buttons."""
        cups = " ".join("○ " if cup else "● " for cup in self.cups)
        return f"{cups.rstrip()}\n{' '.join(f'{i:<2}' for i in range(len(self.cups))).rstrip()}"

    @property
    def state(self) -> int:
        """Number of the present colouring: cup i is bit i."""
        return sum(cup << i for i, cup in enumerate(self.cups))

    def table(self) -> Table:
        """Return all 2ⁿ colourings as a finite environment."""
        n = len(self.first)
        states = np.arange(2**n)
        flips = np.array([(1 << i) | (1 << (i + 1) % n) for i in range(n)])
        white = (states[:, None] >> np.arange(n) & 1).sum(axis=1)
        start = np.zeros(2**n)
        number = sum(cup << i for i, cup in enumerate(self.first))
        start[[number, 2**n - 1 - number]] = 0.5
        return Table(states[:, None] ^ flips, np.sign(2 * white - n).astype(float), start)


def cups_of(key: str) -> Cups:
    """Return the cups of a colouring, one 0 (black) or 1 (white) a cup, as in ``01101``."""
    return Cups(tuple(map(int, key)))


class BlackCup(Player):
    """The policy of the paper: press the button of a black cup, chosen at random; any button if none is black."""

    name = "black-cup"

    def act(self) -> int:
        """Return the button of a black cup."""
        black = [i for i, cup in enumerate(self.observation) if cup == 0]
        return int(self.rng.choice(black if black else len(self.observation)))


class CupsOracle(Planner):
    """Plans over all colourings for few cups; with more, brings cups of the wrong colour together and flips them."""

    def inform(self, environment: Environment) -> None:
        """See the environment itself."""
        self._small = environment.actions <= 8
        if self._small:
            super().inform(environment)

    def act(self) -> int:
        """Return the next button."""
        if self._small:
            return super().act()
        n = len(self.observation)
        wrong = [i for i, cup in enumerate(self.observation) if cup == (self.sign < 0)]
        if not wrong:
            return 0
        gaps = [(wrong[(k + 1) % len(wrong)] - at) % n or n for k, at in enumerate(wrong)]
        return wrong[int(np.argmin(gaps))]


@dataclass(frozen=True)
class CupsClass(EnvironmentClass):
    """All environments of 3 to ``largest`` cups: 2ⁿ⁻¹ for each n."""

    largest: int = 200
    name: str = "cups"

    def draw(self, low: float, high: float, used: Set[str], rng: np.random.Generator) -> Environment | None:
        """Return an unused environment with low ≤ n ≤ high, uniformly, or None."""
        sizes = [n for n in range(LEAST, self.largest + 1) if low <= n <= high]
        left = np.array([2.0 ** (n - 1) - sum(len(key) == n for key in used) for n in sizes])
        if left.sum() <= 0:
            return None
        n = int(rng.choice(sizes, p=left / left.sum()))
        if n <= LISTED:
            keys = [key for key in (f"{k:0{n}b}" for k in range(2 ** (n - 1))) if key not in used]
            key = keys[int(rng.integers(len(keys)))]
        else:
            key = "0" + "".join(map(str, rng.integers(2, size=n - 1)))
            while key in used:
                key = "0" + "".join(map(str, rng.integers(2, size=n - 1)))
        return cups_of(key)

    def oracle(self, sign: int = 1) -> Agent:
        """Return the oracle of the class."""
        return CupsOracle(sign)


# ---- Good and Evil ---------------------------------------------------------------------------------

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
class GridClass(EnvironmentClass):
    """All environments on the torus with paths of up to ``largest`` symbols together."""

    largest: int = 1000
    name: str = "grid"

    def draw(self, low: float, high: float, used: Set[str], rng: np.random.Generator) -> Environment | None:
        """Return an unused environment with low ≤ H ≤ high, or None after 300 vain tries; (H − 1) 5^H pairs have H."""
        sizes = np.arange(max(2, math.ceil(low)), min(self.largest, math.floor(high)) + 1)
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


class FollowGood(Player):
    """The policy of section 6.3: move at random until the reward is above .5, then follow Good.

    A reward above .5 means that the agent is on Good's cell. From then on it notes each move of Good that it can tell
    from two sights in a row, with its time, and predicts the next one by the shortest period that fits all notes. It
    goes to the cell where it expects Good if that takes one move, else at random: behind a Good that runs away it would
    stay for ever.
    """

    name = "follow-good"
    longest = 64

    def begin(self, actions: int, rng: np.random.Generator) -> None:
        """Forget the last environment; every move is random at first."""
        super().begin(actions, rng)
        self._notes: dict[int, str] = {}
        self._time = 0
        self._met = False
        self._offset: tuple[int, int] | None = None
        self._action: int | None = None

    def observe(self, observation: Observation, reward: float) -> None:
        """Find Good among the neighbours, or under the agent by the reward, and note its move."""
        good: tuple[int, int] | None = (0, 0) if reward > 0.5 else None
        self._met = self._met or good is not None
        for k, move in enumerate(MOVES[:4]):
            if observation[3 * k]:
                good = SHIFTS[move]
        if self._action is not None:
            if self._offset is not None and good is not None:
                own = SHIFTS[MOVES[self._action]]
                step = (good[0] - self._offset[0] + own[0], good[1] - self._offset[1] + own[1])
                self._notes.update((self._time, move) for move, shift in SHIFTS.items() if shift == step)
            self._time += 1
        self._offset = good

    def _predicted(self) -> tuple[int, int]:
        """Return Good's next move by the shortest period that fits the notes, or staying if nothing is known."""
        for period in range(1, self.longest + 1):
            cycle: dict[int, str] = {}
            if all(cycle.setdefault(time % period, move) == move for time, move in self._notes.items()):
                return SHIFTS[cycle.get(self._time % period, "S")]
        self._notes.clear()
        return SHIFTS["S"]

    def act(self) -> int:
        """Go where Good will be if one move is enough, else anywhere."""
        self._action = int(self.rng.integers(self.actions))
        if self._met and self._offset is not None:
            step = self._predicted()
            goal = (self._offset[0] + step[0], self._offset[1] + step[1])
            self._action = next((k for k, move in enumerate(MOVES) if SHIFTS[move] == goal), self._action)
        return self._action
