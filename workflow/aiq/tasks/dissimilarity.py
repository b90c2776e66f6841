"""Reduce the mixtures of a suite to its matrix of dissimilarities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aiq import seeding, storage
from aiq.errors import StorageError
from aiq.measures import dissimilarity, landmarks
from aiq.records.dissimilarity import Completion, CompletionError, Dissimilarity, MatrixReport, NoiseFloor
from aiq.records.trial import LOST
from aiq.storage import shards
from aiq.storage.trials import unpack_mixtures
from aiq.tasks.job import LOGGER, Run
from aiq.tasks.units import unit_name

Floats = npt.NDArray[np.float64]
Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class MeasuredPair:
    """A pair of domains: V_O of every repetition (R, P), and the dissimilarity that they give."""

    a: str
    b: str
    curves: Floats
    measured: Dissimilarity


@dataclass(frozen=True, eq=False)
class SuiteDissimilarity:
    """The dissimilarities of a suite.

    ``matrix`` (n, n) holds what enters the space, the measured DS(a, a) on the diagonal; ``replicates``
    (B, n, n) are its bootstrap replicates. With landmarks, ``completion`` says what was completed.
    ``landmark_errors`` is what k landmarks, chosen farthest-point, would have cost (where all was measured).
    """

    domains: tuple[str, ...]
    pairs: tuple[MeasuredPair, ...]
    matrix: Floats
    replicates: Floats
    floor: NoiseFloor
    report: MatrixReport
    completion: Completion | None
    landmark_errors: tuple[CompletionError, ...]
    trainings: int
    failed: int
    core_seconds: float

    def pair(self, a: str, b: str) -> MeasuredPair:
        """Return a measured pair by its names, in either order."""
        return next(pair for pair in self.pairs if {pair.a, pair.b} == {a, b})


@dataclass
class _Cost:
    """What the trainings cost, and how many failed."""

    trainings: int = 0
    failed: int = 0
    seconds: float = 0.0


def reduce_dissimilarity(run: Run, sources: Sequence[str | Path], target: str | Path) -> None:
    """Reduce all mixtures to dissimilarities, their noise floor, and a report on the matrix."""
    c, plan = run.configuration, run.plan
    cost = _Cost()
    curves = _curves(run, sources, cost)
    pairs = tuple(_measure(run, pair, curves) for pair in plan.pairs if pair[0] <= pair[1])
    names = tuple(c.domains)
    matrix, replicates = _matrices(names, pairs)
    floor = dissimilarity.noise_floor([pair.measured for pair in pairs if pair.a == pair.b], seed=c.seed)
    completion = None
    if plan.landmarks is not None and c.dissimilarity.landmarks is not None:
        at = landmarks.named(names, plan.landmarks)
        residual = c.dissimilarity.landmarks.residual
        completion = landmarks.complete(matrix[list(at)], at, residual=residual)
        replicates = np.array([_complete(matrix_, at, residual) for matrix_ in replicates])
        matrix = _complete(matrix, at, residual)
    both = _both_orders(run, names, curves) if c.dissimilarity.both_orders else None
    record = SuiteDissimilarity(
        domains=names,
        pairs=pairs,
        matrix=matrix,
        replicates=replicates,
        floor=floor,
        report=dissimilarity.matrix_report(matrix, floor, both),
        completion=completion,
        landmark_errors=() if completion is not None else _landmark_errors(matrix),
        trainings=cost.trainings,
        failed=cost.failed,
        core_seconds=cost.seconds,
    )
    storage.write_result(target, "dissimilarity", record, plan.dissimilarity(), c.seed)
    LOGGER.info("%d pairs, noise floor %.4f, %d failed trainings", len(pairs), floor.mean.value, cost.failed)


def _curves(run: Run, sources: Sequence[str | Path], cost: _Cost) -> dict[Pair, Floats]:
    """Return V_O of every measured pair, (R, P); a lost training leaves a NaN."""
    plan, settings = run.plan, run.configuration.dissimilarity
    units: dict[str, shards.Unit] = {}
    for source, job in zip(sources, plan.mixture_jobs, strict=True):
        units.update(shards.read(source, "mixtures", plan.of_mixture_job(job)))
    curves = {}
    for a, b in plan.pairs:
        table = np.full((settings.repetitions, len(settings.points)), np.nan)
        for chunk in range(settings.chunks):
            name = unit_name(a, b, chunk)
            if name not in units:
                raise StorageError(f"the mixtures of {a} and {b} lack chunk {chunk} of repetitions; redo their shards")
            for result in unpack_mixtures(units[name].tree):
                table[result.repetition, settings.points.index(result.proportion)] = result.performance
                cost.trainings += 1
                cost.failed += result.status in LOST
                cost.seconds += result.seconds
        curves[a, b] = table
    return curves


def _measure(run: Run, pair: Pair, curves: dict[Pair, Floats]) -> MeasuredPair:
    """Measure one pair from its curves in both orders; pairs are resampled independently."""
    settings = run.configuration.dissimilarity
    reverse = curves.get((pair[1], pair[0])) if pair[0] != pair[1] else None
    measured = dissimilarity.measure(
        settings.points,
        curves[pair],
        reverse=reverse,
        estimator=settings.estimator,
        chosen=settings.value,
        prior_df=settings.prior_df,
        resamples=settings.resamples,
        confidence=settings.confidence,
        seed=seeding.integer(run.configuration.seed, "dissimilarity", *pair),
    )
    return MeasuredPair(*pair, curves[pair], measured)


def _matrices(names: Sequence[str], pairs: Sequence[MeasuredPair]) -> tuple[Floats, Floats]:
    """Return the matrix (n, n) and its replicates (B, n, n); NaN where a pair was not measured."""
    n = len(names)
    matrix = np.full((n, n), np.nan)
    replicates = np.full((pairs[0].measured.replicates.size, n, n), np.nan)
    for pair in pairs:
        i, j = names.index(pair.a), names.index(pair.b)
        matrix[i, j] = matrix[j, i] = pair.measured.distance
        replicates[:, i, j] = replicates[:, j, i] = np.maximum(pair.measured.replicates, 0)
    return matrix, replicates


def _complete(matrix: Floats, at: Sequence[int], residual: str) -> Floats:
    """Return a matrix completed from its landmarks, the diagonal as measured."""
    filled = np.array(landmarks.complete(matrix[list(at)], at, residual=residual).matrix)
    np.fill_diagonal(filled, np.diag(matrix))
    return filled


def _both_orders(run: Run, names: Sequence[str], curves: dict[Pair, Floats]) -> Floats:
    """Return the dissimilarity of each ordered pair, measured apart."""
    settings = run.configuration.dissimilarity
    matrix = np.full((len(names), len(names)), np.nan)
    for (a, b), table in curves.items():
        one = dissimilarity.measure(
            settings.points, table, estimator=settings.estimator, chosen=settings.value, resamples=0
        )
        matrix[names.index(a), names.index(b)] = one.distance
    return matrix


def _landmark_errors(matrix: Floats) -> tuple[CompletionError, ...]:
    """Return the error that 2, 3, ... landmarks would have made, as long as two domains are none."""
    counts = range(2, len(matrix) - 1)
    found = []
    for count in counts:
        at = landmarks.farthest_points(matrix, count)
        found.append(landmarks.completion_error(landmarks.complete(matrix[list(at)], at), matrix))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class NextLandmark:
    """The domain farthest from the landmarks so far, and its distance to the nearest of them."""

    landmarks: tuple[str, ...]
    domain: str
    distance: float
    noise_floor: float


def next_landmark(run: Run) -> NextLandmark:
    """Choose the next landmark farthest-point, from what a finished run measured against its landmarks.

    Without landmarks in the configuration the choice starts from the first domain.

    Raises:
        InputError: every domain is a landmark already.
        StorageError: the run has no dissimilarities, or they are of another configuration.
    """
    suite = storage.read_result(run.layout.dissimilarity, "dissimilarity", SuiteDissimilarity, run.plan.dissimilarity())
    names = list(suite.domains)
    known = run.plan.landmarks or (names[0],)
    at = [names.index(name) for name in known]
    rows = suite.matrix[at].copy()
    rows[range(len(at)), at] = 0
    chosen = landmarks.next_landmark(rows, at)
    return NextLandmark(known, names[chosen], float(rows[:, chosen].min()), suite.floor.largest)
