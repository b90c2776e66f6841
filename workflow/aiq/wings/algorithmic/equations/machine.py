"""The BF reference machine, and the sampling of programs that are tested on it; compiled (Legg and Veness 2013).

Every tape starts filled with the middle symbol m = (n - 1) // 2 and a loop tests for m, so that the
machine is balanced for odd n. In one cycle the agent's action is put in front of the action history,
the program runs, and reward and observation are read from the output tape. Work tape, its pointer,
history and output cells live on until the episode ends (section 3.5).

Sampled programs that fail or whose rewards do not depend on the actions are discarded; strata are simple dependencies
of the reward on recent actions, else the program's length (section 3.6). Block b of the sample holds `BLOCK` accepted
programs and has a random stream of its own, named by the root seed and b alone; a shard is a range of blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from aiq.errors import InputError, choice
from aiq.wings.algorithmic import equations as bf
from aiq.wings.algorithmic.equations import Array, below, compiled, compiled_leaf, start
from aiq.wings.algorithmic.settings import BLOCK

STEP_LIMIT = 1000
TAPE = 100_000
READABLE = 24
MAX_SYMBOLS = 64
MAX_OBSERVATIONS = 1_000_000
_RING = 32
_POINTER, _LOWEST, _HIGHEST, _NEWEST = 0, 1, 2, 3


@dataclass(frozen=True, slots=True)
class MachineSettings:
    """The machine: its alphabet of n symbols, output cells of an observation, and whether the reward is last there."""

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
        if operation <= bf.RIGHT:  # LEFT or RIGHT
            pointer += 1 if operation == bf.RIGHT else -1
            if pointer < -TAPE or pointer >= TAPE:
                pointer = 0
            lowest, highest = min(lowest, pointer), max(highest, pointer)
            cell = pointer if pointer >= 0 else pointer + TAPE
        elif operation == bf.PLUS:
            value = tape[cell] + 1
            tape[cell] = value if value < symbols else 0
        elif operation == bf.MINUS:
            value = tape[cell] - 1
            tape[cell] = value if value >= 0 else symbols - 1
        elif operation == bf.READ:
            if read < READABLE:
                tape[cell] = history[(newest + read) & (_RING - 1)]
                read += 1
            else:
                tape[cell] = middle
        elif operation == bf.WRITE:
            output[written] = tape[cell]
            written += 1
        elif operation == bf.OPEN:
            if tape[cell] == middle:
                position = jump[position - 1]
        elif operation == bf.CLOSE:
            if tape[cell] != middle:
                position = jump[position - 1]
        elif operation == bf.END:
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


# ---- sampling --------------------------------------------------------------------------------------

RUNS, CYCLES = 5, 200
ACTIVE_FROM, PATTERN_FROM = 4, 5
LENGTH_BOUNDS = (8, 10, 13, 16, 20, 24, 31, 43, 60)

WITHOUT_IO, FAILED, PASSIVE = -1, -2, -3
LONGEST = 20_000
SIMPLIFICATIONS = ("one-pass", "fixed-point")
_MOST_CANDIDATES = 1_000_000


@compiled_leaf
def _holds(pattern: int, actions: Array, rewards: Array, symbols: int) -> bool:
    """Return whether reward pattern 1 to 10 holds in every run from cycle `PATTERN_FROM` on."""
    middle = (symbols - 1) // 2
    for run in range(RUNS):
        for k in range(PATTERN_FROM, CYCLES):
            if pattern <= 4:
                expected = actions[run, k - pattern + 1]
            elif pattern == 5 or pattern == 6:
                expected = (actions[run, k] + (1 if pattern == 5 else symbols - 1)) % symbols
            elif pattern == 7 or pattern == 8:
                expected = (actions[run, k - 1] + (1 if pattern == 7 else symbols - 1)) % symbols
            else:
                expected = actions[run, k - pattern + 9]
                if expected == middle:
                    continue
            if rewards[run, k] != expected:
                return False
    return True


@compiled_leaf
def _passive(rewards: Array) -> bool:
    for run in range(1, RUNS):
        for k in range(ACTIVE_FROM, CYCLES):
            if rewards[run, k] != rewards[0, k]:
                return False
    return True


@compiled_leaf
def classify(
    machine: Machine, code: Array, jump: Array, length: int, actions: Array, rewards: Array, stream: Array
) -> int:
    """Return the stratum of a program, or why it is discarded: `WITHOUT_IO`, `FAILED` or `PASSIVE`.

    The first ``length`` instructions of ``code`` count; machine, ``jump``, ``actions`` and ``rewards``, int64 of shape
    (RUNS, CYCLES), are scratch; actions and the machine's random symbols are drawn from ``stream``.
    """
    reads, writes = False, False
    for position in range(length):
        reads = reads or code[position] == bf.READ
        writes = writes or code[position] == bf.WRITE
    if not (reads and writes):
        return WITHOUT_IO
    bf.link(code, jump, length)
    for run in range(RUNS):
        reset(machine)
        for k in range(CYCLES):
            actions[run, k] = below(stream, machine.symbols)
            if cycle(machine, code, jump, actions[run, k], stream) >= STEP_LIMIT:
                return FAILED
            rewards[run, k] = reward_symbol(machine)
    if _passive(rewards):
        return PASSIVE
    for pattern in range(1, 11):
        if _holds(pattern, actions, rewards, machine.symbols):
            return pattern
    stratum = 11
    for bound in LENGTH_BOUNDS:
        if length >= bound:
            stratum += 1
    return stratum


@compiled
def _sample_block(
    machine: Machine, root: np.uint64, block: int, size: int, fixed_point: bool, most: int
) -> tuple[Array, Array, Array, Array]:
    """Return instructions end to end, lengths, strata, and counts of (without io, failed, passive) of a block."""
    stream = np.empty(4, np.uint64)
    start(stream, root, block, 0, 0)
    code, jump = np.empty(LONGEST, np.int8), np.empty(LONGEST, np.int64)
    actions, rewards = np.empty((RUNS, CYCLES), np.int64), np.empty((RUNS, CYCLES), np.int64)
    lengths, strata = np.empty(size, np.int64), np.empty(size, np.int64)
    refused = np.zeros(3, np.int64)
    flat, used, accepted = np.empty(2 * LONGEST, np.int8), 0, 0
    for _ in range(most):
        if accepted == size:
            break
        length = bf.simplify(code, bf.candidate(code, stream), fixed_point)
        verdict = classify(machine, code, jump, length, actions, rewards, stream)
        if verdict < 0:
            refused[-verdict - 1] += 1
            continue
        if used + length > flat.shape[0]:
            larger = np.empty(2 * flat.shape[0], np.int8)
            for k in range(used):
                larger[k] = flat[k]
            flat = larger
        for k in range(length):
            flat[used + k] = code[k]
        lengths[accepted], strata[accepted] = length, verdict
        used += length
        accepted += 1
    return flat[:used], lengths[:accepted], strata[:accepted], refused


def sample_programs(
    seed: int, first: int, last: int, settings: MachineSettings | None = None, simplification: str = "one-pass"
) -> bf.ProgramShard:
    """Return the accepted programs of blocks ``first`` to ``last`` - 1 (`BLOCK` programs each) of a root seed.

    Raises:
        InputError: the range of blocks is empty or negative, or no program is accepted at these settings.
    """
    if simplification not in SIMPLIFICATIONS:
        raise InputError(choice("simplification", simplification, SIMPLIFICATIONS))
    settings = settings or MachineSettings()
    machine, root, fixed_point = new_machine(settings), bf.base(seed, "programs"), simplification == "fixed-point"
    alphabet = np.frombuffer(bf.SYMBOLS.encode(), dtype=np.uint8)
    programs: list[bf.Program] = []
    refused = np.zeros(3, np.int64)
    for block in range(first, last):
        flat, lengths, strata, counts = _sample_block(machine, root, block, BLOCK, fixed_point, _MOST_CANDIDATES)
        if lengths.size < BLOCK:
            raise InputError(
                f"block {block} found {lengths.size} acceptable programs among {_MOST_CANDIDATES} candidates with "
                f"{settings.symbols} symbols and {settings.observation_cells} observation cells; "
                "use a machine with fewer observation cells"
            )
        text, refused = alphabet[flat].tobytes().decode(), refused + counts
        ends = np.cumsum(lengths)
        codes = [text[end - length : end] for end, length in zip(ends, lengths, strict=True)]
        programs += [bf.Program(int(stratum), code) for stratum, code in zip(strata, codes, strict=True)]
    return bf.ProgramShard(tuple(programs), len(programs) + int(refused.sum()), *refused.tolist())
