"""What a space says of suites whose tests do not differ at all: dimensions, replicates and intervals.

All dissimilarities are 0 and are measured with errors, three fifths of whose variance all pairs of a domain share; the
errors are estimated with few degrees of freedom, as those of few repetitions are. The truth is one dimension: AIQ per
dimension is the best product of complexity and performance. Complexities and agents are as in ``coverage_space``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.measures import quotient, space
from aiq.measures.draws import Errors, signal_to_noise
from aiq.records.quotient import Scores
from studies.cells import Cells, Row
from studies.coverage_space import AGENTS, SHARED, Cell, Measured, built, measured, scored, symmetric

Floats = npt.NDArray[np.float64]

FULL = tuple((tests, df) for tests in (6, 9) for df in (2, 4, 8))
QUICK = ((6, 8),)
SUITES, DRAWS = (40, 8), (200, 100)  # full, quick
ERROR = 0.1


def without_difference(tests: int, df: int, rng: np.random.Generator) -> Measured:
    """Measure a suite whose tests do not differ; standard errors have df degrees of freedom."""
    end, own = ERROR * np.sqrt(SHARED / 2), ERROR * np.sqrt(1 - SHARED)
    noise = end * rng.standard_normal(tests)
    return replace(
        measured(Cell(tests, 2, 8, 3), rng),
        signed=symmetric(own * rng.standard_normal((tests, tests)) + noise[:, None] + noise[None, :]),
        inner=symmetric(own * np.sqrt(rng.chisquare(df, (tests, tests)) / df)),
        ends=end * np.sqrt(rng.chisquare(df, tests) / df),
        df=float(df),
        true_dissimilarity=np.zeros((tests, tests)),
    )


def truth(suite: Measured) -> Scores:
    """Return the scores without any noise: all tests in one direction."""
    names = [f"d{i}" for i in range(len(suite.true_complexity))]
    exact = space.build(names, suite.true_complexity, suite.true_dissimilarity, dimensions=1, merge=False)
    return quotient.score(exact, AGENTS, suite.true_performance)


def suite_row(suite: Measured, draws: int, seed: int) -> dict[str, float]:
    """Return what the space and the scores of one suite say."""
    where = built(suite, draws, seed)
    exact = {one.agent: one.per_dimension.value for one in truth(suite).agents}
    found = [(one.per_dimension, exact[one.agent]) for one in scored(suite, where, draws, seed).agents]
    intervals = [(one.interval or (np.nan, np.nan), true) for one, true in found]
    distances = where.dissimilarity * where.largest_dissimilarity
    return {
        "one": float(where.dimensions == 1),
        "more": sum(p for k, p in where.dimensionality.probabilities.items() if k > where.dimensions),
        "signal": signal_to_noise(distances, Errors(suite.inner, suite.ends, suite.df).variance),
        "covered": float(np.mean([low <= true <= high for (low, high), true in intervals])),
        "above": float(np.mean([true > high for (_, high), true in intervals])),
        "width": float(np.mean([high - low for (low, high), _ in intervals])),
    }


def cell_row(tests: int, df: int, quick: bool) -> Row:
    """Return the means over the suites of a cell."""
    rng = seeding.generator(2026, "coverage noise", str(tests), str(df))
    suites = [suite_row(without_difference(tests, df, rng), DRAWS[quick], seed) for seed in range(SUITES[quick])]
    columns = {name: np.array([one[name] for one in suites]) for name in suites[0]}
    row: Row = {"tests": tests, "df": df, "suites": len(suites)}
    row |= {name: float(values.mean()) for name, values in columns.items()}
    row["covered_error"] = float(columns["covered"].std(ddof=1) / np.sqrt(len(suites)))
    return row | {"more_least": float(columns["more"].min()), "more_most": float(columns["more"].max())}


def run(quick: bool, cells: Cells) -> list[Row]:
    """Return a row per cell."""
    found = []
    for tests, df in QUICK if quick else FULL:
        found += cells.of(
            {"tests": tests, "df": df, "quick": quick},
            lambda tests=tests, df=df: [cell_row(tests, df, quick)],  # type: ignore[misc]
        )
    return found


NOTES = """`one`: share of the suites of which one dimension is kept, which is right; `more`: share of a suite's
replicates that keep more dimensions than its estimate, mean, least and most. Replicates hold the noise twice, that of
the measurement and that of the draw. `signal`: root mean square debiased dissimilarity over the root mean square
standard error. `covered`: 95 % intervals of AIQ per dimension; `above`: the truth lies above the interval, since
replicates with two dimensions are lower. `df`: degrees of freedom of the standard errors; the draws have as many."""
