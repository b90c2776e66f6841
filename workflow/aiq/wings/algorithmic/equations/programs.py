"""BF programs as text and as the arrays that the compiled machine runs.

Language: Legg and Veness (2013), section 3.5: the eight BF instructions, ``%`` (write a uniform random
symbol) and ``#`` (end of the cycle). As text, one program a line, ``stratum program``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from aiq.errors import InputError
from aiq.wings.algorithmic.equations.compiled import Array
from aiq.wings.algorithmic.records import STRATA, Program

SYMBOLS = "<>+-,.[]%#"
LEFT, RIGHT, PLUS, MINUS, READ, WRITE, OPEN, CLOSE, RANDOM, END = range(10)


class ProgramSet(NamedTuple):
    """Programs laid end to end: instruction codes, jump targets, and where each program begins and ends."""

    codes: Array  # int8, shape (total length,)
    jumps: Array  # int64, shape (total length,), relative to the program's beginning
    offsets: Array  # int64, shape (programs + 1,)


def check_code(code: str) -> None:
    """Raise InputError unless ``code`` is a BF program: known instructions, matched brackets, ``#`` at the end."""
    for position, symbol in enumerate(code):
        if symbol not in SYMBOLS:
            raise InputError(
                f"program {code!r} has {symbol!r} at position {position}, which is not BF; "
                f"allowed are the instructions {' '.join(SYMBOLS)}"
            )
    depth = 0
    for position, symbol in enumerate(code):
        depth += (symbol == "[") - (symbol == "]")
        if depth < 0:
            raise InputError(f"program {code!r} closes a loop at position {position} that none opened")
    if depth:
        raise InputError(f"program {code!r} leaves {depth} loop(s) open; every [ needs its ]")
    if not code.endswith("#"):
        raise InputError(f"program {code!r} does not end in #; write # as its last instruction")


def jumps(code: str) -> list[int]:
    """Return per instruction where a jump from it leads: past the matching ``]``, or behind the matching ``[``."""
    targets, opened = [0] * len(code), []
    for position, symbol in enumerate(code):
        if symbol == "[":
            opened.append(position)
        elif symbol == "]":
            begin = opened.pop()
            targets[begin], targets[position] = position + 1, begin + 1
    return targets


def pack(codes: Iterable[str]) -> ProgramSet:
    """Return the arrays of the given programs, in their order; raises InputError for the first that is not BF."""
    lookup = {symbol: index for index, symbol in enumerate(SYMBOLS)}
    flat: list[int] = []
    targets: list[int] = []
    offsets = [0]
    for code in codes:
        check_code(code)
        flat.extend(lookup[symbol] for symbol in code)
        targets.extend(jumps(code))
        offsets.append(len(flat))
    return ProgramSet(np.array(flat, np.int8), np.array(targets, np.int64), np.array(offsets, np.int64))


def parse(lines: Iterable[str]) -> tuple[Program, ...]:
    """Return the programs of text lines ``stratum program``; empty lines are skipped.

    Raises:
        InputError: a line is malformed, its program is not BF, or there is no program at all.
    """
    programs = []
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if not words:
            continue
        if len(words) != 2 or not (words[0].isascii() and words[0].isdigit()):
            raise InputError(
                f"line {number} of the program sample is {line.strip()!r}; write a stratum from 1 to {STRATA}, "
                "a space and a BF program, for example '1 ,.#'"
            )
        if not 1 <= int(words[0]) <= STRATA:
            raise InputError(f"line {number} of the program sample names stratum {words[0]}; strata are 1 to {STRATA}")
        check_code(words[1])
        programs.append(Program(int(words[0]), words[1]))
    if not programs:
        raise InputError("the program sample is empty; give at least one line 'stratum program', such as '1 ,.#'")
    return tuple(programs)


def render(programs: Sequence[Program]) -> str:
    """Return the programs as text, one ``stratum program`` a line; `parse` reads it back."""
    return "".join(f"{program.stratum} {program.code}\n" for program in programs)
