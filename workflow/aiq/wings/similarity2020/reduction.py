"""Reduce all trainings of a run to performances and similarities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial

import numpy as np
from scipy.special import stdtrit

from aiq.errors import InputError
from aiq.measures import similarity
from aiq.plans.base import Job
from aiq.plans.layout import Files
from aiq.plans.run import Run as AnyRun
from aiq.records.estimate import Estimate, Floats
from aiq.run.job import LOGGER
from aiq.run.units import read_stored, read_units
from aiq.storage.records import unpack
from aiq.wings.similarity2020.plan import Merged, SimilarityPlan
from aiq.wings.similarity2020.records import MergedPair, MergedRuns, PoolRuns, TestPerformance
from aiq.wings.similarity2020.settings import PublishedAgent, Similarities

Run = AnyRun[Similarities, SimilarityPlan, Files]
Trainings = Mapping[Merged, MergedRuns]


@dataclass(frozen=True)
class SimilarityResult:
    """What all trainings reduce to: performances on every test, alone and merged, and the similarity of every pair.

    Similarities are there for every merge and every halving of the network; self-pairs only under the published
    recipe, undefined, with the |S| of single runs that the program would have written.
    """

    performances: tuple[TestPerformance, ...]
    pairs: tuple[MergedPair, ...]
    core_seconds: float


def reduce_similarity(run: Run, job: None, at: Job) -> SimilarityResult:
    """Reduce all shards to the result of the run."""
    result = reduced(run, read_trainings(run))
    LOGGER.info("%d performances, %d similarities", len(result.performances), len(result.pairs))
    return result


def read_result(run: Run) -> SimilarityResult:
    """Return what a run found."""
    return read_stored(run, "reduce_similarity", SimilarityResult)


def read_trainings(run: Run) -> dict[Merged, MergedRuns]:
    """Return all trainings from the shards, the chunks of repetitions joined."""
    chunks: dict[Merged, list[MergedRuns]] = {}
    for job, name, runs in read_units(run, "train_merged", partial(unpack, MergedRuns)):
        chunks.setdefault(job.units[name][0], []).append(runs)
    return {merged: _joined(parts) for merged, parts in chunks.items()}


def _joined(parts: Sequence[MergedRuns]) -> MergedRuns:
    first, second = (np.concatenate([getattr(part, name) for part in parts]) for name in ("first", "second"))
    whole = replace(parts[0], first=first, second=second, seconds=sum(part.seconds for part in parts))
    pools = [part.pool for part in parts if part.pool is not None]
    if not pools:
        return whole
    tables = [np.concatenate([getattr(pool, field.name) for pool in pools]) for field in fields(PoolRuns)]
    parameters = round(float(np.mean([part.parameters for part in parts])))
    return replace(whole, parameters=parameters, pool=PoolRuns(*tables))


def reduced(run: Run, trainings: Trainings) -> SimilarityResult:
    """Return performances and similarities of some trainings."""
    confidence = run.configuration.confidence
    performances = tuple(_performance(runs, confidence) for runs in trainings.values())
    seconds = sum(runs.seconds for runs in trainings.values())
    return SimilarityResult(performances, tuple(_pairs(run, trainings)), seconds)


def _performance(runs: MergedRuns, confidence: float) -> TestPerformance:
    values = runs.sound
    if not values.size:
        raise InputError(f"all trainings on {runs.a} and {runs.b} ({runs.kind}) were lost; train them otherwise")
    mean, interval = float(values.mean()), None
    if values.size > 1:
        half = float(stdtrit(values.size - 1, (1 + confidence) / 2) * values.std(ddof=1)) / values.size**0.5
        interval = (mean - half, mean + half)
    estimate = Estimate(mean, interval, values.size, "mean of trainings; t interval", None, confidence)
    what = (runs.kind, runs.a, runs.b, runs.at, runs.halvings, runs.parameters)
    return TestPerformance(*what, estimate, runs.lost, runs.typical)


def _pairs(run: Run, trainings: Trainings) -> Iterator[MergedPair]:
    c = run.configuration
    alone = {(m.a, m.halvings): runs for m, runs in trainings.items() if m.kind == "alone"}
    tie = c.agent.tie if isinstance(c.agent, PublishedAgent) else np.nan
    places = dict.fromkeys(
        (m.a, m.b, m.kind, m.halvings)
        for m in trainings
        if m.kind == "sampled" or (m.kind == "stitched" and m.a != m.b)
    )
    for a, b, kind, halvings in places:
        first, second = alone[a, halvings], alone[b, halvings]
        easier = 0.5 if kind == "stitched" else c.at  # the share of the easier test
        at = 1 - easier if second.sound.mean() > first.sound.mean() else easier
        merged = trainings[Merged(kind, a, b, float(f"{at:.12g}"), halvings)]
        how = {"at": easier, "self_pair": a == b, "confidence": c.confidence}
        measured = similarity.from_values(first.sound, second.sound, merged.sound, **how)
        measured = similarity.counted(measured, first.lost + second.lost + merged.lost)
        single = single_runs(first.performance, second.performance, merged.performance, same=a == b, tie=tie)
        yield MergedPair(a, b, kind, halvings, measured, single)


def single_runs(first: Floats, second: Floats, merged: Floats, *, same: bool, tie: float) -> Floats:
    """Return |S| of each repetition by itself, (R,), as a program writes it that trains everything once.

    Of a test with itself (``same``) the second performances are the first ones, taken in another order; ``tie``: |S|
    where V_A = V_B.
    """
    other = np.roll(second, 1) if same else second
    size = np.abs(similarity.normalised(first, other, merged))
    lost = ~np.isfinite(first + other + merged)
    return np.where(lost, np.nan, np.where(first == other, tie, size))
