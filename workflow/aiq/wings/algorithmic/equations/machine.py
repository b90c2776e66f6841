"""The BF reference machine, compiled (Legg and Veness 2013, section 3.5).

Every tape starts filled with the middle symbol m = (n - 1) // 2 and a loop tests for m, so that the
machine is balanced for odd n. In one cycle the agent's action is put in front of the action history,
the program runs, and reward and observation are read from the output tape. Work tape, its pointer,
history and output cells live on until the episode ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from aiq.errors import InputError
from aiq.wings.algorithmic.equations.programs import CLOSE, END, MINUS, OPEN, PLUS, READ, RIGHT, WRITE, ProgramSet, pack
from aiq.wings.algorithmic.equations.streams import Array, below, compiled, compiled_leaf, start

STEP_LIMIT = 1000
TAPE = 100_000
READABLE = 24
MAX_SYMBOLS = 64
MAX_OBSERVATIONS = 1_000_000
_RING = 32
_POINTER, _LOWEST, _HIGHEST, _NEWEST = 0, 1, 2, 3


@dataclass(frozen=True, slots=True)
class MachineSettings:
    """Parameters of the reference machine.

    ``symbols`` n is the size of the alphabet of tapes, actions and rewards (2 to 64); ``observation_cells`` output
    cells make up an observation; ``observation_first`` puts the reward last on the output tape.
    """

    symbols: int = 5
    observation_cells: int = 1
    observation_first: bool = False

    def __post_init__(self) -> None:
        if not 2 <= self.symbols <= MAX_SYMBOLS:
            raise InputError(
                f"the machine's alphabet has {self.symbols} symbol(s); give 2 to {MAX_SYMBOLS}: "
                "with fewer than 2 every action and reward is the same"
            )
        if self.observation_cells < 1 or self.observations > MAX_OBSERVATIONS:
            raise InputError(
                f"{self.observation_cells} observation cells of {self.symbols} symbols cannot be used; "
                f"give at least 1 cell and at most {MAX_OBSERVATIONS} observations (symbols ** cells)"
            )

    @property
    def observations(self) -> int:
        """Number of different observations."""
        return int(self.symbols**self.observation_cells)

    @property
    def middle(self) -> int:
        """The symbol with which every tape is filled."""
        return (self.symbols - 1) // 2


class Machine(NamedTuple):
    """The mutable arrays of one machine; `reset` prepares them for an episode."""

    tape: Array  # int8, work tape
    registers: Array  # int64: work pointer, lowest and highest pointer used, slot of the newest action
    history: Array  # int8, ring of past actions
    output: Array  # int8, output cells
    symbols: int
    reward_cell: int


def new_machine(settings: MachineSettings) -> Machine:
    """Return a machine at the beginning of an episode."""
    cells = settings.observation_cells
    return Machine(
        np.full(TAPE, settings.middle, np.int8),
        np.zeros(4, np.int64),
        np.full(_RING, settings.middle, np.int8),
        np.full(cells + 1, settings.middle, np.int8),
        settings.symbols,
        cells if settings.observation_first else 0,
    )


@compiled_leaf
def reset(machine: Machine) -> None:
    """Begin a new episode: fill what was touched of every tape with the middle symbol."""
    middle = (machine.symbols - 1) // 2
    registers = machine.registers
    for pointer in range(registers[_LOWEST], registers[_HIGHEST] + 1):
        machine.tape[pointer if pointer >= 0 else pointer + TAPE] = middle
    registers[:] = 0
    machine.history[:] = middle
    machine.output[:] = middle


@compiled_leaf
def cycle(machine: Machine, code: Array, jump: Array, action: int, stream: Array) -> int:
    """Run the program for one cycle after ``action``; return the steps used (STEP_LIMIT means it failed)."""
    tape, registers, history, output = machine.tape, machine.registers, machine.history, machine.output
    symbols = machine.symbols
    middle = (symbols - 1) // 2
    newest = (registers[_NEWEST] - 1) & (_RING - 1)
    registers[_NEWEST] = newest
    history[newest] = action
    pointer, lowest, highest = registers[_POINTER], registers[_LOWEST], registers[_HIGHEST]
    cell = pointer if pointer >= 0 else pointer + TAPE
    position, steps, read, written, size = 0, 0, 0, 0, output.shape[0]
    while steps < STEP_LIMIT and written < size:
        operation = code[position]
        steps += 1
        position += 1
        if operation <= RIGHT:  # LEFT or RIGHT
            pointer += 1 if operation == RIGHT else -1
            if pointer < -TAPE or pointer >= TAPE:
                pointer = 0
            lowest, highest = min(lowest, pointer), max(highest, pointer)
            cell = pointer if pointer >= 0 else pointer + TAPE
        elif operation == PLUS:
            value = tape[cell] + 1
            tape[cell] = value if value < symbols else 0
        elif operation == MINUS:
            value = tape[cell] - 1
            tape[cell] = value if value >= 0 else symbols - 1
        elif operation == READ:
            if read < READABLE:
                tape[cell] = history[(newest + read) & (_RING - 1)]
                read += 1
            else:
                tape[cell] = middle
        elif operation == WRITE:
            output[written] = tape[cell]
            written += 1
        elif operation == OPEN:
            if tape[cell] == middle:
                position = jump[position - 1]
        elif operation == CLOSE:
            if tape[cell] != middle:
                position = jump[position - 1]
        elif operation == END:
            break
        else:
            tape[cell] = below(stream, symbols)
    registers[_POINTER], registers[_LOWEST], registers[_HIGHEST] = pointer, lowest, highest
    return steps


@compiled_leaf
def reward_symbol(machine: Machine) -> int:
    """Return the symbol in the reward cell."""
    return int(np.int64(machine.output[machine.reward_cell]))


@compiled_leaf
def observation(machine: Machine) -> int:
    """Return the observation cells read as one number in base n, first cell most significant."""
    number = 0
    for cell in range(machine.output.shape[0]):
        if cell != machine.reward_cell:
            number = number * machine.symbols + machine.output[cell]
    return number


@compiled_leaf
def reward_value(symbol: int, symbols: int) -> float:
    """Return the reward of a symbol: 100 (s - m) / m with m = (n - 1) / 2, from -100 to 100."""
    centre = (symbols - 1) / 2.0
    return 100.0 * (symbol - centre) / centre


# ---- machines side by side, one a lane: the environments of the quotient, stepped by whoever acts --


class Lanes(NamedTuple):
    """Arrays of all lanes; those of the machines have the lane as their first axis."""

    tape: Array
    registers: Array
    history: Array
    output: Array
    streams: Array  # uint64, (lanes, 4)
    ends: Array  # int64, (lanes, 2): where the lane's program begins and ends
    factors: Array  # float64, (lanes,): of its rewards
    seen: Array  # int64, (lanes,): the last observation


@compiled
def _machine(lanes: Lanes, lane: int, symbols: int, reward_cell: int) -> Machine:
    return Machine(
        lanes.tape[lane], lanes.registers[lane], lanes.history[lane], lanes.output[lane], symbols, reward_cell
    )


@compiled
def _begin(lanes: Lanes, symbols: int, reward_cell: int, chosen: Array, roots: Array) -> None:
    """Begin an episode in the chosen lanes, the program's random symbols from the stream of each root."""
    for k in range(chosen.shape[0]):
        machine = _machine(lanes, chosen[k], symbols, reward_cell)
        reset(machine)
        start(lanes.streams[chosen[k]], roots[k], 0, 0, 0)
        lanes.seen[chosen[k]] = observation(machine)


@compiled
def _step(
    lanes: Lanes,
    symbols: int,
    reward_cell: int,
    codes: Array,
    jumps: Array,
    chosen: Array,
    actions: Array,
    rewards: Array,
    failed: Array,
) -> None:
    """Run one cycle in the chosen lanes; a cycle that reaches the step limit pays nothing and fails."""
    for k in range(chosen.shape[0]):
        lane = chosen[k]
        machine = _machine(lanes, lane, symbols, reward_cell)
        first, last = lanes.ends[lane, 0], lanes.ends[lane, 1]
        steps = cycle(machine, codes[first:last], jumps[first:last], actions[k], lanes.streams[lane])
        lanes.seen[lane] = observation(machine)
        failed[k] = steps >= STEP_LIMIT
        rewards[k] = 0.0 if failed[k] else lanes.factors[lane] * reward_value(reward_symbol(machine), symbols)


class ProgramLanes:
    """Machines that run programs of a list, drawn anew for every episode.

    A lane draws from its own generator, in this order: the program (if there are several), the factor +1 or -1 of the
    rewards (if ``antithetic``), and the root of the program's random symbols. A machine holds about 100 kB.
    """

    numbers = 1

    def __init__(
        self,
        codes: Sequence[str] | ProgramSet,
        settings: MachineSettings,
        generators: Sequence[np.random.Generator],
        antithetic: bool = True,
    ) -> None:
        """Build the machines for programs, written or packed; no episode runs yet."""
        *arrays, symbols, reward_cell = new_machine(settings)
        n, self._shape = len(generators), (symbols, reward_cell)
        tape, registers, history, output = (np.repeat(array[None], n, axis=0) for array in arrays)
        streams, ends = np.zeros((n, 4), np.uint64), np.zeros((n, 2), np.int64)
        self._lanes = Lanes(tape, registers, history, output, streams, ends, np.ones(n), np.zeros(n, np.int64))
        self._programs = codes if isinstance(codes, ProgramSet) else pack(codes)
        self._generators, self._antithetic = list(generators), antithetic

    def begin(self, chosen: Array) -> None:
        """Begin a new episode in the lanes ``chosen`` (n,)."""
        programs = self._programs.offsets.size - 1
        roots = np.empty(len(chosen), np.uint64)
        for k, lane in enumerate(chosen.tolist()):
            rng = self._generators[lane]
            program = int(rng.integers(programs)) if programs > 1 else 0
            self._give(lane, program, 1.0 - 2.0 * rng.integers(2) if self._antithetic else 1.0)
            roots[k] = rng.integers(2**63)
        _begin(self._lanes, *self._shape, chosen, roots)

    def _give(self, lane: int, program: int, factor: float) -> None:
        self._lanes.factors[lane] = factor
        self._lanes.ends[lane] = self._programs.offsets[program : program + 2]

    def begin_trial(
        self, lane: int, program: int, factor: float, root: np.uint64, stratum: int, draw: int, number: int
    ) -> None:
        """Begin in one lane the episode of a trial of the quotient: the program, its factor, and the machine's stream.

        The stream is named as in `equations.trials`: base, stratum, draw, and 0 for the factor +1, 2 for -1.
        """
        self._give(lane, program, factor)
        _begin(self._lanes, *self._shape, np.array([lane]), np.zeros(1, np.uint64))
        start(self._lanes.streams[lane], root, stratum, draw, number)

    def step(self, chosen: Array, actions: Array) -> tuple[Array, Array]:
        """Run one cycle in the lanes ``chosen`` (n,); return factor times reward, and whether programs failed."""
        rewards, failed = np.empty(len(chosen)), np.empty(len(chosen), np.bool_)
        codes, jumps, _ = self._programs
        _step(self._lanes, *self._shape, codes, jumps, chosen, actions, rewards, failed)
        return rewards, failed

    def observe(self, chosen: Array) -> Array:
        """Return the observations as numbers, (n, 1) int64."""
        return self._lanes.seen[chosen][:, None]

    def keep(self, order: Array) -> None:
        """Go on with these lanes alone, in this order."""
        self._lanes = Lanes(*(array[order] for array in self._lanes))
        self._generators = [self._generators[lane] for lane in order.tolist()]
