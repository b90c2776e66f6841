"""Records of a suite seen through results alone: no training, no space, no AIQ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from aiq.errors import InputError, choice
from aiq.records.estimate import Estimate, Floats, freeze, jsonable, plain
from aiq.records.observations import Skipped
from aiq.records.table import Table

NOT_AIQ = (
    "this is not the AIQ of the paper: complexity, dissimilarity, dimensions and the AIQ of agents need policies "
    "trained on the tests (aiq complexity, aiq dissimilarity, aiq space); no number here needs training"
)


@dataclass(frozen=True, slots=True)
class TestReport:
    """What the results say of one test, or of one item.

    ``difficulty``: 1 - expected performance of an agent of average ability, in [0, 1]. ``discrimination``: slope of the
    graded response model in ability, None where all agents are alike or too few. ``location``: ability (standard
    deviations of the agents' abilities) at which performance ``at`` is expected, None where no ability reaches it or
    all do. ``rest_correlation``: rank correlation with the mean of the others, which may be negative; ``suspicious``
    where it is surely so: good agents fail what bad ones pass, as where the key is wrong. ``redundancy``: share of the
    variance over agents that the best single other test, ``predicted_by``, predicts. ``rank_correlation_without``: of
    the order of agents left out without this test with their order on all.
    """

    test: str
    mean: float
    agents: int
    difficulty: Estimate
    discrimination: Estimate | None
    location: float | None
    rest_correlation: float | None
    suspicious: bool
    redundancy: Estimate | None
    predicted_by: str | None
    rank_correlation_without: Estimate | None

    __test__ = False  # not a test of pytest


@dataclass(frozen=True, slots=True)
class AgentReport:
    """What the results say of one agent.

    ``value``: where it stands on all tests, with its interval over tests (or items) like these; the mean where it has
    all tests, else adjusted for those it lacks, which may lead outside ``bounds``. ``rank``: place by ``value``, ties
    share the better one. ``rank_low`` and ``rank_high``: its simultaneous ranks. ``group``: 1 is the best. ``bounds``:
    the mean if all its missing scores were 0, and if they were 1. ``mean``, ``median``, ``interquartile_mean``,
    ``optimality_gap``: of the results that are there, with intervals over runs. ``ability``: of the graded response
    model.
    """

    agent: str
    rank: int
    rank_low: int
    rank_high: int
    group: int
    value: Estimate
    tests: int
    bounds: tuple[float, float]
    mean: Estimate
    median: Estimate
    interquartile_mean: Estimate
    optimality_gap: Estimate
    ability: float | None


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Two agents that follow each other: a before b.

    ``difference`` of their values with its own interval; ``p`` by itself, ``p_adjusted`` (Holm) among all neighbours,
    ``p_discovery`` (Benjamini and Hochberg). ``separable``: told apart, all such claims together at the level asked
    for.
    """

    a: str
    b: str
    difference: float
    interval: tuple[float, float] | None
    p: float | None
    p_adjusted: float | None
    p_discovery: float | None
    separable: bool


@dataclass(frozen=True, slots=True)
class Detectable:
    """The smallest true difference of two agents' means that would be found with probability ``power``.

    ``over_tests``: for tests like these at level ``alpha`` (paired Student test, cluster-robust; of answers of 0 and 1
    without clusters or gaps McNemar's exact test); None where all are in one cluster, or differences are the same on
    all. ``over_runs``: for exactly these tests, run again; None where neither repetitions nor standard errors are
    known. ``spread``: standard deviation over tests of the difference of two agents, pooled over all pairs, as if tests
    were independent.
    """

    over_tests: float | None
    over_runs: float | None
    spread: float
    tests: int
    clusters: int
    agents: int
    power: float
    alpha: float


@dataclass(frozen=True, slots=True)
class Needed:
    """How many tests (or items) like these find a true ``difference`` of two agents."""

    difference: float
    tests: int


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The difference of two agents on the items that both have: first - second.

    ``wins`` and ``losses``: items on which the first is above and below. ``bounds``: where the difference lies if
    scores that one of the two lacks could be anything in [0, 1]; None where none is lacking. ``smallest_difference``:
    the true difference that so many items find with probability ``power`` at level ``alpha``. ``share_of_epochs``: of
    the squared error, what more answers to the same items would take away; None where there is one answer an item.
    ``of``: what is counted, items or tests. ``decisions`` and ``skipped``: what was done to read the scores.
    """

    difference: float
    interval: tuple[float, float] | None
    p: float | None
    se: float | None
    df: float
    clusters: int
    items: int
    wins: int
    losses: int
    smallest_difference: float | None
    bounds: tuple[float, float] | None
    only_first: int
    only_second: int
    method: str
    confidence: float
    power: float
    alpha: float
    share_of_epochs: float | None = None
    a: str = ""
    b: str = ""
    of: str = "items"
    decisions: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        return plain(self)


@dataclass(frozen=True, slots=True, eq=False)
class Reduction:
    """How the order of agents left out holds with fewer tests.

    ``kept``: number of tests; ``rank_correlation``, ``low``, ``high``: Spearman's with the order on all tests, mean and
    central interval over random halves of the agents. ``verdicts``: share of the pairs that differ by 2 standard errors
    on all tests that keep their order, ``verdicts_low`` its lower end over halves. ``enough``: fewest tests that surely
    keep .95 of them. ``order``: tests in the order in which they are dropped when all agents choose.
    """

    kept: Floats
    rank_correlation: Floats
    low: Floats
    high: Floats
    verdicts: Floats
    verdicts_low: Floats
    enough: int | None
    order: tuple[str, ...]
    halves: int

    def __post_init__(self) -> None:
        freeze(self)


@dataclass(frozen=True, slots=True)
class Anchors:
    """Few tests by which a new agent is placed: its mean on all is ``start`` plus the weighted sum of its scores.

    ``error``: root mean squared error on agents left out of choice and weights; ``within``: how far off the mean is at
    most, for the share of agents that is the confidence. ``random_error``: of the plain mean of as many random tests.
    """

    tests: tuple[str, ...]
    weights: tuple[float, ...]
    start: float
    error: float
    within: float
    random_error: float
    agents: int


@dataclass(frozen=True, slots=True)
class Dimensions:
    """How many eigenvalues of the tests' correlations stand above chance, and the share of the first."""

    value: int
    interval: tuple[int, int]
    first_share: float
    first_share_interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Missing:
    """What is missing: ``cells`` of ``of``, the agents and tests with a gap, and whether weaker agents have more.

    ``rank_correlation``: of the agents' values with the share of tests they have; far from 0, gaps are no accident.
    """

    cells: int
    of: int
    agents: int
    tests: int
    rank_correlation: float | None

    @property
    def share(self) -> float:
        """Share of the cells."""
        return self.cells / self.of


@dataclass(frozen=True, slots=True, eq=False)
class SuiteReport:
    """A suite seen through results alone.

    ``agreement``: distances between tests by agreement of agents, (T, T); not the paper's dissimilarities.
    None where there are too many tests for all their pairs.
    ``beats``: whether the agent of a row is told to be above that of a column, best first, (A, A) or None where there
    are too many to be shown. ``summary``: three sentences that can be quoted.
    """

    by: str
    tests: tuple[TestReport, ...]
    agents: tuple[AgentReport, ...]
    neighbours: tuple[Neighbour, ...]
    smallest_difference: Detectable
    needed: tuple[Needed, ...]
    missing: Missing
    reduction: Reduction | None
    anchors: tuple[Anchors, ...]
    dimensions: Dimensions | None
    agreement: Floats | None
    beats: Floats | None
    ranks_by: str
    at: float
    seed: int
    confidence: float
    summary: tuple[str, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()

    @property
    def n(self) -> int:
        """Number of agents."""
        return len(self.agents)

    @property
    def groups(self) -> list[list[str]]:
        """Agents that follow each other and of whom no two are told apart, best group first."""
        groups: dict[int, list[str]] = {}
        for agent in self.agents:
            groups.setdefault(agent.group, []).append(agent.agent)
        return list(groups.values())

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        items = {}
        if self.by == "items":
            items = {"items": [{"item": test.test, **plain(test)} for test in self.tests]}
        results = ("by", "agents", "groups", "neighbours", "smallest_difference", "needed", "tests", "reduction")
        about = ("dimensions", "anchors", "ranks_by", "at", "confidence", "seed", "summary", "notes", "skipped")
        return {
            **plain(self, *results, *about, "warnings"),
            "missing": plain(self.missing) | {"share": self.missing.share},
            "ranks": {agent.agent: [agent.rank_low, agent.rank_high] for agent in self.agents},
            **items,
            "suspicious": [test.test for test in self.tests if test.suspicious],
            "is_aiq": False,
            "needs_training": NOT_AIQ,
        }

    def table(self, of: str = "tests") -> Table:
        """Return one of the tables ``TABLES`` (``beats`` is empty where it is not kept).

        Raises:
            InputError: there is no such table.
        """
        if of not in TABLES:
            raise InputError(choice("the table of a suite", of, TABLES))
        table: Table = TABLES[of](self)
        return table


def _flat(records: Sequence[Any], empty: Sequence[str]) -> Table:
    rows = [
        {key: cell for name, value in plain(record).items() for key, cell in _cells(name, value)} for record in records
    ]
    columns = list(dict.fromkeys(key for row in rows for key in row)) or list(empty)
    return Table.of(columns, [[row.get(key) for key in columns] for row in rows])


def _cells(name: str, value: object) -> list[tuple[str, Any]]:
    if "interval" in name or name == "bounds":
        low, high = value if isinstance(value, list) else (None, None)
        stem = name.replace("_interval", "").replace("interval", "difference")
        return [(f"{stem}_low", low), (f"{stem}_high", high)]
    if isinstance(value, list):
        value = "; ".join(f"{entry:.6g}" if isinstance(entry, float) else str(entry) for entry in value)
    return [(name, value)]


def _reduction(report: SuiteReport) -> Table:
    fewer = report.reduction
    columns = ("kept", "rank_correlation", "rank_correlation_low", "rank_correlation_high", "verdicts", "verdicts_low")
    rows: list[list[Any]] = []
    if fewer is not None:
        arrays = (fewer.rank_correlation, fewer.low, fewer.high, fewer.verdicts, fewer.verdicts_low)
        numbers = zip(*map(jsonable, arrays), strict=True)
        rows = [[int(k), *row, name] for k, row, name in zip(fewer.kept, numbers, fewer.order, strict=True)]
    return Table.of((*columns, "dropped_next"), rows)


def _agreement(report: SuiteReport) -> Table:
    names, matrix = [test.test for test in report.tests], report.agreement
    pairs = [] if matrix is None else [(i, j) for i in range(len(names)) for j in range(i)]
    rows = [(names[i], names[j], jsonable(matrix[i, j])) for i, j in pairs if matrix is not None]
    return Table.of(("a", "b", "distance_by_agreement"), rows)


def _beats(report: SuiteReport) -> Table:
    names = [agent.agent for agent in report.agents]
    above: Any = [] if report.beats is None else np.argwhere(report.beats > 0)
    return Table.of(("better", "worse"), [(names[i], names[j]) for i, j in above])


TABLES: Mapping[str, Any] = {
    "agents": lambda report: _flat(report.agents, ()),
    "neighbours": lambda report: _flat(report.neighbours, ("a", "b")),
    "tests": lambda report: _flat(report.tests, ()),
    "reduction": _reduction,
    "needed": lambda report: _flat(report.needed, ("difference", "tests")),
    "anchors": lambda report: _flat(report.anchors, ("tests", "weights")),
    "agreement": _agreement,
    "beats": _beats,
}
"""Name -> the table of that name; ``agreement`` is that of pairs of tests, ``beats`` that of pairs told apart."""
