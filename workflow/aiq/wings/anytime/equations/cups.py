"""Cups and buttons (Hernández-Orallo and Dowe 2010, section 6.1).

There are n cups on a circle, black or white, and n buttons. Button i flips cup i and the environment
then flips cup (i + 1) mod n. The reward is +1 when white cups are the majority, −1 when black ones
are, 0 on a tie; the observation holds the colours, 1 for white. H = n.

An environment is a pair of opposite first colourings, of which each start takes one at random: so a
random agent's expected reward is exactly 0 at every step. (A single first colouring is not balanced
for odd n, as a move keeps the parity of the number of white cups.) With n = 2 both buttons do the
same and no action matters, so the class begins with n = 3.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

import numpy as np

from aiq.wings.anytime.equations.protocol import Agent, Environment, Observation, Planner, Player, Table

LEAST = 3
LISTED = 10
"""Up to this n unused environments are listed; above, they are drawn until one is new."""


class Cups:
    """One environment of n cups; ``first`` is a colouring with cup 0 black, or its opposite is taken.

    Its key is the colouring with cup 0 black; H = n; one button per cup.
    """

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
class CupsClass:
    """All environments of 3 to ``largest`` cups: 2ⁿ⁻¹ for each n."""

    largest: int = 200
    name: str = "cups"

    @property
    def highest(self) -> float:
        """H of the largest environments."""
        return float(self.largest)

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
