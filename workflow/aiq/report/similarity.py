"""The 2020 similarities of a suite, from the mixtures and ends that its dissimilarities were measured on."""

from __future__ import annotations

import numpy as np

from aiq.errors import InputError
from aiq.measures import similarity
from aiq.plans.run import SuiteRun as Run
from aiq.plans.suite_products import similarity_at
from aiq.records.arrays import Floats
from aiq.records.similarity import Similarity
from aiq.records.table import Cell, Table
from aiq.run.reducing.dissimilarity import MeasuredPair, SuiteDissimilarity

Pair = tuple[str, str]
COLUMNS = (
    *("a", "b", "similarity", "low", "high", "pieces", "absolute", "sufficient", "verdict", "at"),
    *("v_a", "v_b", "v_ab", "easier", "separation", "repetitions", "failed", "note"),
)


def suite_similarities(run: Run, suite: SuiteDissimilarity) -> dict[Pair, Similarity]:
    """Return S of every measured pair at the proportion of the settings; nothing is trained for it.

    Where ends are domains', V_A and V_B are the means of the trainings of each domain alone, with their own noise.

    Raises:
        InputError: all trainings of a pair were lost at 0, 1 or the proportion.
    """
    at = similarity_at(run.plan)
    if at is None:
        raise InputError("no proportion of the mixtures is one at which the 2020 similarity can be read")
    confidence = run.configuration.dissimilarity.confidence
    ends = {found.domain: found.scored(suite.labels == "told")[0] for found in suite.alone}
    return {(pair.a, pair.b): _measured(pair, ends, at, confidence) for pair in suite.pairs}


def _measured(pair: MeasuredPair, ends: dict[str, Floats], at: float, confidence: float) -> Similarity:
    points, same = np.array(pair.measured.proportions), pair.a == pair.b
    if not ends:
        return similarity.measure(points, pair.curves, at=at, self_pair=same, confidence=confidence)
    first, second = ends[pair.a], ends[pair.b]
    share = 1 - at if np.nanmean(second) > np.nanmean(first) else at
    mixed = pair.curves[:, int(np.argmin(np.abs(points - share)))]
    groups = [group[np.isfinite(group)] for group in (first, second, mixed)]
    found = similarity.from_values(*groups, at=at, self_pair=same, confidence=confidence)
    lost = sum(len(group) for group in (first, second, mixed)) - sum(len(group) for group in groups)
    return similarity.counted(found, lost)


def similarity_table(pairs: dict[Pair, Similarity]) -> Table:
    """Return one row per pair; S is empty where it is undetermined or undefined, ``note`` says why."""
    return Table.of(COLUMNS, [row(*pair, found) for pair, found in pairs.items()])


def row(a: str, b: str, found: Similarity) -> tuple[Cell, ...]:
    """Return the cells of a pair."""
    low, high = found.interval or (None, None)
    apart = found.separation if found.separation is not None and np.isfinite(found.separation) else None
    easier = None if found.self_pair else b if found.swapped else a
    return (
        *(a, b, found.value, low, high, len(found.segments), found.absolute, found.sufficient, found.verdict, found.at),
        *(found.v_a.value, found.v_b.value, found.v_ab.value, easier, apart, found.n, found.n_failed),
        found.note or None,
    )
