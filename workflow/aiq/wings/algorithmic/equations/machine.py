"""The BF reference machine, compiled (Legg and Veness 2013, section 3.5).

Every tape starts filled with the middle symbol m = (n - 1) // 2 and a loop tests for m, so that the
machine is balanced for odd n. In one cycle the agent's action is put in front of the action history,
the program runs, and reward and observation are read from the output tape. Work tape, its pointer,
history and output cells live on until the episode ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from aiq.errors import InputError
from aiq.wings.algorithmic.equations.programs import CLOSE, END, MINUS, OPEN, PLUS, READ, RIGHT, WRITE
from aiq.wings.algorithmic.equations.streams import Array, below, compiled_leaf
from aiq.wings.algorithmic.settings import MAX_OBSERVATIONS

STEP_LIMIT = 1000
TAPE = 100_000
READABLE = 24
MAX_SYMBOLS = 64
_RING = 32
_POINTER, _LOWEST, _HIGHEST, _NEWEST = 0, 1, 2, 3


@dataclass(frozen=True, slots=True)
class MachineSettings:
    """Parameters of the reference machine.

    ``symbols`` n is the size of the alphabet of tapes, actions and rewards (2 to 64);
    ``observation_cells`` output cells make up an observation, of which there are
    n ** observation_cells; ``observation_first`` puts the reward last on the output tape.
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
