"""What a headline must do, as numbers: every candidate on exact suites, and its bias and error on measured ones."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.stats import spearmanr

from aiq import seeding
from studies import headline_truth
from studies.headline_rivals import CHEAP, RULES, Given, values, volume_intervals
from studies.headline_truth import Cell, Measured, Suite

Floats = npt.NDArray[np.float64]
Row = dict[str, object]

CROWD = Cell(10, "decaying", 0, agents=12)


def exact(suite: Suite) -> Given:
    """Return a suite without errors."""
    return Given(suite.dissimilarity, suite.length, {}, {})


def as_measured(found: Measured) -> Given:
    """Return a suite as it was measured."""
    errors = {"dissimilarity_se": found.inner, "end_se": found.ends, "dissimilarity_df": found.df}
    return Given(found.signed, found.length, errors, {"length_se": found.covariance, "length_df": found.length_df})


def estimate_rows(cell: Cell, suites: int) -> list[Row]:
    """Return bias and root mean square error of every candidate against its own limit, the exact suite.

    The limit of ``volume (noise)`` is that of perfect data, in which every dimension stands above the noise.
    """
    rng = seeding.generator(2028, "rivals", *(str(word) for word in cell.words.values()))
    errors: dict[str, list[Floats]] = {measure: [] for measure in CHEAP}
    for _ in range(suites):
        suite = headline_truth.draw(cell, rng)
        found = headline_truth.measure(suite, cell, rng)
        seen, means = as_measured(found), found.samples.mean(axis=2)
        for measure in CHEAP:
            true = values(measure.replace("noise", "given") if cell.spectrum == "sharp" else _limit(measure),
                          exact(suite), suite.performance)  # fmt: skip
            errors[measure].append(values(measure, seen, means) - true)
    rows: list[Row] = []
    for measure, lists in errors.items():
        apart = np.concatenate(lists)
        there = np.isfinite(apart)
        rows.append(
            {"what": "estimate", **cell.words, "measure": measure, "suites": suites,
             "bias": float(apart[there].mean()), "rmse": float(np.sqrt((apart[there] ** 2).mean())),
             "undefined": float(1 - there.mean())}
        )  # fmt: skip
    return rows


def _limit(measure: str) -> str:
    """Return whose exact value a candidate tends to: all dimensions, for the noise rule in a decaying spectrum."""
    return "volume (all)" if measure == "volume (noise)" else measure


def demand_rows(suites: int, seconds: bool = True) -> list[Row]:
    """Return what each candidate does on exact suites, a row a demand and candidate."""
    rng = seeding.generator(2029, "demands")
    drawn = [headline_truth.draw(CROWD, rng) for _ in range(suites)]
    chance = rng.integers(1 << 31)
    rows: list[Row] = []
    for measure in (*CHEAP, "mean", "geometric"):
        source = np.random.default_rng(chance)
        for name, demand in DEMANDS.items():
            found = [demand(measure, suite, source) for suite in drawn]
            rows.append({"what": "demand", "demand": name, "measure": measure, "suites": suites,
                         "number": _mean(found)})  # fmt: skip
        if seconds:
            began = time.perf_counter()
            for suite in drawn[:5]:
                values(measure, exact(suite), suite.performance[:5])
            rows.append({"what": "demand", "demand": "milliseconds", "measure": measure, "suites": 5,
                         "number": 200 * (time.perf_counter() - began)})  # fmt: skip
    return rows


def _mean(numbers: npt.ArrayLike) -> float:
    """Return the mean of those numbers that there are, NaN where there is none."""
    found = np.asarray(numbers, dtype=np.float64)
    found = found[np.isfinite(found)]
    return float(found.mean()) if found.size else float("nan")


def volume_rows(cell: Cell, suites: int) -> list[Row]:
    """Return what the intervals of the volume per dimension hold of its exact value."""
    rng = seeding.generator(2030, "volume", *(str(word) for word in cell.words.values()))
    hits: dict[str, list[float]] = {"volume (share)": [], "volume (noise)": []}
    for seed in range(suites):
        suite = headline_truth.draw(cell, rng)
        found = headline_truth.measure(suite, cell, rng)
        for measure, list_ in hits.items():
            true = values(_limit(measure), exact(suite), suite.performance)
            _, low, high = volume_intervals(as_measured(found), found.samples, RULES[measure], seed).T
            list_ += list(((low <= true) & (true <= high)).astype(float))
    return [{"what": "coverage", **cell.words, "measure": measure, "suites": suites, "value": _mean(list_)}
            for measure, list_ in hits.items()]  # fmt: skip


def _everywhere(measure: str, suite: Suite, rng: np.random.Generator) -> float:
    v = rng.uniform(0.1, 0.9)
    return float(np.abs(values(measure, exact(suite), np.full((1, len(suite.length)), v)) - v)[0])


def _falls(measure: str, suite: Suite, rng: np.random.Generator) -> float:
    """Share of agents whose value falls when one performance rises."""
    better = suite.performance.copy()
    at = rng.integers(better.shape[1], size=len(better))
    better[np.arange(len(better)), at] = rng.uniform(better[np.arange(len(better)), at], 1)
    before, after = (values(measure, exact(suite), v) for v in (suite.performance, better))
    return float((after < before - 1e-9).mean())


def _copied(times: int, cosine: float = 1.0) -> Callable[[str, Suite, np.random.Generator], float]:
    """Return the mean change of a value where one test gets so many copies at this cosine."""

    def change(measure: str, suite: Suite, rng: np.random.Generator) -> float:
        i, n = int(rng.integers(2, len(suite.length))), len(suite.length)
        again = [*range(n), *[i] * times]
        cosines = suite.cosines[np.ix_(again, again)] * np.where(np.equal.outer(again, again), cosine, np.sqrt(cosine))
        cosines[:n, :n] = suite.cosines
        np.fill_diagonal(cosines, 1.0)
        grown = Suite(cosines, suite.length[again], suite.performance[:, again])
        before, after = (values(measure, exact(one), one.performance) for one in (suite, grown))
        return _mean(np.abs(after - before))

    return change


def _empty(measure: str, suite: Suite, rng: np.random.Generator) -> float:
    """Return the mean change of a value by a test that any network solves."""
    n = len(suite.length)
    cosines = np.eye(n + 1)
    cosines[:n, :n] = suite.cosines
    grown = Suite(
        cosines, np.append(suite.length, 0.0), np.column_stack([suite.performance, np.ones(len(suite.performance))])
    )
    before, after = (values(measure, exact(one), one.performance) for one in (suite, grown))
    return _mean(np.abs(after - before))


def _uneven(measure: str, suite: Suite, rng: np.random.Generator) -> float:
    """Return how far an agent of ones and zeros lies above one that is even at their weighted mean (M1's)."""
    pattern = (rng.permutation(len(suite.length)) % 2 == 0).astype(float)[None]
    level = values("M1", exact(suite), pattern)
    return float(values(measure, exact(suite), pattern)[0] - level[0])


def _order_kept(measure: str, suite: Suite, rng: np.random.Generator) -> float:
    """Return the rank correlation of the agents' order with that on all tests but one."""
    gone = int(rng.integers(2, len(suite.length)))
    rest = np.delete(np.arange(len(suite.length)), gone)
    fewer = Suite(suite.cosines[np.ix_(rest, rest)], suite.length[rest], suite.performance[:, rest])
    return _agreement(
        values(measure, exact(suite), suite.performance), values(measure, exact(fewer), fewer.performance)
    )


def _with(other: str) -> Callable[[str, Suite, np.random.Generator], float]:
    """Return the rank correlation with another measure."""

    def agree(measure: str, suite: Suite, rng: np.random.Generator) -> float:
        return _agreement(*(values(one, exact(suite), suite.performance) for one in (measure, other)))

    return agree


def _agreement(first: Floats, second: Floats) -> float:
    return float(spearmanr(first, second).statistic) if np.isfinite(first + second).all() else np.nan


DEMANDS: dict[str, Callable[[str, Suite, np.random.Generator], float]] = {
    "v everywhere: error": _everywhere,
    "falls when a performance rises: share": _falls,
    "1 copy: change": _copied(1),
    "3 copies: change": _copied(3),
    "10 copies: change": _copied(10),
    "3 near copies (.98): change": _copied(3, 0.98),
    "10 near copies (.98): change": _copied(10, 0.98),
    "empty test: change": _empty,
    "uneven over even": _uneven,
    "one test dropped: order kept": _order_kept,
    "agreement with volume (given)": _with("volume (given)"),
    "agreement with mean": _with("mean"),
    "agreement with geometric mean": _with("geometric"),
}
