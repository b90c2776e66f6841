"""A class made of programs that a higher layer supplies, such as those of a reference machine.

The supplier draws a program between two lengths; the class takes rewards f · r with f = +1 or −1, each
with probability one half at every start (the antithetic pair), which balances any environment
exactly. Both the score and what the agent sees are multiplied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Set
from dataclasses import dataclass

import numpy as np

from aiq.errors import InputError
from aiq.wings.anytime.equations.automata import RAW_REWARDS, Automaton
from aiq.wings.anytime.equations.checks import sampled_sensitivity
from aiq.wings.anytime.equations.cups import Cups
from aiq.wings.anytime.equations.grid import Grid
from aiq.wings.anytime.equations.protocol import Agent, Environment, Observation

# ---- Environments from their names ---------------------------------------------------------------


_STATE = re.compile(r"(\d+),(\d+),(\d+):(\d+):(\d+)")
_GRID = re.compile(r"([LRUDS]+)/([LRUDS]+)@(\d)(\d)(\d)(\d)")


def cups_of(key: str) -> Cups:
    """Return the cups of a colouring, one 0 (black) or 1 (white) a cup, as in ``01101``.

    Raises:
        InputError: it holds other symbols, or there are fewer than three cups.
    """
    if not re.fullmatch("[01]+", key):
        raise InputError(f"the cups are {key!r}; write one 0 (black) or 1 (white) a cup, for example 01101")
    return Cups(tuple(map(int, key)))


def automaton_of(key: str) -> Automaton:
    """Return the automaton of a table, ``next,next,next:reward:symbol`` a state with a space between states.

    Raises:
        InputError: the text is no such table, or the table is no environment of the test.
    """
    found = [_STATE.fullmatch(word) for word in key.split()]
    rows = [tuple(map(int, state.groups())) for state in found if state is not None]
    if not rows or len(rows) < len(found):
        raise InputError(
            f"the automaton is {key!r}; write a state as its three next states, the number of its reward (0 to 4) and "
            "its symbol, and a space between states, for example '0,1,1:0:0 0,0,1:4:1'"
        )
    table = np.array(rows)
    if table[:, 3].max() >= len(RAW_REWARDS) or table[:, 4].max() >= len(rows):
        raise InputError(
            f"the automaton is {key!r}; rewards are numbered 0 to {len(RAW_REWARDS) - 1} and symbols 0 to "
            f"{len(rows) - 1} (the number of states less one)"
        )
    return Automaton(table[:, :3], table[:, 3], table[:, 4])


def grid_of(key: str) -> Grid:
    """Return the grid of ``good path/evil path@xyxy``, the first cells of Good and Evil behind the paths.

    Raises:
        InputError: the text is no such pair of paths, or both begin in one cell.
    """
    found = _GRID.fullmatch(key)
    if found is None:
        raise InputError(
            f"the grid is {key!r}; write the paths of Good and Evil over L, R, U, D, S and their first cells, each 0 "
            "to 8, for example 'RRD/S@0044'"
        )
    good, evil, *cells = found.groups()
    a, b, c, d = map(int, cells)
    return Grid(good, evil, (a, b), (c, d))


# ---- A class made of programs that a higher layer supplies, such as those of a reference ---------


Supplier = Callable[[float, float, np.random.Generator], Environment | None]
OracleMaker = Callable[[int], Agent]


class Antithetic:
    """A supplied environment whose rewards are multiplied by a fair random sign, drawn at each start."""

    def __init__(self, inner: Environment) -> None:
        self.inner = inner
        self._sign = 1.0

    @property
    def key(self) -> str:
        """Key of the supplied environment."""
        return self.inner.key

    @property
    def complexity(self) -> float:
        """H of the supplied environment."""
        return self.inner.complexity

    @property
    def actions(self) -> int:
        """Actions of the supplied environment."""
        return self.inner.actions

    def reset(self, rng: np.random.Generator) -> Observation:
        """Draw the sign and start."""
        self._sign = 1.0 if rng.integers(2) else -1.0
        return self.inner.reset(rng)

    def step(self, action: int) -> tuple[float, Observation]:
        """Pass an action on; the reward comes back with the sign."""
        reward, observation = self.inner.step(action)
        return self._sign * reward, observation

    def render(self) -> str:
        """Return the text of the supplied environment."""
        return self.inner.render()


@dataclass(frozen=True)
class SuppliedClass:
    """A class around ``supply(low, high, rng)``, which returns an environment with low ≤ H ≤ high or None.

    ``steps``, ``histories``, ``continuations``: size of the sampled check of reward-sensitivity that each
    drawn environment must pass (0 histories: none). ``make_oracle(sign)`` returns the class's oracle.
    """

    name: str
    highest: float
    supply: Supplier
    make_oracle: OracleMaker | None = None
    steps: int = 20
    histories: int = 5
    continuations: int = 60
    tries: int = 50

    def draw(self, low: float, high: float, used: Set[str], rng: np.random.Generator) -> Environment | None:
        """Return an unused, balanced environment with low ≤ H ≤ high, or None after the tries."""
        for _ in range(self.tries):
            inner = self.supply(low, high, rng)
            if inner is None:
                return None
            if not low <= inner.complexity <= high:
                raise InputError(
                    f"{inner.key} has complexity {inner.complexity}, where {self.name} was asked for one in "
                    f"[{low}, {high}]; correct the supplier"
                )
            if inner.key not in used and self._sensitive(inner, rng):
                return Antithetic(inner)
        return None

    def _sensitive(self, inner: Environment, rng: np.random.Generator) -> bool:
        if self.histories == 0:
            return True
        return sampled_sensitivity(inner, self.steps, self.histories, self.continuations, rng).holds

    def oracle(self, sign: int = 1) -> Agent:
        """Return the supplied oracle.

        Raises:
            InputError: none was supplied.
        """
        if self.make_oracle is None:
            raise InputError(f"{self.name} has no oracle; supply one, or examine another agent")
        return self.make_oracle(sign)
