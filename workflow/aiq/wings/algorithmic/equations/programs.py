"""BF programs as text and as the arrays that the compiled machine runs.

Language: Legg and Veness (2013), section 3.5: the eight BF instructions, ``%`` (write a uniform random
symbol) and ``#`` (end of the cycle). As text, one program a line, ``stratum program``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from aiq.errors import InputError
from aiq.wings.algorithmic.equations.streams import Array, compiled_leaf
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


def pack(codes: Iterable[str]) -> ProgramSet:
    """Return the arrays of the given programs, in their order; raises InputError for the first that is not BF."""
    arrays = [np.zeros(0, np.int8)]
    for code in codes:
        check_code(code)
        arrays.append(np.array([SYMBOLS.index(symbol) for symbol in code], np.int8))
    jumps = [np.zeros(array.size, np.int64) for array in arrays]
    for array, jump in zip(arrays, jumps, strict=True):
        link(array, jump, array.size)
    offsets = np.cumsum([array.size for array in arrays], dtype=np.int64)
    return ProgramSet(np.concatenate(arrays), np.concatenate(jumps), offsets)


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


# ---- A sample of programs as the population from which trials draw, by stratum -------------------


class Population:
    """Programs of a sample, grouped by stratum.

    The k-th draw of a stratum is its k-th program in the order of the sample, and after the last the first
    again. So draws are independent draws from the distribution of programs until a stratum is used up;
    from then on programs are reused, which `aiq.wings.algorithmic.equations.estimation` takes into account. The
    probability of a stratum is its frequency in the sample (about 100,000 programs are advised). Not ``stratified``,
    all programs are in one stratum, number 0: plain Monte Carlo.
    """

    def __init__(self, programs: Sequence[Program], stratified: bool = True) -> None:
        self.programs, self.stratified = tuple(programs), stratified
        self.lengths: Array = np.array([len(program.code) for program in programs], np.int64)
        self.labels: Array = np.array([program.stratum if stratified else 0 for program in programs], np.int64)
        self.strata: tuple[int, ...] = tuple(np.unique(self.labels).tolist())
        self._members = {stratum: np.flatnonzero(self.labels == stratum) for stratum in self.strata}

    @cached_property
    def packed(self) -> ProgramSet:
        """The programs as arrays for the compiled machine; raises InputError where one is not BF."""
        return pack(program.code for program in self.programs)

    @cached_property
    def digests(self) -> Array:
        """63 bits of the SHA-256 of each program's text, int64, shape (programs,)."""
        texts = [hashlib.sha256(program.code.encode()).digest()[:8] for program in self.programs]
        return np.frombuffer(b"".join(texts), dtype="<i8").astype(np.int64) & np.int64(2**63 - 1)

    @property
    def size(self) -> int:
        """Number of programs."""
        return len(self.programs)

    def members(self, stratum: int) -> Array:
        """Return the numbers of the programs of a stratum, in the order of the sample."""
        if stratum not in self._members:
            raise InputError(f"the sample has no program of stratum {stratum}; it has {self.strata}")
        return self._members[stratum]

    def probability(self, stratum: int) -> float:
        """Return the share of the stratum in the sample."""
        return self.members(stratum).size / self.size

    def drawn(self, stratum: int, draws: Array) -> Array:
        """Return the numbers of the programs that the given draws (from 0) of a stratum use."""
        members = self.members(stratum)
        chosen: Array = members[np.asarray(draws) % members.size]
        return chosen
