"""Adaptive stratified sampling (Etore and Jourdain 2010, method a): how many pairs of which stratum come next.

Everything here is a function of the outcomes so far, so that work can be shared out in two ways:

- one job for one agent and episode length (`equations.runs.run_adaptive`): stage after stage in one
  process; right for the compiled tabular agents, whose 10,000 runs take seconds to minutes;
- for slow agents, one job for a part of a stage: `next_stage` says how many pairs are wanted, `missing_blocks`
  which draws will supply them, `split` cuts these into shards of equal size, `run_blocks` runs a shard, `merge`
  joins them; then `missing_blocks` again, to replace failed programs, and the next stage.

Both give the same outcomes, number by number, since a draw's random streams are named by stratum and draw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aiq.errors import InputError
from aiq.wings.algorithmic.equations.programs import Population
from aiq.wings.algorithmic.equations.streams import Array
from aiq.wings.algorithmic.records import PairOutcomes
from aiq.wings.algorithmic.settings import STAGES

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


def active_strata(outcomes: PairOutcomes, population: Population) -> tuple[int, ...]:
    """Return the strata that are not given up; raises InputError where none is left."""
    gone = dropped(outcomes, population)
    left = tuple(stratum for stratum in population.strata if stratum not in gone)
    if not left:
        raise InputError(
            f"zero strata left: every program drawn failed ({outcomes.failures} pairs); use another program sample"
        )
    return left


def stage_pairs(active: int, runs: int) -> list[int]:
    """Return the cumulative numbers of pairs at which stages end, for ``active`` strata and a budget of runs.

    Raises:
        InputError: the budget is too small for two stages with one pair of every stratum each.
    """
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


def deviation(values: Array) -> float:
    """Return the standard deviation of pair means, 1 as long as there are fewer than two."""
    return float(np.std(values, ddof=1)) if values.size > 1 else 1.0


def next_stage(outcomes: PairOutcomes, population: Population, runs: int) -> dict[int, int]:
    """Return the number of valid pairs that every active stratum shall have after the next stage.

    An empty mapping means that the budget of ``runs`` (two a pair) is used up.
    """
    strata = active_strata(outcomes, population)
    values = [outcomes.value[outcomes.valid & (outcomes.stratum == stratum)] for stratum in strata]
    done = int(sum(value.size for value in values))
    ends = [end for end in stage_pairs(len(strata), runs) if end > done]
    if not ends:
        return {}
    probabilities = np.array([population.probability(stratum) for stratum in strata])
    shares = probabilities * np.array([deviation(value) for value in values])
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
    if shards < 1:
        raise InputError(f"{shards} shards is no number of shards; give at least 1")
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
