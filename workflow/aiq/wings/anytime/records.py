"""Records of the anytime intelligence test: one administered test, its trace and what it reduces to."""

from __future__ import annotations

import math
from dataclasses import dataclass

from aiq.records.estimate import Estimate

STATUSES = ("budget", "exhausted", "stopped", "failed")
"""Why a test ended: budget spent, no environments left, the examinee stopped it, the examinee failed."""


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One environment that the examinee finished.

    ``environment`` names it within its class; ``complexity`` H; ``level``, ``next_level``: ξ before and
    after; ``allowance``: n interactions, or τ seconds; ``interactions`` completed; ``reward`` R in
    [−1, 1]; ``spent``: interactions, or seconds, since the test began.
    """

    environment: str
    complexity: float
    level: float
    next_level: float
    allowance: float
    interactions: int
    reward: float
    spent: float

    def __post_init__(self) -> None:
        """Refuse a reward that is not in [−1, 1]."""
        if not -1 <= self.reward <= 1:
            raise ValueError(f"the mean reward {self.reward} in {self.environment} is outside [−1, 1]")


@dataclass(frozen=True, slots=True)
class Interruption:
    """The environment in which the test ended; it does not count. ``reward``: mean so far, None before any."""

    environment: str
    complexity: float
    allowance: float
    interactions: int
    reward: float | None


@dataclass(frozen=True, slots=True)
class AnytimeRun:
    """One administered test. ``measure``: ``interactions`` (Definition 19) or ``seconds`` (Definition 18)."""

    agent: str
    environments: str
    measure: str
    budget: float
    root: int
    repetition: int
    status: str
    rows: tuple[TraceRow, ...]
    interruption: Interruption | None
    level: float

    def __post_init__(self) -> None:
        """Refuse unknown words and a trace that uses an environment twice."""
        if self.measure not in ("interactions", "seconds") or self.status not in STATUSES:
            raise ValueError(f"unknown measure {self.measure!r} or status {self.status!r}")
        names = [row.environment for row in self.rows]
        if len(set(names)) != len(names):
            raise ValueError("a test used an environment twice")

    @property
    def upsilon(self) -> float:
        """Υ, the mean of R over the finished environments; NaN before the first is finished."""
        return sum(row.reward for row in self.rows) / len(self.rows) if self.rows else math.nan


@dataclass(frozen=True, slots=True)
class BudgetPoint:
    """State of a set of repeated tests at one budget: Υ, ξ, and how many tests had finished no environment."""

    agent: str
    environments: str
    measure: str
    budget: float
    upsilon: Estimate
    level: Estimate
    unfinished: int


@dataclass(frozen=True, slots=True)
class ComplexityReward:
    """Mean R of one agent in environments with ``low`` ≤ H < ``high``."""

    agent: str
    environments: str
    low: float
    high: float
    estimate: Estimate
