"""Reduce the mixtures of a suite to its matrix of dissimilarities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from aiq import seeding, storage
from aiq.config.suite import Configuration
from aiq.errors import InputError
from aiq.measures import dissimilarity, similarity
from aiq.measures.dissimilarity import landmarks
from aiq.plans.run import SuiteRun as Run
from aiq.plans.suite_products import similar
from aiq.records.dissimilarity import Dissimilarity, Similarity
from aiq.records.estimate import Floats
from aiq.records.matrix import Completion, CompletionError, MatrixReport, NoiseFloor, RelativePair
from aiq.run.job import LOGGER
from aiq.run.reducing.measuring import Cost, DomainAlone, Measuring, read_alone, read_curves, relatives
from aiq.tables.locating import NextLandmark

Pair = tuple[str, str]

DRAWS = ("replicates", "pairs.measured.replicates")
"""Arrays of a suite's dissimilarities that grow with pairs times draws; most readers do without them."""

WITHOUT_CONTROLS = {
    False: "no controls were trained: what fewer samples cost is not told from what mixing costs",
    True: "no controls: a mixture of worlds has no share of steps in a domain that its proportion would tell, so what "
    "fewer steps cost is not told from what mixing costs (docs/methods/mixtures.md)",
}
"""What is said without controls: on labelled data, and on control domains."""

WITH_ENDS_OF_PAIRS = (
    "no controls: with ends of pairs no domain is trained alone, so what fewer samples or steps cost is not told from "
    "what mixing costs"
)


@dataclass(frozen=True, eq=False)
class MeasuredPair:
    """A pair of domains: V_O of every repetition (R, P), and the dissimilarity that they give.

    Where ends are domains', the columns of both ends hold the means of their trainings.
    """

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
    ``trainings``, ``failed`` and ``core_seconds`` count mixtures; ``alone`` holds what each domain gave alone (none
    where ends are pairs'), ``trainings_alone`` and ``core_seconds_alone`` count those trainings, of which lost ones
    are in ``failed`` too. ``labels`` names what was scored (see ``dissimilarity.labels``). ``usual_completion``: pairs
    were completed by the default settings, as tables are. ``relative``: of every pair where there are twins.
    """

    domains: tuple[str, ...]
    pairs: tuple[MeasuredPair, ...] = field(metadata=storage.AS_COLUMNS)
    matrix: Floats
    replicates: Floats
    floor: NoiseFloor
    report: MatrixReport
    completion: Completion | None
    landmark_errors: tuple[CompletionError, ...]
    trainings: int
    failed: int
    core_seconds: float
    alone: tuple[DomainAlone, ...] = ()
    trainings_alone: int = 0
    core_seconds_alone: float = 0.0
    labels: str = "apart"
    usual_completion: bool = False
    relative: tuple[RelativePair, ...] = field(default=(), metadata={"younger": True})

    @property
    def draws(self) -> int:
        """How many draws of its noise every pair has, whether they were read or not."""
        return len(self.floor.replicates)

    @property
    def errors_known(self) -> bool:
        """Whether unbiased squares were asked for, the error of every pair is known, and none was completed otherwise.

        Pairs that were completed by the default settings are completed again from the areas and their errors.
        """
        records = [pair.measured for pair in self.pairs]
        unbiased = all(record.chosen == "unbiased" and record.error is not None for record in records)
        return unbiased and (self.completion is None or self.usual_completion)

    def pair(self, a: str, b: str) -> MeasuredPair:
        """Return a measured pair by its names, in either order."""
        return next(pair for pair in self.pairs if {pair.a, pair.b} == {a, b})


def reduce_dissimilarity(
    run: Run, sources: Sequence[str | Path], target: str | Path, alone: Sequence[str | Path] = ()
) -> None:
    """Reduce all mixtures and domains alone to dissimilarities, their noise floor, and a report on the matrix."""
    c, plan = run.configuration, run.plan
    cost, cost_alone = Cost(), Cost()
    curves = read_curves(run, sources, cost)
    by_domain = read_alone(run, alone, cost_alone)
    measuring = Measuring(run, curves, by_domain)
    once = [pair for pair in plan.pairs if pair[0] <= pair[1]]
    pairs = tuple(MeasuredPair(*pair, measuring.whole(pair), measuring.measure(pair)) for pair in once)
    names = tuple(c.domains)
    matrix, replicates = _matrices(names, pairs)
    floor = dissimilarity.noise_floor([pair.measured for pair in pairs if pair.a == pair.b], seed=c.seed)
    completion = None
    if plan.landmarks is not None:
        at = landmarks.named(names, plan.landmarks)
        count = landmarks.left_out_dimensions(matrix[list(at)], at)
        completion = landmarks.complete(matrix[list(at)], at, dimensions=count)
        replicates = landmarks.replicates(matrix, replicates, at, seeding.generator(c.seed, "landmarks"), count)
        matrix = _complete(matrix, at, count)
    both = _both_orders(measuring, names) if c.dissimilarity.both_orders else None
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
        failed=cost.failed + cost_alone.failed,
        core_seconds=cost.seconds,
        alone=tuple(by_domain.values()),
        trainings_alone=cost_alone.trainings,
        core_seconds_alone=cost_alone.seconds,
        labels=c.dissimilarity.labels,
        usual_completion=completion is not None,
        relative=relatives(run, measuring),
    )
    storage.write_result(target, "dissimilarity", record, plan.dissimilarity(), c.seed)
    LOGGER.info("%d pairs, noise floor %.4f, %d failed trainings", len(pairs), floor.mean.value, record.failed)
    if note := without_controls(c):
        LOGGER.info("%s", note)


def without_controls(configuration: Configuration) -> str:
    """Return why starvation is not told from what mixing costs, for the log, tables, captions and summaries."""
    if configuration.controls:
        return ""
    if configuration.dissimilarity.ends == "pair":
        return WITH_ENDS_OF_PAIRS
    return WITHOUT_CONTROLS[configuration.control]


def _matrices(names: Sequence[str], pairs: Sequence[MeasuredPair]) -> tuple[Floats, Floats]:
    """Return the matrix (n, n) and its replicates (B, n, n); NaN where a pair was not measured."""
    n = len(names)
    matrix = np.full((n, n), np.nan)
    replicates = np.full((pairs[0].measured.replicates.size, n, n), np.nan)
    for pair in pairs:
        i, j = names.index(pair.a), names.index(pair.b)
        own = pair.a == pair.b and pair.measured.chosen == "unbiased"  # 0 on the diagonal would say: not measured
        matrix[i, j] = matrix[j, i] = abs(pair.measured.signed.value) if own else pair.measured.distance
        replicates[:, i, j] = replicates[:, j, i] = np.maximum(pair.measured.replicates, 0)
    return matrix, replicates


def _complete(matrix: Floats, at: Sequence[int], dimensions: int | None) -> Floats:
    """Return a matrix completed from its landmarks, the diagonal as measured."""
    filled = np.array(landmarks.complete(matrix[list(at)], at, dimensions=dimensions).matrix)
    np.fill_diagonal(filled, np.diag(matrix))
    return filled


def _both_orders(measuring: Measuring, names: Sequence[str]) -> Floats:
    matrix = np.full((len(names), len(names)), np.nan)
    for a, b in measuring.curves:
        matrix[names.index(a), names.index(b)] = measuring.one_order((a, b)).distance
    return matrix


def _landmark_errors(matrix: Floats) -> tuple[CompletionError, ...]:
    """Return the error that 2, 3, ... landmarks would have made, as long as two domains are none."""
    errors = []
    for count in range(2, len(matrix) - 1):
        at = landmarks.farthest_points(matrix, count)
        errors.append(landmarks.completion_error(landmarks.complete(matrix[list(at)], at), matrix))
    return tuple(errors)


def next_landmark(run: Run) -> NextLandmark:
    """Choose the next landmark farthest-point, from what a finished run measured against its landmarks.

    Without landmarks in the configuration the choice starts from the first domain.

    Raises:
        InputError: every domain is a landmark already.
        StorageError: the run has no dissimilarities, or they are of another configuration.
    """
    suite = storage.read_result(run.layout.dissimilarity, "dissimilarity", SuiteDissimilarity, run.plan.dissimilarity())
    names = list(suite.domains)
    chosen = run.plan.landmarks or (names[0],)
    at = [names.index(name) for name in chosen]
    rows = suite.matrix[at].copy()
    rows[range(len(at)), at] = 0
    return NextLandmark.of(names, at, rows, suite.floor.largest)


def suite_similarities(run: Run, suite: SuiteDissimilarity) -> dict[Pair, Similarity]:
    """Return S of every measured pair at the proportion of the settings; nothing is trained for it.

    Where ends are domains', V_A and V_B are the means of the trainings of each domain alone, with their own noise.

    Raises:
        InputError: all trainings of a pair were lost at 0, 1 or the proportion.
    """
    if not similar(run.plan):
        raise InputError("no proportion of the mixtures is one at which the 2020 similarity can be read")
    confidence = run.configuration.dissimilarity.confidence
    ends = {alone.domain: alone.scored(suite.labels == "told")[0] for alone in suite.alone}
    return {(pair.a, pair.b): _similarity(pair, ends, confidence) for pair in suite.pairs}


def _similarity(pair: MeasuredPair, ends: dict[str, Floats], confidence: float) -> Similarity:
    points, same = np.array(pair.measured.proportions), pair.a == pair.b
    if not ends:
        return similarity.measure(points, pair.curves, self_pair=same, confidence=confidence)
    first, second = ends[pair.a], ends[pair.b]
    mixed = pair.curves[:, int(np.argmin(np.abs(points - 0.5)))]
    groups = [group[np.isfinite(group)] for group in (first, second, mixed)]
    lost = sum(len(group) for group in (first, second, mixed)) - sum(len(group) for group in groups)
    return similarity.from_values(*groups, self_pair=same, failed=lost, confidence=confidence)
