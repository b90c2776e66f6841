"""Coverage of the whole chain: complexity, dissimilarity, space and score of suites with known truth."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import seeding
from studies import chain_tables
from studies.cells import Cells, Row
from studies.chain_estimates import DRAWS, Found, estimate, truth
from studies.chain_truth import Design, Measured, draw, measure

Floats = npt.NDArray[np.float64]
Says = Callable[[Measured, Design, int], Found]

SUITES, QUICK_SUITES = 400, 12

# Every signal to noise with every number of repetitions; dimensions, luck, pool, number of tests and whose the ends
# are, are spread over these nine so that each level meets each signal to noise and each number of repetitions at
# least once; then tests that no Euclidean space holds, and suites of which some tests are easy.
CELLS = (
    Design(5, 2, "bounded", 64, 3, 4, ends="pair"),
    Design(6, 3, "unbounded", 256, 5, 4),
    Design(8, 3, "bounded", 64, 10, 4),
    Design(6, 3, "unbounded", 64, 3, 8),
    Design(8, 2, "bounded", 256, 5, 8),
    Design(6, 3, "unbounded", 64, 10, 8, ends="pair"),
    Design(6, 3, "bounded", 256, 3, 16),
    Design(6, 3, "unbounded", 64, 5, 16, ends="pair"),
    Design(5, 2, "unbounded", 256, 10, 16),
    Design(6, 2, "unbounded", 64, 5, 4, euclidean=False),
    Design(8, 3, "bounded", 64, 10, 8, euclidean=False),
    Design(6, 3, "unbounded", 64, 5, 16, euclidean=False),
    Design(6, 3, "unbounded", 64, 5, 8, easy=2),
    Design(6, 3, "unbounded", 64, 5, 8, easy=4),
    Design(6, 3, "unbounded", 256, 5, 8, easy=4),
)
QUICK = (CELLS[4], CELLS[5])
TABLES = Design(6, 3, "unbounded", 64, 5, 8, ends="pair")
"""The cell that goes through the command line, with a quarter of the suites."""

AIMS = {
    "complexity": (0.93, 0.97),
    "relative_excess": (0.93, 0.97),
    "signed": (0.93, 0.97),
    "per_dimension": (0.90, 0.98),
    "relative_given_d": (0.90, 0.98),
    "per_dimension_by_excess": (0.90, 0.98),
    "relative_given_d_by_excess": (0.90, 0.98),
}
"""Coverage to be reached of a nominal 95 %; the last four rest on the whole chain, with either length."""
LARGE = 0.1
RIGHT, FROM = 0.85, 8
"""Share of suites with the right number of dimensions to be reached, and from which signal to noise on."""

QUANTITIES = tuple(AIMS)


def run(quick: bool, cells: Cells | None = None) -> list[Row]:
    """Return a row a cell: how often each interval covers the truth, with Monte Carlo errors.

    Args:
        quick: two cells of 12 suites instead of 12 of 400.
        cells: what was finished before.
    """
    cells = cells or Cells(None, "", lambda line: None)
    suites = QUICK_SUITES if quick else SUITES
    rows: list[Row] = []
    for design in QUICK if quick else CELLS:
        key = {**asdict(design), "suites": suites}
        rows += cells.of(key, lambda design=design: [study(design, suites)])  # type: ignore[misc]
    few = 2 if quick else suites // 4
    key = {**asdict(TABLES), "suites": few, "through": "aiq ... --json"}
    return rows + cells.of(key, lambda: [study(TABLES, few, chain_tables.estimate)])


def study(design: Design, suites: int, says: Says = estimate) -> Row:
    """Return the row of one cell, through the functions or the command line (``says``)."""
    found: list[tuple[Found, dict[str, Floats], Floats]] = []
    for number in range(suites):
        key = ("study", "chain", *(str(value) for value in asdict(design).values()), number)
        suite = draw(design, seeding.generator(0, *key, "suite"))
        true = truth(suite, design)
        measured = measure(suite, design, seeding.generator(0, *key, "measured"))
        said = says(measured, design, number)
        found.append((said, true, true[said.ordered]))
    row: dict[str, Any] = {
        "tests": design.domains,
        "d": design.dimensions,
        "truth": "Euclidean" if design.euclidean else "not Euclidean",
        "luck": design.luck,
        "pool": design.pool,
        "repetitions": design.repetitions,
        "signal_to_noise": design.snr,
        "ends": design.ends,
        "easy": design.easy,
        "through": "functions" if says is estimate else "aiq ... --json",
        "suites": suites,
    }
    for what in QUANTITIES:
        if what in found[0][0].said:
            row |= _coverage(what, [(one.said[what].covers(true[what])) for one, true, _ in found])
            row |= _bias(what, [(one.said[what], true[what]) for one, true, _ in found])
    right = [np.array([float(one.dimensions == design.dimensions)]) for one, *_ in found]
    row |= _coverage("right_d", right)
    return row | _calibration([(one.order, scores) for one, _, scores in found])


def _coverage(what: str, covered: list[Floats]) -> Row:
    """Return the mean share with its Monte Carlo error over suites; what is NaN (no interval) is left out."""
    share = np.array([np.nanmean(one) if np.isfinite(one).any() else np.nan for one in covered])
    share = share[np.isfinite(share)]
    if not share.size:
        return {what: math.nan, f"{what}_error": math.nan}
    level = float(share.mean())
    least = (level * (1 - level) + 1 / share.size) / share.size / max(len(covered[0]), 1)
    spread = float(share.var(ddof=1)) / share.size if share.size > 1 else 0.0
    return {what: level, f"{what}_error": math.sqrt(max(spread, least))}


def _bias(what: str, pairs: list[tuple[Any, Floats]]) -> Row:
    """Return the mean error in units of the root mean square error, and the mean width."""
    errors = np.concatenate([said.value - true for said, true in pairs])
    widths = np.concatenate([said.interval[:, 1] - said.interval[:, 0] for said, _ in pairs])
    scale = float(np.sqrt(np.mean(errors**2)))
    width = float(np.nanmean(widths)) if np.isfinite(widths).any() else math.nan
    return {f"{what}_bias": float(errors.mean()) / scale if scale else 0.0, f"{what}_width": width}


def _calibration(orders: list[tuple[Floats, Floats]]) -> Row:
    """Return how often an order said with some probability is right."""
    said, right = [], []
    for probability, true in orders:
        for i in range(len(true)):
            for j in range(i + 1, len(true)):
                if np.isnan(probability[i, j]):
                    continue
                up = probability[i, j] >= 0.5
                said.append(max(probability[i, j], 1 - probability[i, j]))
                right.append(float((true[i] > true[j]) == up))
    chances, hits = np.array(said), np.array(right)
    row: Row = {"order_said": float(chances.mean()), "order_right": float(hits.mean())}
    for low, high, name in ((0.85, 0.95, "said_.85_to_.95"), (0.99, 1.01, "said_.99_or_more")):
        inside = (chances >= low) & (chances < high)
        count = int(inside.sum())
        row[f"{name}_right"] = float(hits[inside].mean()) if count else math.nan
        row[f"{name}_right_error"] = math.sqrt(0.25 / max(count, 1)) if count < 4 else _error(hits[inside])
    return row


def _error(hits: Floats) -> float:
    """Return the standard error of a share."""
    level = (hits.sum() + 1) / (hits.size + 2)
    return float(math.sqrt(level * (1 - level) / (hits.size + 2)))


def NOTES(rows: list[Row]) -> str:  # noqa: N802  a name that the frame looks for
    """Return what the columns mean, and where the aims are not reached."""
    outside = [_words(row, what, low, high) for row in rows for what, (low, high) in AIMS.items()]
    outside += [
        f"number of dimensions right in {row['right_d']:.3f} ± {row['right_d_error']:.3f} ({_cell(row)})"
        for row in rows
        if row["signal_to_noise"] >= FROM and row["right_d"] < RIGHT
    ]
    biased = [
        f"{what.replace('_', ' ')} {row[f'{what}_bias']:+.2f} ({_cell(row)})"
        for row in rows
        for what in AIMS
        if abs(row.get(f"{what}_bias") or 0) > LARGE
    ]
    listed = "".join(f"\n- {one}" for one in outside if one) or " nothing."
    leaning = "".join(f"\n- {one}" for one in biased) or " none."
    return (
        "What is true is said in `studies/chain_truth.py`. Columns: coverage of nominal 95 % intervals over all tests, "
        "pairs or agents of a suite, ± Monte Carlo error (over suites); `bias` is the mean error over the root mean "
        "square error; `width` the mean width. `per dimension` lets the number of dimensions be found, `relative given "
        "d` is told it; lengths are complexities, and relative excesses where it says `by excess`. `easy`: how many "
        "tests nearly every network solves. `order said` is the mean probability given to the likelier order of two "
        "agents, `order right` how often it was right; then how often orders said with .85 to .95, and with .99 or "
        "more, were right (lengths of relative excess; through `aiq ... --json` complexities). Every space has "
        f"{DRAWS} replicates (through `aiq ... --json` 1000).\n\n"
        f"To reach: 93 to 97 % for each number, 90 to 98 % for the whole chain, the right number of dimensions in "
        f"{RIGHT:.0%} from a signal to noise of {FROM} on. Outside of it:{listed}\n\n"
        f"Biases above {LARGE:g} of the root mean square error:{leaning}"
    )


def _words(row: Row, what: str, low: float, high: float) -> str:
    """Return a sentence where a coverage lies outside of what is to be reached."""
    level, error = row.get(what), row.get(f"{what}_error")
    if level is None or error is None or low <= level <= high:
        return ""
    within = ", within two Monte Carlo errors" if low - 2 * error <= level <= high + 2 * error else ""
    return f"{what.replace('_', ' ')} {level:.3f} ± {error:.3f}{within} ({_cell(row)})"


def _cell(row: Row) -> str:
    """Return a cell's settings in words."""
    return (
        f"{row['tests']} tests, d = {row['d']}, {row['truth']}, {row['luck']} luck, pool of {row['pool']}, "
        f"{row['repetitions']} repetitions, signal to noise {row['signal_to_noise']:g}"
        + (f", {row['easy']} of the tests easy" if row["easy"] else "")
    )
