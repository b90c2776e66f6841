"""Runs of an agent on draws of a program sample: blocks of pairs, the adaptive run, and pairs that ran before.

The random streams of a pair are named by stratum and draw, so its scores are the same in whatever run they are
asked for, as long as the draw falls on the same program. A digest of the program's text, kept with the pair,
tells whether it does; so pairs stay valid when the sample grows, and are not used with another sample.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from aiq.wings.algorithmic.equations.adaptive import Block, missing_blocks, next_stage, split
from aiq.wings.algorithmic.equations.programs import Population
from aiq.wings.algorithmic.equations.streams import Array
from aiq.wings.algorithmic.equations.trials import Draws, Experiment, score_pairs
from aiq.wings.algorithmic.records import PairOutcomes

Report = Callable[[int], None]


def run_blocks(experiment: Experiment, population: Population, blocks: Iterable[Block]) -> PairOutcomes:
    """Return the outcomes of all draws in ``blocks`` (disjoint), failed pairs included."""
    ordered = sorted(blocks, key=lambda block: (block.stratum, block.first))
    numbers = [np.arange(block.first, block.first + block.count, dtype=np.int64) for block in ordered]
    chosen = [population.drawn(block.stratum, number) for block, number in zip(ordered, numbers, strict=True)]
    strata = [np.full(block.count, block.stratum, np.int64) for block in ordered]
    empty = np.zeros(0, np.int64)
    draws = Draws(*(np.concatenate([empty, *columns]) for columns in (chosen, strata, numbers)))
    plus, minus = score_pairs(experiment, population.packed, draws)
    lengths = population.lengths[draws.programs]
    return PairOutcomes(draws.strata, draws.numbers, draws.programs, lengths, plus, minus)


def merge(parts: Sequence[PairOutcomes]) -> PairOutcomes:
    """Join outcomes of disjoint draws into one, sorted by stratum and draw; no parts give empty outcomes."""
    joined = [np.concatenate([_empty(name), *(getattr(part, name) for part in parts)]) for name in _COLUMNS]
    order = np.lexsort((joined[1], joined[0]))
    return PairOutcomes(*(column[order] for column in joined))


def run_adaptive(experiment: Experiment, population: Population, runs: int) -> PairOutcomes:
    """Run stages of the adaptive stratified sampler until ``runs`` trials (two a pair) ran without failure.

    Programs that fail are kept as failed rows and replaced by the next draw of their stratum.

    Raises:
        InputError: too few runs for the strata, every program failed, or the agent misbehaved.
    """
    return complete(Supply(experiment, population), runs)


# ---- pairs that ran before -----------------------------------------------------------------------

_COLUMNS = tuple(PairOutcomes.__slots__)


def _empty(name: str) -> Array:
    return np.zeros(0, np.float64 if name in ("plus", "minus") else np.int64)


def digests(population: Population) -> Array:
    """Return 63 bits of the SHA-256 of each program's text, int64, shape (programs,)."""
    texts = [hashlib.sha256(program.code.encode()).digest()[:8] for program in population.programs]
    return np.frombuffer(b"".join(texts), dtype="<i8").astype(np.int64) & np.int64(2**63 - 1)


@dataclass(frozen=True, slots=True)
class KnownPairs:
    """Scores by stratum, draw and digest of the program; columns of one length, a draw may occur again."""

    stratum: Array
    draw: Array
    digest: Array
    plus: Array
    minus: Array

    @classmethod
    def of(cls, outcomes: PairOutcomes, programs: Array) -> KnownPairs:
        """Return the pairs of a run; ``programs`` are the digests of its sample."""
        return cls(outcomes.stratum, outcomes.draw, programs[outcomes.program], outcomes.plus, outcomes.minus)

    @classmethod
    def join(cls, parts: Iterable[KnownPairs]) -> KnownPairs:
        """Return the pairs of all parts."""
        rows = list(parts)
        return cls(*(np.concatenate([_empty(n), *(getattr(row, n) for row in rows)]) for n in cls.__slots__))

    def within(self, population: Population, programs: Array) -> PairOutcomes:
        """Return the pairs that are draws of ``population``, each once, in order; ``programs`` are its digests."""
        inside = np.isin(self.stratum, population.strata)
        stratum, draw = self.stratum[inside], self.draw[inside]
        which = np.zeros(stratum.size, np.int64)
        for number in population.strata:
            rows = stratum == number
            which[rows] = population.drawn(number, draw[rows])
        same = programs[which] == self.digest[inside]
        order = np.lexsort((draw[same], stratum[same]))
        keys = np.stack([stratum[same][order], draw[same][order]])
        fresh = np.ones(order.size, bool)
        fresh[1:] = np.any(keys[:, 1:] != keys[:, :-1], axis=0)
        chosen = np.flatnonzero(inside)[same][order][fresh]
        kept = which[same][order][fresh]
        return PairOutcomes(
            self.stratum[chosen], self.draw[chosen], kept, population.lengths[kept], self.plus[chosen],
            self.minus[chosen],
        )  # fmt: skip


class Supply:
    """Gives the outcomes of blocks: those known from before, the others run now.

    Args:
        experiment: agent, episode, machine, seed.
        population: the sample.
        known: pairs of the same experiment that ran before; None: none.
        report: told how many pairs were asked for so far, after every part of the work.
    """

    def __init__(
        self,
        experiment: Experiment,
        population: Population,
        known: KnownPairs | None = None,
        report: Report = lambda done: None,
    ) -> None:
        self.experiment, self.population, self.report = experiment, population, report
        self.known = merge([]) if known is None else known.within(population, digests(population))
        self._keys = self._key(self.known.stratum, self.known.draw)
        self.done, self.ran = 0, 0

    @staticmethod
    def _key(stratum: Array, draw: Array) -> Array:
        key: Array = np.asarray(stratum, np.int64) * np.int64(2**40) + draw
        return key

    def __call__(self, blocks: Sequence[Block]) -> PairOutcomes:
        """Return the outcomes of all draws in ``blocks``, number by number those of `run_blocks`."""
        parts, lacking = [], []
        for block in blocks:
            draws = np.arange(block.first, block.first + block.count, dtype=np.int64)
            keys = self._key(np.full_like(draws, block.stratum), draws)
            there = np.isin(keys, self._keys)
            rows = np.searchsorted(self._keys, keys[there])
            parts.append(PairOutcomes(*(getattr(self.known, name)[rows] for name in _COLUMNS)))
            lacking += _ranges(block.stratum, draws[~there])
        self.done += sum(part.stratum.size for part in parts)
        for piece in split(lacking, max(1, min(100, sum(block.count for block in lacking) // 10))):
            if not piece:
                continue
            parts.append(run_blocks(self.experiment, self.population, piece))
            self.done, self.ran = self.done + parts[-1].stratum.size, self.ran + parts[-1].stratum.size
            self.report(self.done)
        return merge(parts)


def _ranges(stratum: int, draws: Array) -> list[Block]:
    if draws.size == 0:
        return []
    pieces = np.split(draws, np.flatnonzero(np.diff(draws) != 1) + 1)
    return [Block(stratum, int(piece[0]), int(piece.size)) for piece in pieces]


def complete(supply: Supply, runs: int) -> PairOutcomes:
    """Return what `run_adaptive` returns, running only the pairs that are not known."""
    outcomes = merge([])
    while targets := next_stage(outcomes, supply.population, runs):
        outcomes = _staged(supply, outcomes, targets)
    return outcomes


def _staged(supply: Supply, outcomes: PairOutcomes, targets: dict[int, int]) -> PairOutcomes:
    """Return the outcomes with those of a stage, and of the replacements of programs that failed in it."""
    while blocks := missing_blocks(targets, outcomes, supply.population):
        outcomes = merge([outcomes, supply(blocks)])
    return outcomes


def one_part(supply: Supply, runs: int, round_: int, part: int, parts: int) -> PairOutcomes:
    """Return one of ``parts`` equal shares of what stage ``round_`` (from 0) of the sampler adds.

    The stages before must be known, but for replacements of programs that failed in them, which are few and are
    run here. Plain Monte Carlo has one stage: all pairs. There may be fewer stages than asked for, and then
    nothing is left to share.
    """
    outcomes, population = merge([]), supply.population
    if not population.stratified:
        return supply(split([Block(0, 0, runs // 2)], parts)[part])
    for _ in range(round_):
        outcomes = _staged(supply, outcomes, next_stage(outcomes, population, runs))
    targets = next_stage(outcomes, population, runs)
    return supply(split(missing_blocks(targets, outcomes, population), parts)[part])
