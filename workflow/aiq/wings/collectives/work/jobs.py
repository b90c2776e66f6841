"""Score collectives of agents in Lambda*, and reduce their episodes to what is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aiq import storage
from aiq.storage import hdf5, shards
from aiq.storage.records import pack, unpack
from aiq.tasks.shell.job import LOGGER
from aiq.tasks.shell.units import take_over
from aiq.wings.collectives import equations as collectives
from aiq.wings.collectives.equations import Settings
from aiq.wings.collectives.plan import Lambda
from aiq.wings.collectives.records import ComplexityScore, EpisodeBlock, EpisodeTrace, GroupIntelligence
from aiq.wings.collectives.run import CollectivesRun as Run
from aiq.wings.collectives.settings import Collectives
from aiq.wings.collectives.work.expected import Ordering, orderings

Blocks = dict[tuple[str, str], list[EpisodeBlock]]  # (test, kind) -> blocks
CHOICES = ("pattern", "stigmergy_discount", "stigmergy_keeps", "auction_keeps", "oracle_intercepts", "program")


@dataclass(frozen=True)
class ByPattern:
    """Scores against K where Good and Evil move in one way."""

    pattern: str
    scores: tuple[ComplexityScore, ...]


@dataclass(frozen=True)
class CollectivesResult:
    """What all episodes reduce to."""

    intelligence: tuple[GroupIntelligence, ...]
    by_complexity: tuple[ByPattern, ...]
    orderings: tuple[Ordering, ...]
    drawn: EpisodeTrace


def settings(configuration: Collectives, which: Lambda) -> Settings:
    """Return the library's settings of a test: the preset with what the configuration changes."""
    test = configuration.test
    chosen = {name: value for name in CHOICES if (value := getattr(test, name)) is not None}
    found = collectives.preset(test.preset, **chosen)
    learning = {name: value for name, value in test.learning.model_dump().items() if value is not None}
    return replace(
        found,
        rows=which.side,
        columns=which.side,
        steps=test.iterations,
        agents=test.agents,
        pattern=which.pattern or found.pattern,
        start=which.start,
        learning=replace(found.learning, **learning),
    )


def run_episodes(run: Run, test: str, block: str, target: str) -> None:
    """Score some kinds of groups in some blocks of episodes of one test."""
    c, plan, which = run.configuration, run.plan, run.plan.tests[test]
    job, size = plan.job(test, block), c.jobs.episodes_per_block
    how = settings(c, which)

    def score(name: str) -> shards.Unit:
        """Score one block of one kind."""
        kind, number = job.units[name]
        (found,) = collectives.simulate([kind], how, c.seed, number * size, size)
        return shards.Unit(plan.unit(test, kind), pack(found))

    wanted = {name: plan.unit(test, kind) for name, (kind, _) in job.units.items()}
    units = take_over(target, "episodes", wanted, score)
    shards.write(target, "episodes", plan.of_job(job), c.seed, units)


def read_blocks(run: Run, sources: Sequence[str | Path]) -> Blocks:
    """Return all blocks from the shards, in the order of the plan's jobs."""
    found: Blocks = {}
    for job, path in zip(run.plan.jobs, sources, strict=True):
        units = shards.read(path, "episodes", run.plan.of_job(job))
        for name, (kind, _) in job.units.items():
            with hdf5.fitting("episodes", path):
                found.setdefault((job.test, kind), []).append(unpack(EpisodeBlock, units[name].tree))
    return found


def simulate_all(run: Run) -> Blocks:
    """Return all blocks, computed here; nothing is written."""
    c = run.configuration
    return {
        (test.name, kind): list(collectives.simulate([kind], settings(c, test), c.seed, 0, test.episodes))
        for test in run.plan.tests.values()
        for kind in test.kinds
    }


def reduce(run: Run, blocks: Blocks) -> CollectivesResult:
    """Return Υ of every kind at every side, scores against K, the orderings, and the episode to be drawn."""
    c = run.configuration
    sides = [test for test in run.plan.tests.values() if test.name.startswith("side-")]
    found = tuple(collectives.intelligence(blocks[test.name, kind]) for test in sides for kind in test.kinds)
    by_complexity = [
        ByPattern(
            str(settings(c, test).pattern),
            tuple(row for kind in test.kinds for row in collectives.scores_by_complexity(blocks[test.name, kind])),
        )
        for test in run.plan.tests.values()
        if test not in sides
    ]
    compared = orderings({(t.side, kind): blocks[t.name, kind] for t in sides for kind in t.kinds})
    d = c.drawn
    here = Lambda("drawn", d.side, c.test.pattern, "uniform", (d.kind,), 1)
    drawn = collectives.trace_episode(d.kind, settings(c, here), c.seed, d.episode)
    return CollectivesResult(found, tuple(by_complexity), compared, drawn)


def reduce_episodes(run: Run, sources: Sequence[str | Path], target: str) -> None:
    """Reduce all shards to the result of the run."""
    found = reduce(run, read_blocks(run, sources))
    storage.write_result(target, "collectives", found, run.plan.result(), run.configuration.seed)
    LOGGER.info("%d orderings hold of %d", sum(o.holds for o in found.orderings), len(found.orderings))


def read_result(run: Run, source: str | Path) -> CollectivesResult:
    """Return what a run found."""
    return storage.read_result(source, "collectives", CollectivesResult, run.plan.result())
