"""Records of a suite seen through results alone: no training, no space, no AIQ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiq.errors import InputError
from aiq.records.arrays import Floats, read_only
from aiq.records.estimate import Estimate
from aiq.records.results import Skipped
from aiq.records.table import Table

NOT_AIQ = (
    "this is not the AIQ of the paper: complexity, dissimilarity, dimensions and the AIQ of agents need policies "
    "trained on the tests (aiq complexity, aiq dissimilarity, aiq space); no number here needs training"
)


@dataclass(frozen=True, slots=True)
class TestReport:
    """What the results say of one test.

    ``difficulty``: 1 - expected performance of an agent of average ability, in [0, 1]. ``location``: ability (standard
    deviations of the agents' abilities) at which performance ``at`` is expected, None where no ability reaches it or
    all do. ``discrimination``: slope of the graded response model in ability, None where all agents are alike; where
    ``bound`` is ``lower`` or ``upper`` it stands at an end of what the library allows, and is no more than "at most"
    or "at least". ``rest_correlation``: rank correlation with the mean of the other tests, which may be negative.
    ``redundancy``: share of the variance over agents that the best single other test predicts on agents left out
    (below 0: worse than the mean), ``predicted_by`` that test. ``without``: rank correlation of the order of
    agents left out without this test with their order on all tests.
    """

    test: str
    mean: float
    difficulty: Estimate
    location: float | None
    discrimination: Estimate | None
    bound: str | None
    rest_correlation: float | None
    redundancy: Estimate | None
    predicted_by: str | None
    without: Estimate | None

    __test__ = False  # not a test of pytest

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        return {
            "test": self.test,
            "mean": self.mean,
            "difficulty": self.difficulty.value,
            "difficulty_interval": _pair(self.difficulty),
            "location": self.location,
            "discrimination": None if self.discrimination is None else self.discrimination.value,
            "discrimination_interval": _pair(self.discrimination),
            "discrimination_bound": self.bound,
            "rest_correlation": self.rest_correlation,
            "redundancy": None if self.redundancy is None else self.redundancy.value,
            "predicted_by": self.predicted_by,
            "rank_correlation_without": None if self.without is None else self.without.value,
            "rank_correlation_without_interval": _pair(self.without),
        }


@dataclass(frozen=True, slots=True)
class AgentReport:
    """What the results say of one agent: four means over the tests, its ability, and how far it is from the next.

    ``optimality_gap``: mean shortfall from performance 1. ``interquartile_mean``: mean of the middle half of all
    results. ``ability``: of the graded response model, None where it could not be fitted. ``difference``: mean
    performance minus that of the next agent, paired by test, its interval over tests like these; None for the last.
    """

    agent: str
    rank: int
    mean: Estimate
    median: Estimate
    interquartile_mean: Estimate
    optimality_gap: Estimate
    ability: float | None
    difference: Estimate | None
    difference_runs: Estimate | None

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        found: dict[str, object] = {"agent": self.agent, "rank": self.rank}
        for name in ("mean", "median", "interquartile_mean", "optimality_gap"):
            one = getattr(self, name)
            found |= {name: one.value, f"{name}_interval": _pair(one)}
        return found | {
            "ability": self.ability,
            "difference_to_next": None if self.difference is None else self.difference.value,
            "difference_interval": _pair(self.difference),
            "difference_interval_runs": _pair(self.difference_runs),
        }


@dataclass(frozen=True, slots=True)
class Detectable:
    """The smallest true difference of two agents' means that would be found with probability ``power``.

    ``over_tests``: for tests like these (paired Student test over ``tests`` tests at level ``alpha``). ``over_runs``:
    for exactly these tests, run again; None where neither repetitions nor standard errors are known. ``spread``:
    standard deviation over tests of the difference of two agents, pooled over all pairs.
    """

    over_tests: float | None
    over_runs: float | None
    spread: float
    tests: int
    pairs: int
    power: float
    alpha: float

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, eq=False)
class Reduction:
    """Rank correlation (Spearman) of agents left out between fewer tests and all of them.

    ``kept``: number of tests; ``correlation``, ``low``, ``high``: mean and central interval over random halves of
    the agents; ``order``: tests in the order in which they would be dropped when all agents choose.
    """

    kept: Floats
    correlation: Floats
    low: Floats
    high: Floats
    order: tuple[str, ...]
    halves: int

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for name in ("kept", "correlation", "low", "high"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        return {
            "kept": [int(k) for k in self.kept],
            "rank_correlation": self.correlation.tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "order": list(self.order),
            "halves": self.halves,
        }


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How much the order of the better half of agents changes as weaker agents join, by the rule that orders them.

    ``moved``: rule -> share of the pairs among the better half whose order differs from that without weaker agents:
    the mean and the largest over random choices of weaker agents.
    """

    moved: Mapping[str, tuple[float, float]]
    better: int
    weaker: int
    choices: int

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        rules = {rule: {"mean": mean, "largest": largest} for rule, (mean, largest) in self.moved.items()}
        return {"moved": rules, "better": self.better, "weaker": self.weaker, "choices": self.choices}


@dataclass(frozen=True, slots=True, eq=False)
class SuiteReport:
    """A suite seen through results alone."""

    tests: tuple[TestReport, ...]
    agents: tuple[AgentReport, ...]
    smallest_difference: Detectable
    reduction: Reduction | None
    sensitivity: Sensitivity | None
    at: float
    seed: int
    confidence: float
    warnings: tuple[str, ...]
    notes: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = field(default=())

    @property
    def n(self) -> int:
        """Number of agents."""
        return len(self.agents)

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        return {
            "tests": [test.as_dict() for test in self.tests],
            "agents": [agent.as_dict() for agent in self.agents],
            "smallest_difference": self.smallest_difference.as_dict(),
            "reduction": None if self.reduction is None else self.reduction.as_dict(),
            "sensitivity": None if self.sensitivity is None else self.sensitivity.as_dict(),
            "at": self.at,
            "is_aiq": False,
            "needs_training": NOT_AIQ,
            "confidence": self.confidence,
            "seed": self.seed,
            "notes": list(self.notes),
            "skipped": [{"name": one.name, "reason": one.reason} for one in self.skipped],
            "warnings": list(self.warnings),
        }

    def table(self, of: str = "tests") -> Table:
        """Return a table of the tests or of the agents.

        Raises:
            InputError: ``of`` is neither.
        """
        if of not in ("tests", "agents"):
            raise InputError(f"a suite has no table {of!r}; allowed are tests, agents")
        rows = [one.as_dict() for one in (self.tests if of == "tests" else self.agents)]
        flat = [{key: cell for name, value in row.items() for key, cell in _cells(name, value)} for row in rows]
        return Table.of(list(flat[0]), [list(row.values()) for row in flat])

    def to_frame(self, of: str = "tests") -> Any:
        """Return the tests or the agents as a pandas data frame.

        Raises:
            InputError: pandas is not installed, or ``of`` is neither.
        """
        try:
            import pandas
        except ImportError as error:
            raise InputError("data frames need pandas; install it with: pip install pandas") from error
        table = self.table(of)
        return pandas.DataFrame(list(table.rows), columns=list(table.columns))


def _cells(name: str, value: object) -> list[tuple[str, Any]]:
    """Return a value as cells: an interval as two."""
    if "interval" in name:
        low, high = value if isinstance(value, list) else (None, None)
        stem = name.replace("_interval", "")
        return [(f"{stem}_low", low), (f"{stem}_high", high)]
    return [(name, value)]


def _pair(estimate: Estimate | None) -> list[float] | None:
    return None if estimate is None or estimate.interval is None else list(estimate.interval)
