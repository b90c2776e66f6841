"""Sampling of BF programs: candidates are drawn, simplified, tested and sorted into strata; compiled.

Legg and Veness (2013), sections 3.5 and 3.6: pointless code is deleted; programs that fail or whose rewards
do not depend on the actions are discarded; strata are simple dependencies of the reward on recent
actions, else the program's length.

Programs come in blocks whose content does not depend on how they are shared out. Block b holds `BLOCK` accepted
programs and has a random stream of its own, named by the root seed and b alone. A shard is a range of blocks; shards
laid end to end are the sample, however it was cut.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from aiq.errors import InputError, choice
from aiq.wings.algorithmic.equations.machine import (
    STEP_LIMIT,
    Machine,
    MachineSettings,
    cycle,
    new_machine,
    reset,
    reward_symbol,
)
from aiq.wings.algorithmic.equations.programs import CLOSE, LEFT, MINUS, OPEN, PLUS, READ, RIGHT, SYMBOLS, WRITE, link
from aiq.wings.algorithmic.equations.streams import Array, base, below, compiled, compiled_leaf, start
from aiq.wings.algorithmic.records import Program, ProgramShard
from aiq.wings.algorithmic.settings import BLOCK

RUNS, CYCLES = 5, 200
ACTIVE_FROM, PATTERN_FROM = 4, 5
LENGTH_BOUNDS = (8, 10, 13, 16, 20, 24, 31, 43, 60)
DELETIONS = ((PLUS, MINUS), (MINUS, PLUS), (LEFT, RIGHT), (RIGHT, LEFT), (OPEN, CLOSE))
WITHOUT_IO, FAILED, PASSIVE = -1, -2, -3


@compiled_leaf
def _delete(code: Array, length: int, first: int, second: int) -> int:
    """Delete the pair ``first second`` wherever it stands, left to right without overlap; return the length."""
    read, write = 0, 0
    while read < length:
        if read + 1 < length and code[read] == first and code[read + 1] == second:
            read += 2
        else:
            code[write] = code[read]
            read += 1
            write += 1
    return write


@compiled_leaf
def simplify(code: Array, length: int, fixed_point: bool) -> int:
    """Delete ``+-``, ``-+``, ``<>``, ``><``, ``[]`` in this order, once or until nothing changes; return the length."""
    while True:
        before = length
        for first, second in DELETIONS:
            length = _delete(code, length, first, second)
        if not fixed_point or length == before:
            return length


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
        reads = reads or code[position] == READ
        writes = writes or code[position] == WRITE
    if not (reads and writes):
        return WITHOUT_IO
    link(code, jump, length)
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


@compiled_leaf
def candidate(code: Array, stream: Array) -> int:
    """Draw a program into ``code`` and return its length, or 0 where it does not fit.

    Symbols are uniform on ``< > + - , . [ ] # %`` with ``#`` read as ``]``; the first ``]`` that closes no loop ends
    the program and is written ``#``.
    """
    depth = 0
    for position in range(code.shape[0]):
        symbol = below(stream, 10)
        if symbol == 9:
            symbol = CLOSE
        if symbol == OPEN:
            depth += 1
        elif symbol == CLOSE:
            if depth == 0:
                code[position] = 9
                return position + 1
            depth -= 1
        code[position] = symbol
    return 0


# ---- blocks --------------------------------------------------------------------------------------

LONGEST = 20_000
SIMPLIFICATIONS = ("one-pass", "fixed-point")
_MOST_CANDIDATES = 1_000_000


@dataclass(frozen=True, slots=True)
class SamplerSettings:
    """How programs are drawn: the machine that tests them, and ``simplification`` once or to a fixed point."""

    machine: MachineSettings = field(default_factory=MachineSettings)
    simplification: str = "one-pass"

    def __post_init__(self) -> None:
        if self.simplification not in SIMPLIFICATIONS:
            raise InputError(choice("simplification", self.simplification, SIMPLIFICATIONS))


@compiled
def _sample_block(
    machine: Machine, root: np.uint64, block: int, size: int, fixed_point: bool, most: int
) -> tuple[Array, Array, Array, Array]:
    """Return instructions end to end, lengths, strata, and counts of (without io, failed, passive) of a block.

    Fewer than ``size`` programs come back where ``most`` candidates did not hold enough.
    """
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
        length = simplify(code, candidate(code, stream), fixed_point)
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


def sample_programs(seed: int, first: int, last: int, settings: SamplerSettings | None = None) -> ProgramShard:
    """Return the accepted programs of blocks ``first`` to ``last`` - 1 (`BLOCK` programs each) of a root seed.

    Raises:
        InputError: the range of blocks is empty or negative, or no program is accepted at these settings.
    """
    settings = settings or SamplerSettings()
    machine, root = new_machine(settings.machine), base(seed, "programs")
    fixed_point = settings.simplification == "fixed-point"
    alphabet = np.frombuffer(SYMBOLS.encode(), dtype=np.uint8)
    programs: list[Program] = []
    refused = np.zeros(3, np.int64)
    for block in range(first, last):
        flat, lengths, strata, counts = _sample_block(machine, root, block, BLOCK, fixed_point, _MOST_CANDIDATES)
        if lengths.size < BLOCK:
            raise InputError(
                f"block {block} found {lengths.size} acceptable programs among {_MOST_CANDIDATES} candidates with "
                f"{settings.machine.symbols} symbols and {settings.machine.observation_cells} observation cells; "
                "use a machine with fewer observation cells"
            )
        text, refused = alphabet[flat].tobytes().decode(), refused + counts
        ends = np.cumsum(lengths)
        codes = [text[end - length : end] for end, length in zip(ends, lengths, strict=True)]
        programs += [Program(int(stratum), code) for stratum, code in zip(strata, codes, strict=True)]
    return ProgramShard(tuple(programs), len(programs) + int(refused.sum()), *refused.tolist())
