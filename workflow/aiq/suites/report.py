"""What results alone say of a suite: its tests, the order of the agents, and what it can tell apart."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.records.estimate import Estimate
from aiq.records.results import Result, Results
from aiq.records.suite_report import AgentReport, SuiteReport, TestReport
from aiq.seeding import generator
from aiq.stats import percentile_interval
from aiq.suites import differences, redundancy, response, sentences, weaker
from aiq.suites.aggregates import AGGREGATES, aggregate

Floats = npt.NDArray[np.float64]

AGENTS_FOR_HALVES = 6
AGENTS_FOR_PREDICTION = 4


@dataclass(frozen=True, slots=True)
class _Case:
    """Complete results and how they are to be looked at."""

    results: Results
    means: Floats
    variance: Floats
    resamples: int
    halves: int
    at: float
    power: float
    alpha: float
    confidence: float
    seed: int

    def rng(self, *key: str) -> np.random.Generator:
        """Return the generator of one part."""
        return generator(self.seed, "suite", *key)

    def estimate(self, value: float, replicates: Iterable[float] | None, method: str) -> Estimate:
        """Return a value with the percentile interval of its replicates."""
        kept = None if replicates is None else np.fromiter(replicates, dtype=np.float64)
        interval = None if kept is None else percentile_interval(kept, self.confidence)
        return Estimate(value, interval, len(self.results.agents), method, self.seed, self.confidence)


def suite(
    results: Results | Any,
    *,
    missing: str = "refuse",
    at: float = 0.5,
    power: float = 0.8,
    alpha: float = 0.05,
    resamples: int = 200,
    halves: int = 50,
    confidence: float = 0.95,
    seed: int = 0,
) -> SuiteReport:
    """Return what results of agents on tests say of the tests, the agents and the suite. This is not AIQ.

    Args:
        results: what ``aiq.readers.read`` returns, or a pandas data frame in [0, 1]: agents in the index, tests in
            the columns, or the columns agent, domain, performance (and repetition, se).
        missing: the rule for missing cells: ``refuse``, leave out ``agents`` or ``domains``, or ``zero``.
        at: performance whose location (the ability at which it is expected) is given for each test.
        power: probability with which the smallest detectable difference is found.
        alpha: level of that test.
        resamples: bootstrap resamples of agents, and of runs.
        halves: random halves of the agents for the dropping of tests, and choices of weaker agents.
        confidence: of the intervals.
        seed: root of the resampling.

    Raises:
        InputError: fewer than three agents or two tests, missing cells under ``refuse``, settings out of range, or
            the library for item response theory is missing.
    """
    for name, value in (("at", at), ("power", power), ("alpha", alpha), ("confidence", confidence)):
        if not 0 < value < 1:
            raise InputError(f"{name} is {value:g}; it must lie between 0 and 1")
    if min(resamples, halves) < 2:
        raise InputError(f"resamples is {resamples} and halves {halves}; both must be at least 2")
    if missing == "keep":
        raise InputError("missing cells cannot be kept by aiq suite; allowed are refuse, agents, domains, zero")
    found = (results if isinstance(results, Results) else from_frame(results)).complete(missing)
    if len(found.agents) < 3 or len(found.domains) < 2:
        raise InputError(
            f"the results have {len(found.agents)} agents and {len(found.domains)} tests; at least 3 agents and 2 "
            "tests are needed"
        )
    case = _Case(
        found, found.matrix(), _variances(found), resamples, halves, at, power, alpha, confidence, seed
    )  # fmt: skip
    enough = len(found.agents) >= response.FEWEST
    fitted = response.fit(case.means, at) if enough else None
    tests = _tests(case, fitted)
    agents = _agents(case, fitted)
    smallest = differences.detectable(case.means, case.variance, power, alpha)
    halved = len(found.agents) >= AGENTS_FOR_HALVES
    reduction = None
    if halved:
        reduction = redundancy.reduce(case.means, found.domains, halves, confidence, case.rng("halves"))
    moved = weaker.sensitivity(case.means, halves, case.rng("weaker")) if len(found.agents) >= 4 else None
    said = sentences.warnings(case.means, tests, agents, smallest, enough)
    return SuiteReport(
        tests, agents, smallest, reduction, moved, at, seed, confidence, said, found.notes, found.skipped
    )


def from_frame(frame: Any) -> Results:
    """Return results of a pandas data frame, wide or long; empty cells are missing.

    Raises:
        InputError: it is no data frame, or a cell is no performance in [0, 1].
    """
    if not hasattr(frame, "columns") or not hasattr(frame, "iterrows"):
        raise InputError(f"results are {type(frame).__name__}; give what aiq.read returns, or a pandas data frame")
    long = {"agent", "domain", "performance"} <= set(frame.columns)
    try:
        return Results.of(_long(frame) if long else _wide(frame), format="data frame")
    except ValueError as error:
        raise InputError(f"the data frame cannot be used: {error}") from error


def _long(frame: Any) -> Iterable[Result]:
    """Yield the rows of a long data frame."""
    for place, row in enumerate(frame.to_dict("records")):
        if not math.isnan(value := float(row["performance"])):
            se = float(row.get("se", math.nan))
            repetition = _name(row["repetition"], "repetition", place) if "repetition" in row else ""
            error = None if math.isnan(se) else se
            agent, domain = (_name(row[column], column, place) for column in ("agent", "domain"))
            yield Result(agent, domain, value, error, repetition)


def _wide(frame: Any) -> Iterable[Result]:
    """Yield the cells of a wide data frame."""
    table = frame.set_index("agent") if "agent" in frame.columns else frame
    for place, (cell, row) in enumerate(table.iterrows()):
        agent = _name(cell, "agent", place)
        for domain, value in row.items():
            try:
                number = float(value)
            except (TypeError, ValueError) as error:
                raise InputError(f"the performance of {agent} on {domain} is {value!r}, no number") from error
            if not math.isnan(number):
                yield Result(agent, str(domain), number)


def _name(cell: object, column: str, place: int) -> str:
    """Return a cell as a name.

    Raises:
        InputError: it is empty, or what pandas puts for nothing.
    """
    from pandas import isna

    if isna(cell) or not str(cell).strip():
        raise InputError(f"the data frame row {place} (counted from 0): {column} is empty; every row needs one")
    return str(cell)


def _variances(results: Results) -> Floats:
    """Return the variance of each mean over runs, (A, T): from repetitions, else the stated error, else NaN."""
    found = results.errors() ** 2
    for i, agent in enumerate(results.agents):
        for j, domain in enumerate(results.domains):
            runs = results.repetitions(agent, domain)
            if runs.size > 1:
                found[i, j] = runs.var(ddof=1) / runs.size
    return found


def _tests(case: _Case, fitted: response.Responses | None) -> tuple[TestReport, ...]:
    """Return what is said of every test."""
    means, names = case.means, case.results.domains
    drawn = None
    if fitted is not None:
        drawn = response.resampled(means, case.resamples, case.rng("agents"))
    share, by = np.full(len(names), np.nan), np.full(len(names), -1)
    if len(means) >= AGENTS_FOR_PREDICTION:
        share, by = redundancy.predicted(means)
    without = None
    if len(means) >= AGENTS_FOR_HALVES and len(names) > 2:
        without = redundancy.without_each(means, case.halves, case.rng("without"))
    return tuple(
        _test(case, j, fitted, drawn, (float(share[j]), int(by[j])), None if without is None else without[:, j])
        for j in range(len(names))
    )


def _test(
    case: _Case,
    j: int,
    fitted: response.Responses | None,
    drawn: tuple[Floats, Floats] | None,
    prediction: tuple[float, int],
    without: Floats | None,
) -> TestReport:
    """Return what is said of one test."""
    means, names = case.means, case.results.domains
    rest = float(redundancy.rank_correlation(means[:, j], np.delete(means, j, axis=1).mean(axis=1)))
    slope = location = None
    difficulty = case.estimate(1 - float(means[:, j].mean()), None, "1 - mean performance: too few agents for a model")
    if fitted is not None and drawn is not None:
        words = "graded response model (mirt), bootstrap of agents"
        difficulty = case.estimate(float(fitted.difficulty[j]), drawn[0][:, j], words)
        if np.isfinite(fitted.discrimination[j]):
            slope = case.estimate(float(fitted.discrimination[j]), drawn[1][:, j], words)
        location = float(fitted.location[j]) if np.isfinite(fitted.location[j]) else None
    share, by = prediction
    ranked = None
    if without is not None and np.isfinite(without).any():
        ranked = case.estimate(float(np.nanmean(without)), without, "mean over random halves of the agents")
    return TestReport(
        test=names[j],
        mean=float(means[:, j].mean()),
        difficulty=difficulty,
        location=location,
        discrimination=slope,
        bound=None if slope is None else response.bound(slope.value),
        rest_correlation=rest if math.isfinite(rest) else None,
        redundancy=case.estimate(share, None, "best other test, each agent left out") if np.isfinite(share) else None,
        predicted_by=names[by] if by >= 0 else None,
        without=ranked,
    )


def _agents(case: _Case, fitted: response.Responses | None) -> tuple[AgentReport, ...]:
    """Return what is said of every agent, best mean first."""
    means = case.means
    order = sorted(range(len(means)), key=lambda i: (-means[i].mean(), case.results.agents[i]))
    reports: list[AgentReport] = []
    for place, i in enumerate(order):
        following = order[place + 1] if place + 1 < len(order) else None
        apart = runs = None
        if following is not None:
            apart = differences.over_tests(means[i], means[following], case.confidence)
            both = case.variance[i] + case.variance[following]
            runs = differences.over_runs(means[i], means[following], both, case.confidence)
        above = reports[-1] if reports else None
        tied = above is not None and above.mean.value == means[i].mean()
        rank = above.rank if tied and above is not None else place + 1
        ability = None if fitted is None or not np.isfinite(fitted.ability[i]) else float(fitted.ability[i])
        reports.append(
            AgentReport(
                agent=case.results.agents[i],
                rank=rank,
                ability=ability,
                difference=apart,
                difference_runs=runs,
                **_four(case, i),
            )
        )
    return tuple(reports)


def _four(case: _Case, i: int) -> dict[str, Estimate]:
    """Return the four aggregates of one agent."""
    agent = case.results.agents[i]
    runs = [case.results.repetitions(agent, domain) for domain in case.results.domains]
    errors = case.results.errors()[i]
    return {
        name: aggregate(name, runs, errors, max(case.resamples, 200), case.confidence, case.seed, case.rng(agent, name))
        for name in AGGREGATES
    }
