"""Suites seen through results alone: no training, no space, no AIQ.

What results say of a suite: its tests, the order of the agents, and what it can tell apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr, stdtrit

from aiq.config.measures import CONFIDENCE, DIFFERENCES, OfSuites
from aiq.errors import InputError
from aiq.records.estimate import Estimate, Floats
from aiq.records.observations import Observations
from aiq.records.suite_report import AgentReport, Anchors, Dimensions, Missing, Neighbour, SuiteReport, TestReport
from aiq.records.table import counted
from aiq.seeding import generator
from aiq.settings import default_of
from aiq.stats.clusters import benjamini_hochberg
from aiq.suites import fewer, relations, response, sentences
from aiq.suites import leaderboard as boards
from aiq.suites import scores as arrays
from aiq.suites.paired import paired_difference as paired_difference
from aiq.suites.scores import Scores, aggregates, turned

AGENTS_FOR_HALVES = 6
AGENTS_FOR_ANCHORS = 20
ANCHORS = (3, 5, 10, 20)
FEW_VALUES = 25  # of shares of a few trials
MOST_WEIGHTS = 4  # tests whose number of items is named
SUSPECTED = 0.05  # share of wrongly suspected items among those named


@dataclass(frozen=True, slots=True, eq=False)
class _Case:
    """Results as arrays and how they are to be looked at."""

    scores: Scores
    board: boards.Leaderboard
    fitted: response.Responses | None
    at: float
    confidence: float
    seed: int

    def rng(self, *key: str) -> np.random.Generator:
        """Return the generator of one part."""
        return generator(self.seed, "suite", *key)

    def estimate(self, value: float, low: float, high: float, n: int, method: str) -> Estimate | None:
        """Return a number with its interval; None where there is no number, no interval where an end is none."""
        if not np.isfinite(value):
            return None
        interval = (float(low), float(high)) if np.isfinite(low) and np.isfinite(high) else None
        return Estimate(float(value), interval, n, method, self.seed, self.confidence)


def suite(
    results: Observations,
    *,
    by: str | None = None,
    cluster: str | None = None,
    items_in: str | None = None,
    missing: str = "keep",
    at: float = default_of(OfSuites, "at"),
    power: float = default_of(OfSuites, "power"),
    alpha: float = default_of(OfSuites, "alpha"),
    differences: Sequence[float] = DIFFERENCES,
    resamples: int = default_of(OfSuites, "resamples"),
    halves: int = default_of(OfSuites, "halves"),
    confidence: float = CONFIDENCE,
    seed: int = 0,
) -> SuiteReport:
    """Return what results of agents on tests say of the tests, the agents and the suite. This is not AIQ.

    Args:
        results: what ``aiq.readers.read`` returns.
        by: ``tests`` or ``items``; None: items where there are items, or where every score is 0 or 1.
        cluster: the column that says which items belong together; None: ``cluster`` where items have it.
        items_in: ``rows`` where the rows of a table are items and its columns agents; None or ``columns`` otherwise.
        missing: missing cells: ``keep`` them (values are adjusted for what is missing, and bounds are given),
            ``refuse``, leave out ``agents`` or ``domains`` that have one, or ``zero``.
        at: performance whose location (the ability at which it is expected) is given for each test.
        power: probability with which the smallest detectable difference is found.
        alpha: level of that test, and of the claims about neighbours all together.
        differences: sizes of differences for which the number of tests needed is given.
        resamples: bootstrap resamples of runs.
        halves: random halves of the agents for the dropping of tests.
        confidence: of the intervals.
        seed: root of the resampling.

    Raises:
        InputError: fewer than three agents or two tests, missing cells under ``refuse``, or settings out of range.
    """
    _check(at, power, alpha, confidence, resamples, halves, differences, items_in)
    observed = (turned(results) if items_in == "rows" else results).complete(missing)
    table = arrays.scores(observed, by, cluster)
    if len(table.agents) < 3 or len(table.tests) < 2:
        raise InputError(
            f"the results have {counted(len(table.agents), 'agent')} and {counted(len(table.tests), table.by[:-1])}; "
            f"at least 3 agents and 2 {table.by} are needed"
        )
    boards.check_connected(~np.isnan(table.values), table.of)
    fitted = response.fit(table.values, at) if len(table.agents) >= response.FEWEST else None
    case = _Case(table, boards.leaderboard(table.values, table.clusters), fitted, at, confidence, seed)
    return _report(case, observed, power, alpha, tuple(differences), resamples, halves)


def _check(
    at: float, power: float, alpha: float, confidence: float, resamples: int, halves: int,
    differences: Sequence[float], items_in: str | None,
) -> None:  # fmt: skip
    for name, value in (("at", at), ("power", power), ("alpha", alpha), ("confidence", confidence)):
        if not 0 < value < 1:
            raise InputError(f"{name} is {value:g}; it must lie between 0 and 1")
    if power <= alpha:
        raise InputError(f"power is {power:g} and alpha {alpha:g}; the power must be larger")
    if min(resamples, halves) < 2:
        raise InputError(f"resamples is {resamples} and halves {halves}; both must be at least 2")
    for size in differences:
        if not 0 < size <= 1:
            raise InputError(f"a difference is {size:g}; it must lie between 0 and 1")
    if items_in not in (None, "rows", "columns"):
        raise InputError(f"items_in is {items_in!r}; allowed are rows, columns")


def _report(
    case: _Case, observed: Observations, of_power: float, alpha: float, sizes: tuple[float, ...], resamples: int,
    halves: int,
) -> SuiteReport:  # fmt: skip
    table, board = case.scores, case.board
    rounded = np.round(board.value, 12)
    order = np.array(sorted(range(len(rounded)), key=lambda i: (-rounded[i], table.agents[i])), dtype=np.int64)
    ranks = boards.ranks(board, order, case.confidence, case.rng("signs"))
    reduction, without = None, None
    paired = len(table.tests) <= relations.MOST
    if paired and len(table.agents) >= AGENTS_FOR_HALVES:
        reduction, without = fewer.reduce(table.values, board, table.tests, halves, case.confidence, case.rng("halves"))
    tests = _tests(case, without)
    agents = _agents(case, order, ranks, resamples)
    neighbours = _neighbours(case, order, alpha)
    count = len(table.tests)
    # neighbours have McNemar's exact p: answers of 0 and 1 to items that are clusters of their own
    exact = board.clusters == count and bool(np.isin(table.values, (0.0, 1.0)).all())
    smallest = fewer.detectable(board, table.noise, count, of_power, alpha, exact)
    missing = _missing(table, board)
    anchors: tuple[Anchors, ...] = ()
    if not missing.cells and len(table.agents) >= AGENTS_FOR_ANCHORS:
        chosen = tuple(size for size in ANCHORS if size < count)
        anchors = fewer.anchors(table.values, table.tests, chosen, case.confidence, case.rng("anchors"))
    measured = relations.dimensions(table.values, case.confidence, case.rng("dimensions"), case.fitted)
    report = SuiteReport(
        by=table.by, tests=tests, agents=agents, neighbours=neighbours, smallest_difference=smallest,
        needed=fewer.needed(board, count, sizes, of_power, alpha, exact), missing=missing, reduction=reduction,
        anchors=anchors, dimensions=measured, agreement=relations.distances(table.values) if paired else None,
        beats=None if ranks.beats is None else ranks.beats[np.ix_(order, order)].astype(np.float64),
        ranks_by=ranks.method, at=case.at, seed=case.seed, confidence=case.confidence, summary=(), warnings=(),
        notes=(*observed.decisions, *_weights(table), *_steps(table, measured)), skipped=observed.skipped,
    )  # fmt: skip
    return replace(report, summary=sentences.summary(report), warnings=sentences.warnings(report))


def _weights(table: Scores) -> tuple[str, ...]:
    """Return how much each test counts where items count and tests have unequal numbers of them."""
    items = Counter(table.of)
    if table.by != "items" or len(set(items.values())) < 2:
        return ()
    weights = ", ".join(f"{count:,} of {test}" for test, count in items.most_common(MOST_WEIGHTS))
    more = len(items) - MOST_WEIGHTS
    rest = f" and those of {counted(more, 'other test')}" if more > 0 else ""
    return (f"each item counts once: {weights}{rest}; --by tests gives each test the same weight",)


def _steps(table: Scores, measured: Dimensions | None) -> tuple[str, ...]:
    """Return that difficulties may count as abilities, where scores are shares of a few trials."""
    values = np.unique(table.values[~np.isnan(table.values)].round(9)).size
    if measured is None or measured.value < 2 or not 2 < values <= FEW_VALUES:
        return ()
    return (
        f"scores take only {values} values, as shares of few trials do: how difficult tests are may count as ability",
    )


def _tests(case: _Case, without: Floats | None) -> tuple[TestReport, ...]:
    table, fitted, level = case.scores, case.fitted, case.confidence
    count = (~np.isnan(table.values)).sum(axis=0)
    mean = np.nansum(table.values, axis=0) / count
    rest, suspicious = _rest(table.values)
    share, low, high = np.full((3, len(table.tests)), np.nan)
    by = np.full(len(table.tests), -1, dtype=np.int64)
    if len(table.tests) <= relations.MOST:
        share, low, high, by = relations.predicted(table.values, level)
    z = stdtrit(np.inf, (1 + level) / 2)
    tail = (1 - level) / 2
    reports = []
    for j, name in enumerate(table.tests):
        n = int(count[j])
        difficulty = case.estimate(1 - mean[j], np.nan, np.nan, n, "1 - mean performance: no model")
        slope, location = None, None
        if fitted is not None and np.isfinite(fitted.discrimination[j]):
            value, half = fitted.difficulty[j], z * fitted.difficulty_error[j]
            ends = max(value - half, 0.0), min(value + half, 1.0)
            difficulty = case.estimate(value, *ends, n, "graded response model, over agents like these")
            value, half = fitted.discrimination[j], z * fitted.discrimination_error[j]
            slope = case.estimate(value, value - half, value + half, n, "graded response model")
            location = _known(fitted.location[j])
        ranked = None
        if without is not None and np.isfinite(without[:, j]).any():
            mine = without[:, j][np.isfinite(without[:, j])]
            lower, upper = np.quantile(mine, [tail, 1 - tail])
            ranked = case.estimate(mine.mean(), lower, upper, n, "mean over random halves of the agents")
        assert difficulty is not None
        reports.append(TestReport(
            test=name, mean=float(mean[j]), agents=n, difficulty=difficulty, discrimination=slope, location=location,
            rest_correlation=_known(rest[j]), suspicious=bool(suspicious[j]),
            redundancy=case.estimate(share[j], low[j], high[j], n, "squared correlation, given it is the best"),
            predicted_by=table.tests[by[j]] if by[j] >= 0 else None, rank_correlation_without=ranked,
        ))  # fmt: skip
    return tuple(reports)


def _rest(values: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return rank correlations of each test with the mean of the others, and which are surely below 0.

    Agents that are equal in every score may be one under several names: they count once, but for answers of 0 and 1, of
    which many are equal by chance.
    """
    if not np.isin(values[~np.isnan(values)], (0.0, 1.0)).all():
        values = values[np.sort(np.unique(values, axis=0, return_index=True)[1])]
    level, there = relations.levelled(values), ~np.isnan(values)
    others = np.maximum(there.sum(axis=1)[:, None] - there, 1)
    rest = (level.sum(axis=1)[:, None] - level) / others
    correlation, p = np.full(values.shape[1], np.nan), np.full(values.shape[1], np.nan)
    for j in range(values.shape[1]):
        mine = there[:, j] & (there.sum(axis=1) > 1)
        n = int(mine.sum())
        if n > 3:
            r = float(fewer.rank_correlation(values[mine, j], rest[mine, j]))
            correlation[j] = r
            p[j] = stdtr(n - 2, r * np.sqrt((n - 2) / max(1 - r**2, 1e-12)))
    return correlation, np.nan_to_num(benjamini_hochberg(p), nan=1.0) <= SUSPECTED


def _agents(case: _Case, order: npt.NDArray[np.int64], ranks: boards.Ranks, resamples: int) -> tuple[AgentReport, ...]:
    table, board = case.scores, case.board
    means = aggregates(table.values, table.runs, table.noise, resamples, case.confidence, case.rng("runs"))
    runs = np.ones(len(order)) if table.runs is None else np.nanmin(
        np.where(np.isnan(table.values), np.nan, (~np.isnan(table.runs)).sum(axis=2)), axis=1
    )  # fmt: skip
    how = "bootstrap of runs within tests, percentiles" if table.runs is not None else "normal draws of errors"
    count = (~np.isnan(table.values)).sum(axis=1)
    low, high = boards.intervals(board, table.values, case.confidence)
    rounded = np.round(board.value, 12)
    better = np.searchsorted(np.sort(-rounded), -rounded)
    reports = []
    for i in order:
        value = case.estimate(board.value[i], low[i], high[i], int(count[i]), f"over {table.by} like these")
        four = {name: case.estimate(v[i], a[i], b[i], int(runs[i]), how) for name, (v, a, b) in means.items()}
        assert value is not None
        reports.append(AgentReport(
            agent=table.agents[i], rank=int(better[i]) + 1, rank_low=int(ranks.low[i]), rank_high=int(ranks.high[i]),
            group=int(ranks.group[i]) + 1, value=value, tests=int(count[i]),
            bounds=(float(board.low[i]), float(board.high[i])),
            ability=None if case.fitted is None else _known(case.fitted.ability[i]), **four,  # type: ignore[arg-type]
        ))  # fmt: skip
    return tuple(reports)


def _neighbours(case: _Case, order: npt.NDArray[np.int64], alpha: float) -> tuple[Neighbour, ...]:
    table = case.scores
    single = case.board.clusters == len(table.tests)
    numbers = boards.neighbours(table.values, case.board, order, single, case.confidence)
    neighbours = []
    for k, (a, b) in enumerate(pairwise(order)):
        low, high, p, adjusted, discovery = (
            _known(numbers[name][k]) for name in ("low", "high", "p", "p_adjusted", "p_discovery")
        )
        interval = None if low is None or high is None else (low, high)
        separable = adjusted is not None and adjusted <= alpha
        difference = float(numbers["difference"][k])
        neighbours.append(
            Neighbour(table.agents[a], table.agents[b], difference, interval, p, adjusted, discovery, separable)
        )
    return tuple(neighbours)


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _missing(table: Scores, board: boards.Leaderboard) -> Missing:
    gone = np.isnan(table.values)
    related = None
    if gone.any() and np.ptp(gone.sum(axis=1)) > 0 and np.ptp(board.value) > 0:
        related = float(fewer.rank_correlation(board.value, -gone.sum(axis=1).astype(np.float64)))
    return Missing(int(gone.sum()), int(gone.size), int(gone.any(axis=1).sum()), int(gone.any(axis=0).sum()), related)
