"""Simplification of candidate programs and their test runs: accepted or not, and in which stratum; compiled.

Legg and Veness (2013), sections 3.5 and 3.6: pointless code is deleted; programs that fail or whose rewards
do not depend on the actions are discarded; strata are simple dependencies of the reward on recent
actions, else the program's length.
"""

from __future__ import annotations

from aiq.wings.algorithmic.equations.machine import STEP_LIMIT, Machine, cycle, reset, reward_symbol
from aiq.wings.algorithmic.equations.programs import CLOSE, LEFT, MINUS, OPEN, PLUS, READ, RIGHT, WRITE
from aiq.wings.algorithmic.equations.streams import Array, below, compiled_leaf

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
    """Return whether the rewards from cycle `ACTIVE_FROM` on are the same in all runs."""
    for run in range(1, RUNS):
        for k in range(ACTIVE_FROM, CYCLES):
            if rewards[run, k] != rewards[0, k]:
                return False
    return True


@compiled_leaf
def length_stratum(length: int) -> int:
    """Return the stratum (11 to 20) of a program of ``length`` instructions that fits no reward pattern."""
    stratum = 11
    for bound in LENGTH_BOUNDS:
        if length < bound:
            return stratum
        stratum += 1
    return stratum


@compiled_leaf
def classify(
    machine: Machine, code: Array, jump: Array, length: int, actions: Array, rewards: Array, stream: Array
) -> int:
    """Return the stratum of a program, or why it is discarded: `WITHOUT_IO`, `FAILED` or `PASSIVE`.

    Args:
        machine: scratch machine.
        code: instructions, of which the first ``length`` count.
        jump: jump targets, filled here.
        length: number of instructions.
        actions: scratch, int64 of shape (RUNS, CYCLES).
        rewards: scratch of the same shape.
        stream: source of the actions and of the machine's random symbols.
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
    return length_stratum(length)


@compiled_leaf
def link(code: Array, jump: Array, length: int) -> None:
    """Fill the jump targets of a program with matched brackets (unclosed brackets waiting are chained in ``jump``)."""
    opened = -1
    for position in range(length):
        if code[position] == OPEN:
            jump[position] = opened
            opened = position
        elif code[position] == CLOSE:
            begin = opened
            opened = jump[begin]
            jump[begin] = position + 1
            jump[position] = begin + 1
        else:
            jump[position] = 0


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
