"""Trainings behind the 2020 similarities, and the performances and similarities to which they are reduced."""

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
from aiq.records.dissimilarity import Similarity
from aiq.records.estimate import Estimate, Floats
from aiq.records.table import Cell
from aiq.run.job import LOGGER, read_stored, read_units
from aiq.storage.records import unpack
from aiq.wings.similarity2020.plan import Merged, SimilarityPlan
from aiq.wings.similarity2020.settings import Kind, Merge, PublishedAgent, Similarities


@dataclass(frozen=True, eq=False)
class PoolRuns:
    """Every network of the pools of some repetitions: R repetitions, M networks of random sizes in each, all (R, M).

    ``score``: best periodic evaluation in training, by which a network is chosen. ``first``, ``second``: performance on
    fresh episodes of each test, twice the same of one test alone. NaN where a network was lost.
    """

    score: Floats
    first: Floats
    second: Floats
    parameters: Floats

    def __post_init__(self) -> None:
        """Refuse tables that do not go together."""
        shapes = {table.shape for table in (self.score, self.first, self.second, self.parameters)}
        if len(shapes) > 1 or self.score.ndim != 2 or not self.score.size:
            raise ValueError(f"networks of pools have tables of shapes {sorted(shapes)}; one shape (R, M) is needed")

    def best(self, table: Floats) -> Floats:
        """Return entries of a table (R, M) of the networks that scored best in training, of equals the first, (R,)."""
        place = np.where(np.isnan(self.score), -np.inf, self.score).argmax(axis=1)
        return np.asarray(np.take_along_axis(table, place[:, None], axis=1)[:, 0])


@dataclass(frozen=True, eq=False)
class MergedRuns:
    """Repetitions of a training on one test alone (``a`` twice), or on two merged ones.

    ``at``: share of ``a`` in what is learned and in the performance; 1 of a test alone, 1/2 of a stitched pair.
    ``halvings``: how often the filters of the network are halved. ``parameters``: 0 where nothing is learned. ``first``
    and ``second``: performance on ``a`` and ``b``, (R,), NaN where a training was lost. ``seconds`` that the trainings
    took together. ``pool``: all networks behind them, which are those of the best ones; None: one network a repetition.
    """

    kind: Kind
    a: str
    b: str
    at: float
    halvings: int
    parameters: int
    first: Floats
    second: Floats
    seconds: float
    pool: PoolRuns | None = None

    def __post_init__(self) -> None:
        """Refuse repetitions that do not go together, and shares outside [0, 1]."""
        if self.first.shape != self.second.shape or self.first.ndim != 1:
            raise ValueError(f"repetitions of shapes {self.first.shape} and {self.second.shape} do not go together")
        if not 0 <= self.at <= 1:
            raise ValueError(f"a share of {self.at} is outside [0, 1]")

    @property
    def performance(self) -> Floats:
        """Performance on the merged test, (R,): that of ``a`` and of ``b``, weighted by their shares."""
        return self.at * self.first + (1 - self.at) * self.second

    @property
    def sound(self) -> Floats:
        """Performances of the trainings that were not lost."""
        return self.performance[np.isfinite(self.performance)]

    @property
    def typical(self) -> float | None:
        """Mean performance of all networks of the pools that were not lost; None where there are no pools."""
        if self.pool is None:
            return None
        all_of_them = self.at * self.pool.first + (1 - self.at) * self.pool.second
        sound = all_of_them[np.isfinite(all_of_them)]
        return float(sound.mean()) if sound.size else None

    @property
    def lost(self) -> int:
        """Trainings that diverged or whose environment failed."""
        return len(self.first) - len(self.sound)


@dataclass(frozen=True, eq=False)
class TestPerformance:
    """Performance on one test, alone or merged (a number in [0, 1], or a raw return under the published recipe).

    ``typical`` is the mean over all networks of the pools, of which ``performance`` is that of the best ones.
    """

    __test__ = False  # no test of pytest's

    kind: Kind
    a: str
    b: str
    at: float
    halvings: int
    parameters: int
    performance: Estimate
    lost: int
    typical: float | None = None

    @property
    def label(self) -> str:
        """Name as the 2020 paper writes it: A, (A,B) where samples are drawn from both, AB stitched."""
        if self.kind == "alone":
            return self.a
        return f"({self.a}, {self.b})" if self.kind == "sampled" else f"{self.a}|{self.b}"

    def cells(self) -> tuple[Cell, ...]:
        """Return the cells of a table, in the order of ``COLUMNS``."""
        what = (self.label, self.kind, self.a, self.b, self.at, self.halvings, self.parameters)
        return *what, *self.performance.cells()


COLUMNS = ("test", "kind", "a", "b", "share_of_a", "halvings", "parameters", "performance", "low", "high")


@dataclass(frozen=True, eq=False)
class MergedPair:
    """Similarity of two tests under one merge and one network.

    ``single`` are |S| of single runs, (R,), as a program computes them that trains once for each performance; NaN
    where one of the three was lost.
    """

    a: str
    b: str
    merge: Merge
    halvings: int
    similarity: Similarity
    single: Floats


# ---- Reduction ----------------------------------------------------------------------------------------


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
    performances = tuple(map(_performance, trainings.values()))
    seconds = sum(runs.seconds for runs in trainings.values())
    return SimilarityResult(performances, tuple(_pairs(run, trainings)), seconds)


def _performance(runs: MergedRuns) -> TestPerformance:
    values = runs.sound
    if not values.size:
        raise InputError(f"all trainings on {runs.a} and {runs.b} ({runs.kind}) were lost; train them otherwise")
    mean, interval = float(values.mean()), None
    if values.size > 1:
        half = float(stdtrit(values.size - 1, 0.975) * values.std(ddof=1)) / values.size**0.5
        interval = (mean - half, mean + half)
    estimate = Estimate(mean, interval, values.size, "mean of trainings; t interval")
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
        merged = trainings[Merged(kind, a, b, c.at, halvings)]
        lost = first.lost + second.lost + merged.lost
        measured = similarity.from_values(first.sound, second.sound, merged.sound, self_pair=a == b, failed=lost)
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
