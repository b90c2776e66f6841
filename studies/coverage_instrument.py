"""How often the intervals of a suite as an instrument hold the truth, by simulation.

Suites of known tests are measured with noise and built as in ``coverage_space``. Looked for in the intervals: the worth
of every test (share of the suite's volume that goes with it), apart for tests that are truly worth nothing; the rank
correlation of five agents without a test; and the gain of a new test in the direction of each test, as complex as the
most complex one. Compared: percentile intervals with the number of dimensions resampled (what ``aiq instrument``
prints of worths and orders) and with the estimate's number of dimensions (what it prints of gains).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.measures import instrument, space
from aiq.measures.quotient import agent_draws
from aiq.stats import percentile_interval
from studies.cells import Cells, Row
from studies.coverage_space import AGENTS, Cell, Measured, built, measured

Floats = npt.NDArray[np.float64]

FULL = (
    *(Cell(n, k, snr, 5) for n, k in ((6, 2), (6, 3), (8, 3)) for snr in (4, 8, 16)),
    *(Cell(6, k, snr, 5, "copy") for k, snr in ((3, 8), (3, 4), (2, 8))),
)
QUICK = (Cell(6, 2, 8, 5),)
SUITES, DRAWS = (40, 12), (100, 100)  # full, quick


def truth(suite: Measured, dimensions: int) -> space.Space:
    """Return the space without noise."""
    names = [f"d{i}" for i in range(len(suite.true_complexity))]
    return space.build(names, suite.true_complexity, suite.true_dissimilarity, dimensions=dimensions, merge=False)


def intervals(drawn: Floats) -> list[tuple[float, float]]:
    """Return the percentile interval of every column."""
    return [percentile_interval(column) or (np.nan, np.nan) for column in drawn.T]


def held(true: Floats, found: Sequence[tuple[float, float]]) -> Floats:
    """Return 1 where the truth lies in the interval (rounding apart), 0 elsewhere, NaN where there is no truth."""
    hits = [float(low - 1e-9 <= value <= high + 1e-9) for value, (low, high) in zip(true, found, strict=True)]
    return np.where(np.isfinite(true), hits, np.nan)


def without(points: Floats, performance: Floats) -> Floats:
    """Return rank correlations of agents without each test and with all, (B, n)."""
    n = points.shape[1]
    whole = instrument.values(points, performance, range(n))
    parts = [instrument.values(points, performance, [k for k in range(n) if k != i]) for i in range(n)]
    return np.array([
        [instrument.rank_correlation(a, b) for a, b in zip(part, whole, strict=True)] for part in parts
    ]).T  # fmt: skip


def gains(points: Floats) -> Floats:
    """Return the gains of a test like each test, as complex as the most complex one, (B, n)."""
    kinds = [instrument.Candidate("as", i) for i in range(points.shape[1])]
    return np.column_stack([instrument.enlarging(points, kind.directions(points)) for kind in kinds])


def suite_row(suite: Measured, cell: Cell, draws: int, seed: int) -> dict[str, Floats]:
    """Return what one suite's intervals hold, by quantity; entries per test."""
    exact, where = truth(suite, cell.dimensions), built(suite, draws, seed)
    rng = seeding.generator(seed, "study instrument agents")
    drawn = [agent_draws.draws(samples, draws, rng) for samples in suite.samples]
    resampled = np.stack([one for one in drawn if one is not None], axis=1)
    means = np.array([[values.mean() for values in samples] for samples in suite.samples])
    steps = instrument.draws(where, means, resampled, draws)
    true = instrument.worths(exact.coordinates[None])[0]
    worth = np.concatenate([instrument.worths(one.points) for one in steps])
    boot = where.bootstrap
    given = instrument.worths(np.asarray(boot.coordinates)) if boot is not None else worth
    plain = intervals(worth)
    copied = instrument.copies([one.points for one in steps]).any(axis=1)
    found = [(0.0 if alike else low, high) for alike, (low, high) in zip(copied, plain, strict=True)]
    hits = held(true, found)
    correlation = without(exact.coordinates[None], suite.true_performance[None])[0]
    orders = np.concatenate([without(one.points, one.performance) for one in steps])
    grown, same = gains(exact.coordinates[None])[0], where.dimensions == cell.dimensions
    bred = gains(np.asarray(boot.coordinates)) if boot is not None and same else None
    return {
        "worth": hits[true > 0], "nothing": hits[true == 0],
        "given": held(true, intervals(given))[true > 0] if same else np.empty(0),
        "width": np.array([high - low for low, high in found])[true > 0],
        "order": held(correlation, intervals(orders)),
        "gain": np.empty(0) if bred is None else held(grown, intervals(bred)),
        "nothing_plain": held(true, plain)[true == 0],
        "width_plain": np.array([high - low for low, high in plain])[true > 0],
        "copies": copied.astype(np.float64), "share_nothing": (true == 0).astype(np.float64),
    }  # fmt: skip


def cell_row(cell: Cell, quick: bool) -> Row:
    """Return what the intervals of a cell's suites hold."""
    rng = seeding.generator(2026, "coverage instrument", *(str(x) for x in cell.words.values()))
    suites = [suite_row(measured(cell, rng), cell, DRAWS[quick], seed) for seed in range(SUITES[quick])]
    row: Row = {**cell.words, "suites": len(suites)}
    for name in ("worth", "nothing", "nothing_plain", "given", "order", "gain"):
        every = [one[name][np.isfinite(one[name])].mean() for one in suites if np.isfinite(one[name]).any()]
        row[name] = float(np.mean(every)) if every else None
        row[f"{name}_error"] = float(np.std(every, ddof=1) / np.sqrt(len(every))) if len(every) > 1 else None
    for name in ("width", "width_plain", "copies", "share_nothing"):
        row[name] = float(np.mean(np.concatenate([one[name] for one in suites])))
    return row


def run(quick: bool, cells: Cells) -> list[Row]:
    """Return a row per cell."""
    found = []
    for cell in QUICK if quick else FULL:
        found += cells.of({**cell.words, "quick": quick}, lambda cell=cell: [cell_row(cell, quick)])  # type: ignore[misc]
    return found


NOTES = f"""Nominal 95 %. Agents {", ".join(AGENTS)}; tests of one suite count as one in the Monte Carlo errors
(`_error`). `worth`: tests that are truly worth more than 0; `nothing`: tests inside the hull of the others
(`share_nothing` of all); `given`: as `worth`, in the suites whose number of dimensions was found, with that number
held; `order`: rank correlation without a test; `gain`: of a test in the direction of each test, in the suites whose
number of dimensions was found. `width`: mean width of the intervals of `worth`. Where replicates take two tests for
copies (`copies`: share of the tests), intervals of worth begin at 0; `nothing_plain` and `width_plain` are without
that."""
