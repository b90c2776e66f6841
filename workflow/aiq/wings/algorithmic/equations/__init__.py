"""The Algorithmic Intelligence Quotient (Legg and Veness 2013): mean reward in environments that are random programs.

`machine.sample_programs` draws programs in shards, a `Population` holds a sample, `runs.run_adaptive` (or `next_stage`,
`missing_blocks` and `run_blocks`, where the work is shared out) runs an agent on them, and `quotient`, `difference` and
`by_length` of `estimation` reduce the outcomes. Here is what all of them need: random streams, which the compiled loops
and the plain reference share, programs as text and as arrays, and samples of them.

A stream is xoshiro256++ (Blackman and Vigna 2021): four 64-bit words, period 2**256 - 1. Its first words come from
SplitMix64 started at a mixture of a *base* (drawn from the root seed by `aiq.seeding`) and a few integers that name the
use. So every trial has streams of its own, whichever process runs it and in whichever order.

The language is that of section 3.5: the eight BF instructions, ``%`` (write a uniform random symbol) and ``#`` (end of
the cycle). As text, one program a line, ``stratum program``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.compilation import Compiler
from aiq.errors import InputError
from aiq.wings.algorithmic.settings import STRATA

Array = npt.NDArray[Any]
Function = TypeVar("Function", bound=Callable[..., Any])

_COMPILE = Compiler(Path(__file__).parent)


def compiled(function: Function) -> Function:
    """Compile ``function`` without fast-math, so that it computes what the same Python code computes."""
    return _COMPILE(function)


def compiled_leaf(function: Function) -> Function:
    """Compile a function of the inner loop, one that makes no array and no view of one.

    Numba counts references to every array that a function touches, with atomic operations that cost more than a cycle
    of the machine. A function that makes no array needs no counting (option ``_nrt``).
    """
    return _COMPILE(function, _nrt=False)


_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_30, _27, _31 = np.uint64(30), np.uint64(27), np.uint64(31)
_23, _41, _17, _45, _19 = np.uint64(23), np.uint64(41), np.uint64(17), np.uint64(45), np.uint64(19)
_32, _11 = np.uint64(32), np.uint64(11)
_LOW = np.uint64(0xFFFFFFFF)
_UNIT = 2.0**-53


def base(root: int, *key: seeding.Word) -> np.uint64:
    """Return the 64-bit base of the streams that ``key`` names under the root seed."""
    return np.uint64(seeding.sequence(root, "algorithmic", *key).generate_state(1, np.uint64)[0])


@compiled_leaf
def mix(word: np.uint64) -> np.uint64:
    """Return SplitMix64's output function of a 64-bit word."""
    word = (word ^ (word >> _30)) * _MIX_1
    word = (word ^ (word >> _27)) * _MIX_2
    return word ^ (word >> _31)


@compiled_leaf
def start(state: Array, root: np.uint64, first: int, second: int, third: int) -> None:
    """Set ``state`` (four words) to the beginning of the stream named by a base and three integers."""
    word = mix(root + _GOLDEN)
    word = mix(word ^ (np.uint64(first) * _GOLDEN))
    word = mix((word + _GOLDEN) ^ (np.uint64(second) * _MIX_1))
    word = mix((word + _GOLDEN) ^ (np.uint64(third) * _MIX_2))
    for i in range(4):
        word = word + _GOLDEN
        state[i] = mix(word)


@compiled_leaf
def draw(state: Array) -> np.uint64:
    """Return the next 64 bits of the stream and advance it."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    total = s0 + s3
    result: np.uint64 = ((total << _23) | (total >> _41)) + s0
    shifted = s1 << _17
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = (s3 << _45) | (s3 >> _19)
    state[0], state[1], state[2], state[3] = s0, s1, s2, s3
    return result


@compiled_leaf
def below(state: Array, bound: int) -> int:
    """Return an integer uniform on 0 .. bound - 1 without bias (Lemire 2019, on 32 bits; bound < 2**32)."""
    wide = np.uint64(bound)
    product = (draw(state) >> _32) * wide
    low = product & _LOW
    if low < wide:
        threshold = (np.uint64(0x100000000) - wide) % wide
        while low < threshold:
            product = (draw(state) >> _32) * wide
            low = product & _LOW
    return int(np.int64(product >> _32))


@compiled_leaf
def unit(state: Array) -> float:
    """Return a number uniform on [0, 1) with 53 bits."""
    return float(np.float64(draw(state) >> _11) * _UNIT)


# ---- programs --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Program:
    """A BF program with the stratum (1 to 20) to which it belongs; its length counts the final ``#``."""

    stratum: int
    code: str


@dataclass(frozen=True, slots=True)
class ProgramShard:
    """Accepted programs of some blocks of the sampler, and how many candidates were refused and why.

    ``candidates`` = accepted + ``without_io`` (no ``.`` or no ``,``) + ``failed`` (a test cycle reached the step limit)
    + ``passive`` (rewards do not depend on the actions).
    """

    programs: tuple[Program, ...]
    candidates: int
    without_io: int
    failed: int
    passive: int


COUNTS = ("candidates", "without_io", "failed", "passive")


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


DELETIONS = ((PLUS, MINUS), (MINUS, PLUS), (LEFT, RIGHT), (RIGHT, LEFT), (OPEN, CLOSE))


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
def candidate(code: Array, stream: Array) -> int:
    """Draw a program into ``code`` and return its length, or 0 where it does not fit.

    Symbols are uniform on ``< > + - , . [ ] # %``, ``#`` is read as ``]``; the first ``]`` that closes no loop is
    ``#``, the end.
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
    """Return the programs of text lines ``stratum program``; InputError for a malformed line, or none at all."""
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
    """Programs of a sample, grouped by stratum; not ``stratified``, all in one, number 0: plain Monte Carlo.

    The k-th draw of a stratum is its k-th program in the order of the sample, and after the last the first again: draws
    are independent until a stratum is used up, then programs are reused, which `estimation` takes into account. The
    probability of a stratum is its frequency in the sample (about 100,000 programs are advised).
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
