"""Finite automata (Hernández-Orallo and Dowe 2010, section 6.2).

Every state has a fixed reward and shows a symbol; three actions lead from state to state. The graph
is strongly connected. Rewards are shifted by their mean under the random agent's stationary
distribution and scaled to a largest size of 1; the first state is drawn from that distribution, so a
random agent's expected reward is 0 at every step, not in the limit alone.

H is the length in bits of this code of the table: the number S of states in Elias' gamma code; per
state its raw reward (one of five) and its symbol (one of S); per transition one bit for staying, or
else one bit and one of the other S − 1 states.
"""

from __future__ import annotations

import math
import re
from collections.abc import Set
from dataclasses import dataclass

import numpy as np

from aiq.errors import InputError
from aiq.wings.anytime.equations.protocol import (
    Agent,
    Array,
    Environment,
    Observation,
    Planner,
    Table,
    exact_sensitivity,
)

ACTIONS = 3
RAW_REWARDS = (-1.0, -0.5, 0.0, 0.5, 1.0)
TRIES = 300
_STATE = re.compile(r"(\d+),(\d+),(\d+):(\d+):(\d+)")


def code_length(states: int, moving: int) -> float:
    """Return H in bits of an automaton with ``moving`` transitions that leave their state."""
    fixed = 2 * math.floor(math.log2(states)) + 1 + states * (math.log2(len(RAW_REWARDS)) + math.log2(states))
    return fixed + states * ACTIONS + moving * math.log2(states - 1)


def stationary(following: Array) -> Array:
    """Return the random agent's stationary distribution (S,) of a strongly connected table (S, A)."""
    states, actions = following.shape
    chain = np.zeros((states, states))
    np.add.at(chain, (np.repeat(np.arange(states), actions), following.ravel()), 1 / actions)
    system = np.vstack([chain.T - np.eye(states), np.ones(states)])
    target = np.append(np.zeros(states), 1.0)
    solution = np.clip(np.linalg.lstsq(system, target, rcond=None)[0], 0, None)
    return np.asarray(solution / solution.sum())


class Automaton:
    """One automaton of next states (S, 3), raw rewards (S,) 0 … 4 and symbols (S,); its key is the table as text."""

    def __init__(self, following: Array, raw: Array, symbols: Array) -> None:
        states = following.shape[0]
        if states < 2:
            raise InputError(
                f"an automaton of shape {following.shape} is malformed; it needs S ≥ 2 states by 3 actions"
            )
        if following.min() < 0 or following.max() >= states:
            raise InputError(f"an automaton leads to a state outside 0 to {states - 1}; correct its table")
        if not strongly_connected(following):
            raise InputError(
                "an automaton is not strongly connected; give one in which every state reaches every other"
            )
        self.following, self.raw, self.symbols = following, raw, symbols
        self._share = stationary(following)
        rewards = np.array(RAW_REWARDS)[raw]
        centred = rewards - self._share @ rewards
        largest = np.abs(centred).max()
        if largest < 1e-9:
            raise InputError("an automaton has the same reward in all states; give at least two different rewards")
        self.rewards = np.asarray(centred / largest)
        self.state, self.actions = 0, ACTIONS
        rows = zip(following.tolist(), raw.tolist(), symbols.tolist(), strict=True)
        self.key = " ".join(f"{','.join(map(str, to))}:{reward}:{symbol}" for to, reward, symbol in rows)
        self.complexity = code_length(states, int((following != np.arange(states)[:, None]).sum()))

    def table(self) -> Table:
        """Return the automaton with its balanced rewards and its stationary start."""
        return Table(self.following, self.rewards, self._share)

    def reset(self, rng: np.random.Generator) -> Observation:
        """Draw the first state from the stationary distribution."""
        self.state = int(rng.choice(self._share.size, p=self._share))
        return (int(self.symbols[self.state]),)

    def step(self, action: int) -> tuple[float, Observation]:
        """Follow a transition."""
        self.state = int(self.following[self.state, action])
        return float(self.rewards[self.state]), (int(self.symbols[self.state]),)

    def render(self) -> str:
        """Return what the examinee may see: the symbol and the actions."""
        return f"symbol o{int(self.symbols[self.state]) + 1}; actions 0, 1, 2"


def automaton_of(key: str) -> Automaton:
    """Return the automaton of a table, ``next,next,next:reward:symbol`` a state with a space between states."""
    states = [_STATE.fullmatch(word) for word in key.split()]
    rows = [tuple(map(int, state.groups())) for state in states if state is not None]
    if not rows or len(rows) < len(states):
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


def _reached(edges: list[list[int]]) -> int:
    """Return how many states can be reached from state 0 along ``edges``."""
    seen, waiting = {0}, [0]
    while waiting:
        for state in edges[waiting.pop()]:
            if state not in seen:
                seen.add(state)
                waiting.append(state)
    return len(seen)


def strongly_connected(following: Array) -> bool:
    """Tell whether every state reaches every other: state 0 reaches all, and all reach it."""
    forward: list[list[int]] = following.tolist()
    if _reached(forward) < len(forward):
        return False
    backward: list[list[int]] = [[] for _ in forward]
    for state, targets in enumerate(forward):
        for target in targets:
            backward[target].append(state)
    return _reached(backward) == len(forward)


@dataclass(frozen=True)
class AutomatonClass:
    """All automata of 2 to ``largest`` states.

    A draw takes sizes and numbers of moving transitions that fit the level uniformly, then tables
    uniformly, and keeps one that is strongly connected, reward-sensitive within S steps (exact check)
    and unused; after 300 vain tries it reports that there is none.
    """

    largest: int = 100
    name: str = "automata"

    @property
    def highest(self) -> float:
        """H of the largest automata."""
        return code_length(self.largest, self.largest * ACTIONS)

    def _shapes(self, low: float, high: float) -> list[tuple[int, int]]:
        """Return the pairs (states, moving transitions) with low ≤ H ≤ high; S ≤ moving ≤ 3 S."""
        shapes = []
        for states in range(2, self.largest + 1):
            least, most = states, states * ACTIONS
            if code_length(states, least) > high:
                break
            fixed, unit = code_length(states, 0), math.log2(states - 1)
            if unit > 0:
                least = max(least, math.ceil((low - fixed) / unit))
                most = min(most, math.floor((high - fixed) / unit))
            shapes += [(states, k) for k in range(least, most + 1) if low <= code_length(states, k) <= high]
        return shapes

    def draw(self, low: float, high: float, used: Set[str], rng: np.random.Generator) -> Environment | None:
        """Return an unused automaton with low ≤ H ≤ high, or None."""
        shapes = self._shapes(low, high)
        for _ in range(TRIES if shapes else 0):
            states, moving = shapes[int(rng.integers(len(shapes)))]
            stays = np.repeat(np.arange(states), ACTIONS)
            slots = rng.choice(stays.size, size=moving, replace=False)
            stays[slots] = (stays[slots] + rng.integers(1, states, size=moving)) % states
            following = stays.reshape(states, ACTIONS)
            raw, symbols = rng.integers(len(RAW_REWARDS), size=states), rng.integers(states, size=states)
            if np.unique(raw).size < 2 or not strongly_connected(following):
                continue
            automaton = Automaton(following, raw, symbols)
            if automaton.key not in used and exact_sensitivity(automaton.table(), states) == 1:
                return automaton
        return None

    def oracle(self, sign: int = 1) -> Agent:
        """Return the planner, which sees the state."""
        return Planner(sign)
