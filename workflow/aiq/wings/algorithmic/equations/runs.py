"""Runs of an agent on draws of a program sample: adaptive stratified sampling, and pairs that ran before.

How many pairs of which stratum come next (Etore and Jourdain 2010, method a) is a function of the outcomes so far, so
that work can be shared out in two ways:

- one job for one agent and episode length (`run_adaptive`): stage after stage in one process; right for the compiled
  tabular agents, whose 10,000 runs take seconds to minutes;
- for slow agents, one job for a part of a stage: `next_stage` says how many pairs are wanted, `missing_blocks`
  which draws will supply them, `split` cuts these into shards of equal size, `run_blocks` runs a shard, `merge`
  joins them; then `missing_blocks` again, to replace failed programs, and the next stage.

Both give the same outcomes, number by number: the random streams of a pair are named by stratum and draw, so its
scores are the same in whatever run they are asked for, as long as the draw falls on the same program. A digest of the
program's text, kept with the pair, tells whether it does; so pairs stay valid when the sample grows, and are not used
with another sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.records.estimate import Floats
from aiq.wings.algorithmic.equations import Array, Population
from aiq.wings.algorithmic.equations.trials import Draws, Experiment, score_pairs
from aiq.wings.algorithmic.settings import STAGES

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PairOutcomes:
    """Antithetic pairs of trials of one agent, one row a pair, sorted by stratum and draw.

    Row k: the ``draw``-th draw of ``stratum`` used program number ``program`` of the sample, of ``length``
    instructions; ``plus`` and ``minus`` are the mean rewards (-100 to 100) of its trials, NaN where the program failed
    in either of them.
    """

    stratum: Integers
    draw: Integers
    program: Integers
    length: Integers
    plus: Floats
    minus: Floats

    def __post_init__(self) -> None:
        columns = (self.stratum, self.draw, self.program, self.length, self.plus, self.minus)
        if len({column.shape for column in columns}) != 1 or self.stratum.ndim != 1:
            raise ValueError("the columns of pair outcomes have different lengths")
        next_stratum, next_draw = np.diff(self.stratum), np.diff(self.draw)
        if not np.all((next_stratum > 0) | ((next_stratum == 0) & (next_draw > 0))):
            raise ValueError("pair outcomes are not sorted by stratum and draw, or a draw occurs twice")
        if not np.array_equal(np.isnan(self.plus), np.isnan(self.minus)):
            raise ValueError("a pair has failed as a whole or not at all")
        if bool(np.any(np.abs(self.value[self.valid]) > 100 + 1e-9)):
            raise ValueError("a mean reward is outside -100 to 100")

    @property
    def valid(self) -> npt.NDArray[np.bool_]:
        """Which pairs ran without a failure."""
        return ~np.isnan(self.plus)

    @property
    def value(self) -> Floats:
        """Pair means, NaN where the program failed."""
        return np.asarray((self.plus + self.minus) / 2, dtype=np.float64)

    @property
    def pairs(self) -> int:
        """Number of pairs that ran without a failure."""
        return int(np.count_nonzero(self.valid))

    @property
    def failures(self) -> int:
        """Number of pairs dropped because the program reached the step limit."""
        return int(self.stratum.size - self.pairs)


STAGE_STEP = 250
LEAST = 5
_PATIENCE = 100


@dataclass(frozen=True, slots=True)
class Block:
    """Draws ``first`` to ``first + count - 1`` of a stratum."""

    stratum: int
    first: int
    count: int


def dropped(outcomes: PairOutcomes, population: Population) -> tuple[int, ...]:
    """Return the strata given up: no valid pair after at least 100 draws that used every program of the stratum."""
    gone = []
    for stratum in population.strata:
        rows = outcomes.stratum == stratum
        enough = max(_PATIENCE, population.members(stratum).size)
        if np.count_nonzero(rows) >= enough and not np.any(outcomes.valid & rows):
            gone.append(stratum)
    return tuple(gone)


def stage_pairs(active: int, runs: int) -> list[int]:
    """Return the cumulative numbers of pairs at which stages end, for ``active`` strata and a budget of runs."""
    if runs < LEAST * active:
        raise InputError(
            f"{runs} run(s) cannot be spread over {active} strata; give at least {LEAST * active} "
            f"({LEAST} times the strata), 10000 as published"
        )
    ends = [stage * active for stage in STAGES]
    while ends[-1] < runs:
        ends.append(ends[-1] + STAGE_STEP * active)
    return [end // 2 for end in ends if end < runs] + [runs // 2]


def allocate(pairs: int, shares: Array) -> Array:
    """Return how many of ``pairs`` new pairs each stratum gets: one each, the rest in proportion to ``shares``.

    Fractions are rounded by differences of rounded-down partial sums (method a), so that they add up. With
    fewer pairs than strata all are given in proportion.
    """
    shares = np.asarray(shares, dtype=np.float64)
    each = 1 if pairs >= shares.size else 0
    rest = pairs - each * shares.size
    partial = np.floor(rest * np.cumsum(shares) / np.sum(shares) + 1e-9)
    partial[-1] = rest
    counts: Array = (each + np.diff(partial, prepend=0.0)).astype(np.int64)
    return counts


def next_stage(outcomes: PairOutcomes, population: Population, runs: int) -> dict[int, int]:
    """Return the number of valid pairs that every active stratum shall have after the next stage; none: all is run.

    It weighs a stratum by the standard deviation of its pair means, 1 as long as there are fewer than two.
    """
    gone = dropped(outcomes, population)
    strata = [stratum for stratum in population.strata if stratum not in gone]
    if not strata:
        raise InputError(
            f"zero strata left: every program drawn failed ({outcomes.failures} pairs); use another program sample"
        )
    values = [outcomes.value[outcomes.valid & (outcomes.stratum == stratum)] for stratum in strata]
    done = int(sum(value.size for value in values))
    ends = [end for end in stage_pairs(len(strata), runs) if end > done]
    if not ends:
        return {}
    probabilities = np.array([population.probability(stratum) for stratum in strata])
    shares = probabilities * [float(np.std(value, ddof=1)) if value.size > 1 else 1.0 for value in values]
    counts = allocate(ends[0] - done, shares if shares.sum() > 0 else probabilities)
    return {stratum: value.size + int(count) for stratum, value, count in zip(strata, values, counts, strict=True)}


def missing_blocks(targets: Mapping[int, int], outcomes: PairOutcomes, population: Population) -> tuple[Block, ...]:
    """Return the next draws that bring every stratum to its target; none where a stratum is given up or complete."""
    gone = dropped(outcomes, population)
    blocks = []
    for stratum, target in targets.items():
        rows = outcomes.stratum == stratum
        lacking = target - int(np.count_nonzero(outcomes.valid & rows))
        if lacking > 0 and stratum not in gone:
            first = int(outcomes.draw[rows].max()) + 1 if np.any(rows) else 0
            blocks.append(Block(stratum, first, lacking))
    return tuple(blocks)


def split(blocks: Sequence[Block], shards: int) -> list[tuple[Block, ...]]:
    """Cut blocks into ``shards`` lists whose numbers of draws differ by at most one."""
    total = sum(block.count for block in blocks)
    ends = [total * (k + 1) // shards for k in range(shards)]
    parts: list[list[Block]] = [[] for _ in range(shards)]
    k, used = 0, 0
    for block in blocks:
        offset = 0
        while offset < block.count:
            while used >= ends[k]:
                k += 1
            count = min(block.count - offset, ends[k] - used)
            parts[k].append(Block(block.stratum, block.first + offset, count))
            offset, used = offset + count, used + count
    return [tuple(part) for part in parts]


# ---- runs ----------------------------------------------------------------------------------------

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
    columns = _joined(_COLUMNS, parts)
    order = np.lexsort((columns[1], columns[0]))
    return PairOutcomes(*(column[order] for column in columns))


def run_adaptive(experiment: Experiment, population: Population, runs: int) -> PairOutcomes:
    """Run stages of the sampler until ``runs`` trials (two a pair) ran without failure; failed ones stay as rows."""
    return complete(Supply(experiment, population), runs)


# ---- pairs that ran before -----------------------------------------------------------------------

_COLUMNS = tuple(PairOutcomes.__slots__)


def _joined(names: Iterable[str], parts: Sequence[object]) -> list[Array]:
    empty = {name: np.zeros(0, np.float64 if name in ("plus", "minus") else np.int64) for name in names}
    return [np.concatenate([none, *(getattr(part, name) for part in parts)]) for name, none in empty.items()]


def draw_keys(stratum: Array | int, draw: Array) -> Array:
    """Return a number for each draw, no two alike, that rises with stratum and draw."""
    return np.asarray(stratum, np.int64) * np.int64(2**40) + draw


@dataclass(frozen=True, slots=True)
class KnownPairs:
    """Scores by stratum, draw and digest of the program; columns of one length, a draw may occur again."""

    stratum: Array
    draw: Array
    digest: Array
    plus: Array
    minus: Array

    @classmethod
    def of(cls, outcomes: PairOutcomes, population: Population) -> KnownPairs:
        """Return the pairs of a run on a sample."""
        digest = population.digests[outcomes.program]
        return cls(outcomes.stratum, outcomes.draw, digest, outcomes.plus, outcomes.minus)

    @classmethod
    def join(cls, parts: Iterable[KnownPairs]) -> KnownPairs:
        """Return the pairs of all parts."""
        return cls(*_joined(cls.__slots__, list(parts)))

    def within(self, population: Population) -> PairOutcomes:
        """Return the pairs that are draws of ``population``, each once, in order."""
        program = np.full(self.stratum.size, -1, np.int64)
        for stratum in population.strata:
            rows = self.stratum == stratum
            program[rows] = population.drawn(stratum, self.draw[rows])
        own = np.flatnonzero((program >= 0) & (population.digests[program] == self.digest))
        _, first = np.unique(draw_keys(self.stratum[own], self.draw[own]), return_index=True)
        chosen = own[first]
        program, plus, minus = program[chosen], self.plus[chosen], self.minus[chosen]
        return PairOutcomes(self.stratum[chosen], self.draw[chosen], program, population.lengths[program], plus, minus)


class Supply:
    """Gives the outcomes of blocks: ``known`` from before, or run now; ``report`` is told how many pairs so far."""

    def __init__(
        self, experiment: Experiment, population: Population, known: KnownPairs | None = None,
        report: Report = lambda done: None,
    ) -> None:  # fmt: skip
        self.experiment, self.population, self.report = experiment, population, report
        self.known = merge([]) if known is None else known.within(population)
        self._keys = draw_keys(self.known.stratum, self.known.draw)
        self.done, self.ran = 0, 0

    def __call__(self, blocks: Sequence[Block]) -> PairOutcomes:
        """Return the outcomes of all draws in ``blocks``, number by number those of `run_blocks`."""
        parts, lacking = [], []
        for block in blocks:
            draws = np.arange(block.first, block.first + block.count, dtype=np.int64)
            keys = draw_keys(block.stratum, draws)
            there = np.isin(keys, self._keys)
            rows = np.searchsorted(self._keys, keys[there])
            parts.append(PairOutcomes(*(getattr(self.known, name)[rows] for name in _COLUMNS)))
            missing = draws[~there]
            pieces = np.split(missing, np.flatnonzero(np.diff(missing) != 1) + 1) if missing.size else []
            lacking += [Block(block.stratum, int(piece[0]), int(piece.size)) for piece in pieces]
        self.done += sum(part.stratum.size for part in parts)
        for piece in split(lacking, max(1, min(100, sum(block.count for block in lacking) // 10))):
            if not piece:
                continue
            parts.append(run_blocks(self.experiment, self.population, piece))
            self.done, self.ran = self.done + parts[-1].stratum.size, self.ran + parts[-1].stratum.size
            self.report(self.done)
        return merge(parts)


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

    The stages before must be known, but for replacements of programs that failed in them, which are few and run here.
    Plain Monte Carlo has one stage: all pairs. Where there are fewer stages than asked for, nothing is left to share.
    """
    outcomes, population = merge([]), supply.population
    if not population.stratified:
        return supply(split([Block(0, 0, runs // 2)], parts)[part])
    for _ in range(round_):
        outcomes = _staged(supply, outcomes, next_stage(outcomes, population, runs))
    targets = next_stage(outcomes, population, runs)
    return supply(split(missing_blocks(targets, outcomes, population), parts)[part])
