"""Streams, machine, sampler, learners and trial of the algorithmic quotient in plain Python, for tests and benchmarks.

Written from the definitions, not from the compiled code: recursion for loops, dense tables, text for programs.
Given the same random stream, the compiled code must compute the same numbers.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable

from aiq.wings.algorithmic.equations.agents import HLQ, Freq, QLearning, Random, Sarsa, TabularAgent

_WORD = 2**64 - 1
_GOLDEN, _MIX_1, _MIX_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
DELETIONS = ("+-", "-+", "<>", "><", "[]")
LENGTHS = (8, 10, 13, 16, 20, 24, 31, 43, 60)


def _mix(word: int) -> int:
    """SplitMix64's output function."""
    word = (word ^ word >> 30) * _MIX_1 & _WORD
    word = (word ^ word >> 27) * _MIX_2 & _WORD
    return word ^ word >> 31


class Stream:
    """xoshiro256++ started from a base and three integers, as in `aiq.wings.algorithmic.equations`."""

    def __init__(self, root: int, first: int, second: int, third: int) -> None:
        word = _mix((int(root) + _GOLDEN) & _WORD)
        word = _mix(word ^ first * _GOLDEN & _WORD)
        word = _mix((word + _GOLDEN & _WORD) ^ (second * _MIX_1 & _WORD))
        word = _mix((word + _GOLDEN & _WORD) ^ (third * _MIX_2 & _WORD))
        self.state = [_mix(word + (i + 1) * _GOLDEN & _WORD) for i in range(4)]

    def draw(self) -> int:
        """Return the next 64 bits."""

        def rotate(word: int, by: int) -> int:
            return (word << by | word >> (64 - by)) & _WORD

        s = self.state
        result = (rotate(s[0] + s[3] & _WORD, 23) + s[0]) & _WORD
        shifted = s[1] << 17 & _WORD
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = rotate(s[3], 45)
        return result

    def below(self, bound: int) -> int:
        """Return an integer uniform below ``bound``: the high word of a product, rejecting the uneven rest."""
        while True:
            high, low = divmod((self.draw() >> 32) * bound, 2**32)
            if low >= 2**32 % bound:
                return high

    def unit(self) -> float:
        """Return a number uniform on [0, 1)."""
        return math.ldexp(self.draw() >> 11, -53)


class _EndOfCycle(Exception):  # noqa: N818 - a signal, not an error
    """The program ends this cycle."""


class Machine:
    """The BF reference machine, one `cycle` per action; `steps`, `reward` and `observation` tell its result."""

    def __init__(self, program: str, symbols: int, cells: int, observation_first: bool, stream: Stream) -> None:
        self.program, self.symbols, self.stream = program, symbols, stream
        self.middle = (symbols - 1) // 2
        self.tape = [self.middle] * 100_000
        self.pointer = 0
        self.input = [self.middle] * 25
        self.output = [self.middle] * (cells + 1)
        self.observation_first = observation_first
        self.steps = 0

    def cycle(self, action: int) -> bool:
        """Run the program after ``action`` and return whether it kept below 1,000 steps."""
        self.input = [action, *self.input[:24]]
        self.steps = self.read = self.written = 0
        with contextlib.suppress(_EndOfCycle):
            self._run(0)
        return self.steps < 1000

    def _run(self, position: int) -> int:
        """Run from ``position`` to the bracket that closes this level and return its position."""
        while True:
            if self.steps == 1000 or self.written == len(self.output):
                raise _EndOfCycle
            self.steps += 1
            instruction = self.program[position]
            if instruction == "#":
                raise _EndOfCycle
            if instruction == "]":
                return position
            if instruction == "[":
                if self.tape[self.pointer] == self.middle:
                    position = self._match(position)
                else:
                    end = self._run(position + 1)
                    while self.tape[self.pointer] != self.middle:
                        end = self._run(position + 1)
                    position = end
            else:
                self._simple(instruction)
            position += 1

    def _match(self, position: int) -> int:
        """Return the position of the ``]`` that closes the ``[`` at ``position``."""
        depth = 0
        for k in range(position, len(self.program)):
            depth += {"[": 1, "]": -1}.get(self.program[k], 0)
            if depth == 0:
                return k
        raise ValueError("unmatched [")

    def _simple(self, instruction: str) -> None:
        if instruction in "<>":
            self.pointer += 1 if instruction == ">" else -1
            if not -100_000 <= self.pointer <= 99_999:
                self.pointer = 0
        elif instruction in "+-":
            change = 1 if instruction == "+" else -1
            self.tape[self.pointer] = (self.tape[self.pointer] + change) % self.symbols
        elif instruction == ",":
            self.tape[self.pointer] = self.input[self.read] if self.read < 24 else self.middle
            self.read = min(self.read + 1, 24)
        elif instruction == ".":
            self.output[self.written] = self.tape[self.pointer]
            self.written += 1
        else:
            self.tape[self.pointer] = self.stream.below(self.symbols)

    @property
    def reward_symbol(self) -> int:
        """The symbol in the reward cell."""
        return self.output[-1 if self.observation_first else 0]

    @property
    def reward(self) -> float:
        """Reward from -100 to 100."""
        centre = (self.symbols - 1) / 2
        return 100.0 * (self.reward_symbol - centre) / centre

    @property
    def observation(self) -> list[int]:
        """The observation cells."""
        return self.output[:-1] if self.observation_first else self.output[1:]


def draw_program(stream: Stream) -> str:
    """Return a random program, not yet simplified."""
    program, depth = "", 0
    while True:
        symbol = "<>+-,.[]%]"[stream.below(10)]
        depth += {"[": 1, "]": -1}.get(symbol, 0)
        if depth < 0:
            return program + "#"
        program += symbol


def simplify(program: str, fixed_point: bool) -> str:
    """Return the program without pointless code, in one pass or until nothing changes."""
    while True:
        before = program
        for pair in DELETIONS:
            program = program.replace(pair, "")
        if not fixed_point or program == before:
            return program


def classify(program: str, symbols: int, cells: int, observation_first: bool, stream: Stream) -> int | str:
    """Return the stratum of a program, or the word for why it is discarded."""
    if "." not in program or "," not in program:
        return "without io"
    runs = []
    for _ in range(5):
        machine = Machine(program, symbols, cells, observation_first, stream)
        run = []
        for _ in range(200):
            action = stream.below(symbols)
            if not machine.cycle(action):
                return "failed"
            run.append((action, machine.reward_symbol))
        runs.append(run)
    if all([r for _, r in run[4:]] == [r for _, r in runs[0][4:]] for run in runs):
        return "passive"
    rows = [([run[k - back][0] for back in range(4)], run[k][1]) for run in runs for k in range(5, 200)]
    middle = (symbols - 1) // 2
    patterns: list[Callable[[list[int], int], bool]] = [
        lambda a, r: r == a[0],
        lambda a, r: r == a[1],
        lambda a, r: r == a[2],
        lambda a, r: r == a[3],
        lambda a, r: r == (a[0] + 1) % symbols,
        lambda a, r: r == (a[0] - 1) % symbols,
        lambda a, r: r == (a[1] + 1) % symbols,
        lambda a, r: r == (a[1] - 1) % symbols,
        lambda a, r: a[0] == middle or r == a[0],
        lambda a, r: a[1] == middle or r == a[1],
    ]
    for stratum, holds in enumerate(patterns, start=1):
        if all(holds(a, r) for a, r in rows):
            return stratum
    return 11 + sum(len(program) >= bound for bound in LENGTHS)


class Learner:
    """A tabular agent with dense tables; `decide` then `learn`, as in `aiq.wings.algorithmic.equations.agents`."""

    def __init__(self, agent: TabularAgent, observations: int, actions: int) -> None:
        self.agent, self.actions = agent, actions
        rows = 1 if isinstance(agent, Random | Freq) else observations
        initial = agent.initial if isinstance(agent, QLearning | HLQ | Sarsa) else 0.0
        self.values = [[initial] * actions for _ in range(rows)]
        self.traces = [[0.0] * actions for _ in range(rows)]
        self.visits = [[1.0] * actions for _ in range(rows)]

    def decide(self, seen: int, stream: Stream) -> tuple[int, int]:
        """Return the greedy action drawn and the action to take."""
        if isinstance(self.agent, Random):
            action = stream.below(self.actions)
            return action, action
        row = self.values[0 if isinstance(self.agent, Freq) else seen]
        best = [action for action in range(self.actions) if row[action] == max(row)]
        greedy = best[0] if len(best) == 1 else best[stream.below(len(best))]
        explores = stream.unit() < self.agent.parameters()[0]
        return greedy, stream.below(self.actions) if explores else greedy

    def learn(self, state: int, action: int, reward: float, following: int, greedy: int, chosen: int) -> None:
        """Update the tables after one transition."""
        agent, values, traces, visits = self.agent, self.values, self.traces, self.visits
        if isinstance(agent, Freq):
            visits[0][action] += 1
            traces[0][action] += reward
            values[0][action] = traces[0][action] / visits[0][action]
        if not isinstance(agent, QLearning | HLQ | Sarsa):
            return
        ahead = values[following][chosen if isinstance(agent, Sarsa) else greedy]
        delta = reward + agent.discount * ahead - values[state][action]
        traces[state][action] += 1
        if isinstance(agent, HLQ):
            visits[state][action] += 1
            v = visits[following][chosen]
            scale = delta * v / (v - agent.discount * traces[following][chosen])
        keep = isinstance(agent, Sarsa) or greedy == chosen
        forgotten = 1e-200 if isinstance(agent, HLQ) else 1e-20
        for x, row in enumerate(traces):
            for b, trace in enumerate(row):
                if isinstance(agent, HLQ):
                    values[x][b] += scale * trace / visits[x][b]
                    visits[x][b] = max(visits[x][b] * agent.trace, 1e-100)
                else:
                    values[x][b] += agent.rate * delta * trace
                faded = trace * (agent.discount * agent.trace) if keep else 0.0
                row[b] = faded if faded >= forgotten else 0.0


def run_trial(agent: TabularAgent, machine: Machine, length: int, discount: float, factor: int, draws: Stream) -> float:
    """Return the weighted sum of factor times reward over an episode, NaN where the program fails."""
    learner = Learner(agent, machine.symbols ** len(machine.observation), machine.symbols)
    state, action, reward, total, weight = 0, 0, 0.0, 0.0, 1.0
    for k in range(length):
        seen = 0
        for cell in machine.observation:
            seen = seen * machine.symbols + cell
        learns = k > 0 or bool(agent.parameters()[5])
        if learns and isinstance(agent, Freq):
            learner.learn(state, action, reward, seen, 0, 0)
        greedy, chosen = learner.decide(seen, draws)
        if learns and not isinstance(agent, Freq):
            learner.learn(state, action, reward, seen, greedy, chosen)
        state, action = seen, chosen
        if not machine.cycle(action):
            return math.nan
        reward = factor * machine.reward
        total += weight * reward
        weight *= discount
    return total
