"""What the choice of length and distance does to the space and to scores, on the sanity suite.

Seven domains (two halves of digits, one noisy, one rotated, one with its pixels permuted, breast-cancer, wine), five
agents with six repetitions. ``moves``: the largest change of any agent's AIQ per dimension, its number of dimensions
held, when something changes that should not matter (a copy joins, pictures are shown larger, a test that any network
passes leaves) or that nobody knows how to choose (samples of the mixtures, width of their network). ``mean width`` is
that of the agents' intervals, for scale.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import stats as distributions

from studies import sanity_measures as measures
from studies import sanity_suite as suite
from studies.cells import Cells, Row
from studies.sanity_spaces import AGENT_NAMES, LENGTHS, WITH_COPY, by_name, located, scored

Floats = npt.NDArray[np.float64]

HARD_ONES = tuple(name for name in suite.SUITE if name != "breast-cancer")


def run(quick: bool, cells: Cells | None = None) -> list[Row]:
    """Return a row for each length and distance; nothing when quick (it needs all trainings)."""
    cells = cells or Cells(None, "", lambda line: None)
    rows: list[Row] = []
    for length in LENGTHS if not quick else ():
        for kind in measures.KINDS:
            key = {"length": length, "distance": kind}
            rows += cells.of(key, lambda length=length, kind=kind: [choice(length, kind)])  # type: ignore[misc]
    return rows


def choice(length: str, kind: str) -> Row:
    """Return what one choice of length and distance does."""
    at = located(suite.SUITE, length, kind)
    found = scored(at, suite.SUITE)
    per = by_name(found, "per_dimension")
    d = at.dimensions
    others = {
        "copy_of_digits_a_joins": scored(located(WITH_COPY, length, kind), WITH_COPY),
        "digits_a_shown_at_16x16": scored(located(suite.SUITE, length, kind, suite.BASE, d, True), suite.SUITE),
        "breast_cancer_leaves": scored(located(HARD_ONES, length, kind, suite.BASE, d), HARD_ONES),
        "half_the_samples": scored(located(suite.SUITE, length, kind, suite.FEWER, d), suite.SUITE),
        "twice_the_width": scored(located(suite.SUITE, length, kind, suite.WIDER, d), suite.SUITE),
    }
    return {
        "length": length,
        "distance": kind,
        "dimensions": d,
        "probabilities": ", ".join(f"{k}: {p:.2f}" for k, p in at.dimensionality.probabilities.items()),
        "negative_share": at.negative_share,
        "mean_width": float(np.mean([one.high - one.low for one in per.values()])),
        **{f"moves: {what}": _moved(per, by_name(other, "per_dimension")) for what, other in others.items()},
        "rank_correlation_half_the_samples": _ranks(kind, suite.FEWER),
        "rank_correlation_twice_the_width": _ranks(kind, suite.WIDER),
        "not_explained_by_geometric_mean": None if found.beyond is None else found.beyond.residual.value,
        "vertices": ", ".join(found.suite_vertices),
        **{agent: f"{per[agent].value:.3f} [{per[agent].low:.3f}, {per[agent].high:.3f}]" for agent in AGENT_NAMES},
    }


def _moved(before: dict[str, measures.Number], after: dict[str, measures.Number]) -> float:
    """Return the largest change of any agent."""
    return max(abs(after[agent].value - before[agent].value) for agent in AGENT_NAMES)


def _ranks(kind: str, how: suite.Mixing) -> float:
    """Return the rank correlation of all distances under two ways of training."""
    above = np.triu_indices(len(suite.SUITE), 1)
    one, other = (measures.distances(suite.SUITE, kind, mixing).values[above] for mixing in (suite.BASE, how))
    return float(distributions.spearmanr(one, other).statistic)
