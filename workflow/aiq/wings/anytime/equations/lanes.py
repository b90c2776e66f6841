"""Cups and automata side by side, one a lane: the environments of the test in NumPy, step by step equal to them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from aiq.wings.anytime.equations.automata import Automaton
from aiq.wings.anytime.equations.checks import Array


class CupsLanes:
    """Environments of n cups, stepped together (`aiq.wings.anytime.equations.cups`).

    A lane draws from its own generator: the environment (where none is given), one bit for each cup but the first,
    and then, as the environment itself does, which of its two colourings comes first.

    Attributes:
        numbers: numbers in an observation, n: the colours.
    """

    def __init__(self, cups: int, first: Sequence[int] | None, generators: Sequence[np.random.Generator]) -> None:
        """Take the number of cups and a first colouring (n,), or None for another one in every episode."""
        self.numbers = cups
        self._first = None if first is None else np.asarray(first, np.int64)
        self._generators = list(generators)
        self._state = np.zeros((len(self._generators), cups), np.int64)

    def begin(self, chosen: Array) -> None:
        """Begin a new episode in the lanes ``chosen`` (n,)."""
        for lane in chosen.tolist():
            rng = self._generators[lane]
            first = self._first
            if first is None:
                first = np.append(0, rng.integers(2, size=self.numbers - 1))
            self._state[lane] = first ^ int(rng.integers(2))

    def step(self, chosen: Array, actions: Array) -> tuple[Array, Array]:
        """Press a button in the lanes ``chosen`` (n,); return rewards (n,) and that no episode ended (n,)."""
        state = self._state
        state[chosen, actions] ^= 1
        state[chosen, (actions + 1) % self.numbers] ^= 1
        excess = 2 * state[chosen].sum(axis=1) - self.numbers
        return np.sign(excess).astype(np.float64), np.zeros(len(chosen), np.bool_)

    def observe(self, chosen: Array) -> Array:
        """Return the colours, 1 for white, (n, cups) int64."""
        return self._state[chosen]

    def keep(self, order: Array) -> None:
        """Go on with these lanes alone, in this order."""
        self._generators = [self._generators[lane] for lane in order.tolist()]
        self._state = self._state[order]


class AutomatonLanes:
    """Automata of a list, drawn anew for every episode and stepped together (`aiq.wings.anytime.equations.automata`).

    A lane draws from its own generator: the automaton (if there are several) and, as the automaton itself does, its
    first state.

    Attributes:
        numbers: numbers in an observation: 1.
        which: (lanes,) int64, the automaton of each lane's episode.
    """

    numbers = 1

    def __init__(self, automata: Sequence[Automaton], generators: Sequence[np.random.Generator]) -> None:
        """Lay the tables of the automata side by side."""
        most = max(one.following.shape[0] for one in automata)
        self._following = np.zeros((len(automata), most, automata[0].actions), np.int64)
        self._rewards, self._symbols = np.zeros((len(automata), most)), np.zeros((len(automata), most), np.int64)
        self._shares = []
        for k, one in enumerate(automata):
            states = one.following.shape[0]
            self._following[k, :states], self._rewards[k, :states] = one.following, one.rewards
            self._symbols[k, :states] = one.symbols
            self._shares.append(one.table().start)
        self._generators = list(generators)
        self.which = np.zeros(len(self._generators), np.int64)
        self._state = np.zeros(len(self._generators), np.int64)

    def begin(self, chosen: Array) -> None:
        """Begin a new episode in the lanes ``chosen`` (n,)."""
        for lane in chosen.tolist():
            rng = self._generators[lane]
            self.which[lane] = rng.integers(len(self._shares)) if len(self._shares) > 1 else 0
            share = self._shares[self.which[lane]]
            self._state[lane] = rng.choice(share.size, p=share)

    def step(self, chosen: Array, actions: Array) -> tuple[Array, Array]:
        """Follow a transition in the lanes ``chosen`` (n,); return rewards (n,) and that no episode ended (n,)."""
        which = self.which[chosen]
        after = self._following[which, self._state[chosen], actions]
        self._state[chosen] = after
        return self._rewards[which, after], np.zeros(len(chosen), np.bool_)

    def observe(self, chosen: Array) -> Array:
        """Return the symbols, (n, 1) int64."""
        return self._symbols[self.which[chosen], self._state[chosen]][:, None]

    def keep(self, order: Array) -> None:
        """Go on with these lanes alone, in this order."""
        self._generators = [self._generators[lane] for lane in order.tolist()]
        self.which, self._state = self.which[order], self._state[order]
