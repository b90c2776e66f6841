"""Score collectives of agents in Lambda*, and reduce their episodes to what is drawn and to orderings of kinds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from aiq.plans.base import Job
from aiq.plans.cost import START
from aiq.plans.layout import Files
from aiq.plans.run import Run
from aiq.records.estimate import Estimate
from aiq.run.costing import Sample
from aiq.run.job import LOGGER, read_units
from aiq.storage.records import pack, unpack
from aiq.wings.collectives import equations
from aiq.wings.collectives.equations.simulation import simulate, trace_episode
from aiq.wings.collectives.plan import Collectives, CollectivesPlan, EpisodeJob, Kind, Lambda
from aiq.wings.collectives.plan import episodes as modelled_cost

BySide = Mapping[tuple[int, str], Sequence[equations.EpisodeBlock]]  # (side, kind) -> blocks
PAIRS = (
    ("oracle", "imitation", 3),
    ("imitation", "local_search", 3),
    ("auction", "stigmergy", 10),
    ("stigmergy", "local_search", 10),
    ("shared_q", "q_learning", 3),
    ("shared_sarsa", "sarsa", 3),
)
"""(higher kind, lower kind, smallest side)."""


@dataclass(frozen=True)
class Ordering:
    """A statement and the difference that decides it.

    ``holds``: the interval lies above 0; for ``is at least`` it reaches 0, for ``is 0`` it holds 0. None where
    there is no interval.
    """

    statement: str
    side: int
    difference: Estimate
    holds: bool | None


def orderings(blocks: BySide) -> tuple[Ordering, ...]:
    """Return every ordering whose kinds and sides were run."""
    sides = sorted({side for side, _ in blocks})
    made = []
    for side in sides:
        if (side, "random") in blocks:
            value = equations.intelligence(blocks[side, "random"]).estimate
            holds = None if value.interval is None else value.interval[0] <= 0 <= value.interval[1]
            made.append(Ordering("random is 0", side, value, holds))
    for high, low, least in PAIRS:
        both = [side for side in sides if side >= least and (side, high) in blocks and (side, low) in blocks]
        made += [_above(side, high, low, blocks) for side in both]
    kinds = [kind for side, kind in blocks if side == 10 and (20, kind) in blocks and kind != "random"]
    return (*made, *(_falls(kind, blocks) for kind in kinds))


def _above(side: int, high: str, low: str, blocks: BySide) -> Ordering:
    """One kind is above another on the same worlds; auction may equal stigmergy."""
    gap = equations.difference(blocks[side, high], blocks[side, low])
    weak = (high, low) == ("auction", "stigmergy")
    holds = None if gap.interval is None else gap.interval[1] >= 0 if weak else gap.interval[0] > 0
    return Ordering(f"{high} {'is at least' if weak else 'is above'} {low}", side, gap, holds)


def _falls(kind: str, blocks: BySide) -> Ordering:
    """A kind scores less at side 20 than at side 10, on worlds of their own: errors add in squares."""
    a, b = (equations.intelligence(blocks[side, kind]).estimate for side in (10, 20))
    value, statement = a.value - b.value, f"{kind} falls from side 10 to 20"
    if a.interval is None or b.interval is None:
        return Ordering(statement, 20, Estimate(value, None, a.n + b.n, "difference"), None)
    half = math.hypot((a.interval[1] - a.interval[0]) / 2, (b.interval[1] - b.interval[0]) / 2)
    gap = Estimate(value, (value - half, value + half), a.n + b.n, "difference of independent means, normal interval")
    return Ordering(statement, 20, gap, value - half > 0)


CollectivesRun = Run[Collectives, CollectivesPlan, Files]
Blocks = dict[tuple[str, str], list[equations.EpisodeBlock]]  # (test, kind) -> blocks
TIMED = 20  # episodes of a sample


@dataclass(frozen=True)
class ByPattern:
    """Scores against K where Good and Evil move in one way."""

    pattern: str
    scores: tuple[equations.ComplexityScore, ...]


@dataclass(frozen=True)
class CollectivesResult:
    """What all episodes reduce to."""

    intelligence: tuple[equations.GroupIntelligence, ...]
    by_complexity: tuple[ByPattern, ...]
    orderings: tuple[Ordering, ...]
    drawn: equations.EpisodeTrace


def settings(configuration: Collectives, which: Lambda) -> equations.Settings:
    """Return the library's settings of a test: the preset's with what the configuration changes."""
    test = configuration.test
    preset, passes = equations.PRESETS[test.preset], test.learning.passes
    return replace(
        preset,
        rows=which.side,
        columns=which.side,
        steps=test.iterations,
        agents=test.agents,
        pattern=which.pattern or preset.pattern,
        start=which.start,
        learning=preset.learning if passes is None else replace(preset.learning, passes=passes),
    )


def episodes(run: CollectivesRun, job: EpisodeJob, at: Job) -> Callable[[str], object]:
    """Return what scores one block of one kind of groups."""
    c = run.configuration
    how, size = settings(c, run.plan.tests[job.test]), c.jobs.episodes_per_block

    def score(name: str) -> object:
        kind, number = job.units[name]
        return _scored(kind, how, c.seed, number * size, size)

    return score


def _scored(kind: Kind, how: equations.Settings, seed: int, first: int, count: int) -> object:
    (block,) = simulate([kind], how, seed, first, count)
    return pack(block)


def simulate_all(run: CollectivesRun) -> Blocks:
    """Return all blocks, computed here; nothing is written."""
    c = run.configuration
    return {
        (test.name, kind): list(simulate([kind], settings(c, test), c.seed, 0, test.episodes))
        for test in run.plan.tests.values()
        for kind in test.kinds
    }


def reduce(run: CollectivesRun, blocks: Blocks) -> CollectivesResult:
    """Return Υ of every kind at every side, scores against K, the orderings, and the episode to be drawn."""
    c = run.configuration
    sides = [test for test in run.plan.tests.values() if test.name.startswith("side-")]
    upsilons = tuple(equations.intelligence(blocks[test.name, kind]) for test in sides for kind in test.kinds)
    by_complexity = [
        ByPattern(
            str(settings(c, test).pattern),
            tuple(row for kind in test.kinds for row in equations.scores_by_complexity(blocks[test.name, kind])),
        )
        for test in run.plan.tests.values()
        if test not in sides
    ]
    compared = orderings({(t.side, kind): blocks[t.name, kind] for t in sides for kind in t.kinds})
    d = c.drawn
    here = Lambda("drawn", d.side, None, "uniform", (d.kind,), 1)
    drawn = trace_episode(d.kind, settings(c, here), c.seed, d.episode)
    return CollectivesResult(upsilons, tuple(by_complexity), compared, drawn)


def reduce_episodes(run: CollectivesRun, job: None, at: Job) -> CollectivesResult:
    """Reduce all shards to the result of the run."""
    blocks: Blocks = {}
    for job_, name, block in read_units(run, "run_episodes", partial(unpack, equations.EpisodeBlock)):
        blocks.setdefault((job_.test, job_.units[name][0]), []).append(block)
    reduced = reduce(run, blocks)
    LOGGER.info("%d orderings hold of %d", sum(bool(o.holds) for o in reduced.orderings), len(reduced.orderings))
    return reduced


def samples(run: CollectivesRun) -> Iterator[Sample]:
    """Yield some episodes of every kind of group in every test."""
    c = run.configuration
    block = min(TIMED, c.jobs.episodes_per_block)
    for test in run.plan.tests.values():
        how, count = settings(c, test), test.episodes
        files = sum(job.test == test.name for job in run.plan.jobs) / len(test.kinds)
        modelled = modelled_cost(c, 1, count).seconds - START
        for kind in test.kinds:
            work = partial(_scored, kind, how, c.seed, 0, block)
            yield Sample(f"{kind} in {test.name}", work, count / block, count / block, files, count, modelled)
