"""Finite environments, what is best to do in them, and automata (Hernández-Orallo and Dowe 2010, section 6.2).

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
from collections import defaultdict
from collections.abc import Set
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.errors import InputError
from aiq.wings.anytime.equations import Agent, Environment, EnvironmentClass, Observation, Player

Array = npt.NDArray[Any]
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Table:
    """A finite deterministic environment with S states and A actions.

    ``following`` (S, A): next state; ``rewards`` (S,): on entering a state; ``start`` (S,): probabilities of the first.
    """

    following: Array
    rewards: Array
    start: Array


def exact_sensitivity(table: Table, horizon: int) -> float:
    """Return the share of all states from which two continuations of one length ≤ ``horizon`` pay other sums."""
    states = table.following.shape[0]
    least, most = np.zeros(states), np.zeros(states)
    sensitive = np.zeros(states, dtype=bool)
    for _ in range(horizon):
        least = (table.rewards + least)[table.following].min(axis=1)
        most = (table.rewards + most)[table.following].max(axis=1)
        sensitive |= most - least > TOLERANCE
    return float(sensitive.mean())


def sampled_sensitivity(
    environment: Environment, steps: int, histories: int, tries: int, rng: np.random.Generator
) -> float:
    """Return the share of sampled histories after which ``tries`` random continuations do not all pay the same sums.

    Continuations of ``steps`` actions are compared after the same history, of fewer, with the same randomness. A demand
    for 1 refuses an environment that is nowhere less sensitive than one differing continuation in ten with a
    probability of at most histories times 0.9 to the power tries − 1.
    """
    sensitive = 0
    for _ in range(histories):
        seed = int(rng.integers(2**62))
        history = rng.integers(environment.actions, size=int(rng.integers(steps))).tolist()
        sums = []
        for _ in range(tries):
            environment.reset(np.random.default_rng(seed))
            for action in history:
                environment.step(action)
            actions = rng.integers(environment.actions, size=steps).tolist()
            sums.append(np.cumsum([environment.step(action)[0] for action in actions]))
        sensitive += bool((np.ptp(np.array(sums), axis=0) > TOLERANCE).any())
    return sensitive / histories


def plan(table: Table, discount: float = 0.95, sign: int = 1) -> Array:
    """Return the best action in each state, (S,), for the discounted sum of ``sign`` × reward.

    By value iteration until no value changes by more than 1e-4. With a discount near 1 the mean reward of this policy
    is near that of the best cycle. (The best first actions over fixed steps may put off a cycle again and again.)
    """
    rewards = sign * table.rewards
    values = np.zeros(rewards.size)
    while True:
        previous = values
        values = (rewards + discount * values)[table.following].max(axis=1)
        if np.abs(values - previous).max() < 1e-4:
            return np.asarray((rewards + discount * values)[table.following].argmax(axis=1))


class Oracle(Player):
    """Base of agents that see the environment and seek reward, or with sign −1 avoid it."""

    def __init__(self, sign: int = 1) -> None:
        self.name = "oracle" if sign > 0 else "anti-oracle"
        self.sign = sign


class Planner(Oracle):
    """The oracle of finite environments: it sees the state and follows the plan (or with sign −1 the worst one)."""

    def inform(self, environment: Environment) -> None:
        """Plan for the environment."""
        self._environment = cast(Any, environment)
        self._policy = plan(self._environment.table(), sign=self.sign)

    def act(self) -> int:
        """Return the planned action."""
        return int(self._policy[self._environment.state])


# ---- automata --------------------------------------------------------------------------------------

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
class AutomatonClass(EnvironmentClass):
    """All automata of 2 to ``largest`` states.

    A draw takes sizes and numbers of moving transitions that fit the level uniformly, then tables uniformly, and keeps
    one that is strongly connected, reward-sensitive within S steps and unused; after 300 vain tries there is none.
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


# ---- BF programs of the algorithmic quotient --------------------------------------------------------

BEST = 100.0  # largest reward of the reference machine
_ONLY = np.zeros(1, np.int64)  # the one lane of a machine


class Program:
    """One BF program on the reference machine; an action is a symbol of its alphabet; H is its length.

    A cycle in which the program does not come to its end gives reward 0. With ``antithetic`` rewards are multiplied by
    +1 or −1, drawn at each start: that balances any program exactly.
    """

    def __init__(self, code: str, machine: Any, antithetic: bool = False) -> None:
        from aiq.wings.algorithmic.equations.trials import ProgramLanes

        self.key, self.complexity, self.actions, self._antithetic = code, float(len(code)), machine.symbols, antithetic
        self._machine = ProgramLanes([code], machine, [np.random.default_rng(0)])

    def reset(self, rng: np.random.Generator) -> Observation:
        """Begin a new episode; the program's own random symbols come from ``rng``."""
        sign = 1.0 if not self._antithetic or rng.integers(2) else -1.0
        self._machine.begin_trial(0, 0, sign, np.uint64(rng.integers(2**63)), 0, 0, 0)
        return self._seen()

    def step(self, action: int) -> tuple[float, Observation]:
        """Run the program for one cycle."""
        rewards, _ = self._machine.step(_ONLY, np.array([action]))
        return float(rewards[0]) / BEST, self._seen()

    def _seen(self) -> Observation:
        return (int(self._machine.observe(_ONLY)[0, 0]),)

    def render(self) -> str:
        """Return what the examinee may see: the observation and the actions."""
        return f"observation {self._seen()[0]}; actions 0 to {self.actions - 1}"


class ProgramClass(EnvironmentClass):
    """The reward-sensitive programs in some blocks of a root seed's sample, with a fair random sign."""

    def __init__(self, name: str, root: int, blocks: int) -> None:
        from aiq.wings.algorithmic.equations.machine import MachineSettings, sample_programs

        self.name, self._root, self._settings = name, root, MachineSettings()
        self._by_length: dict[int, list[str]] = defaultdict(list)
        for code in sorted({program.code for program in sample_programs(root, 0, blocks).programs}):
            self._by_length[len(code)].append(code)
        self.largest = max(self._by_length)
        self._sensitive: dict[str, bool] = {}

    def draw(self, low: float, high: float, used: Set[str], rng: np.random.Generator) -> Environment | None:
        """Return an unused, sensitive program with low ≤ length ≤ high, or None after 50 vain tries."""
        codes = [code for length, some in sorted(self._by_length.items()) if low <= length <= high for code in some]
        for _ in range(50):
            order = rng.permutation(len(codes))
            code = next((codes[index] for index in order if self._is_sensitive(codes[index])), None)
            if code is None:
                return None
            if code not in used:
                return Program(code, self._settings, antithetic=True)
        return None

    def oracle(self, sign: int = 1) -> Agent:
        """Refuse: there is none."""
        raise InputError(f"{self.name} has no oracle; examine another agent")

    def _is_sensitive(self, code: str) -> bool:
        """Whether the sampled check finds a program reward-sensitive: decided once, from its own generator."""
        if code not in self._sensitive:
            rng = seeding.generator(self._root, "anytime", self.name, "sensitivity", code)
            program = Program(code, self._settings)
            self._sensitive[code] = sampled_sensitivity(program, 20, 3, 40, rng) == 1
        return self._sensitive[code]
