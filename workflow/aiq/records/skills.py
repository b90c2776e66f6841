"""Records of the mean over independent skills: what each test of a suite counts, and the agents' values by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from aiq.records.arrays import Floats, freeze
from aiq.records.estimate import Estimate

_BY_TEST = ("length", "counted", "uniqueness", "uniqueness_replicates")


@dataclass(frozen=True, slots=True)
class TestWeight:
    """What one test counts.

    ``weight``: its share of all weights, in [0, 1]; ``hardness``: its length as measured (relative excess), below 0
    only by noise; ``uniqueness``: in (0, 1], 1 where no other test is like it. ``why``: the two in words.
    """

    __test__ = False  # for pytest: no test of its own

    domain: str
    weight: Estimate
    hardness: Estimate
    uniqueness: Estimate
    why: str


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """What the n tests of a suite count.

    ``independent``: the effective number of tests, the sum of the uniquenesses, from 1 to n. ``length`` (n,) as
    measured, with its sign; ``counted`` (n,) as it counts in the estimate (0 where it is below its own standard
    error); ``uniqueness`` (n,). ``length_covariance`` (n, n) of the lengths' errors and ``uniqueness_replicates``
    (B, n), draws about the uniquenesses: None where the errors are not known. ``length_df`` and ``uniqueness_df``:
    degrees of freedom of the two errors.
    ``reason``: why there is no headline, in one sentence; empty where there is one.
    """

    tests: tuple[TestWeight, ...]
    independent: Estimate
    length: Floats
    counted: Floats
    uniqueness: Floats
    length_covariance: Floats | None
    uniqueness_replicates: Floats | None
    length_df: float
    uniqueness_df: float
    reason: str
    warnings: tuple[str, ...]
    method: str
    seed: int

    def __post_init__(self) -> None:
        n = len(self.tests)
        for name in ("length", "counted", "uniqueness"):
            if getattr(self, name).shape != (n,):
                raise ValueError(f"{name} of shape {getattr(self, name).shape} does not fit {n} tests")
        if self.length_covariance is not None and self.length_covariance.shape != (n, n):
            raise ValueError(f"a covariance of shape {self.length_covariance.shape} does not fit {n} tests")
        freeze(self)

    @property
    def domains(self) -> tuple[str, ...]:
        """Names of the tests."""
        return tuple(test.domain for test in self.tests)

    def reordered(self, order: npt.NDArray[np.intp]) -> Weights:
        """Return the same weights with the tests in another order (a permutation of row numbers)."""
        moved = {name: getattr(self, name)[..., order] for name in _BY_TEST if getattr(self, name) is not None}
        if self.length_covariance is not None:
            moved["length_covariance"] = self.length_covariance[np.ix_(order, order)]
        return replace(self, tests=tuple(self.tests[i] for i in order), **moved)

    @property
    def shares(self) -> Floats:
        """What each test counts, (n,), adding up to 1; all 0 where no test counts."""
        weights = self.counted * self.uniqueness
        total = weights.sum()
        return np.asarray(weights / total if total > 0 else np.zeros_like(weights))


@dataclass(frozen=True, slots=True)
class AgentSkill:
    """The mean over independent skills of one agent.

    ``value``: M_0, NaN where there is no headline. ``profile``: M_q by q (1: mean, 0: the value, -1: harmonic).
    ``mean``: of the performances, every test alike. ``rank``: (low, high), the simultaneous confidence set of its
    rank; (1, m) where nothing is known of the errors. ``order``: calibrated probability of being above the next agent
    of the table; None for the last one and where errors are unknown.
    """

    agent: str
    value: Estimate
    profile: Mapping[int, Estimate]
    mean: Estimate
    rank: tuple[int, int]
    order: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Skills:
    """The values of m agents over one suite, best first, with what each test counts.

    ``covariance`` (m, m): of the errors of the values, in the order of ``agents``; NaN where they are not known.
    ``df`` (m,): degrees of freedom of each value's error, infinite where it is known. ``order_probabilities`` (m, m):
    calibrated probability that the agent of the row is truly above that of the column. ``warnings``: sentences that
    belong beside the table; those of ``weights`` are among them.
    """

    weights: Weights
    agents: tuple[AgentSkill, ...]
    covariance: Floats
    df: Floats
    order_probabilities: Floats | None
    warnings: tuple[str, ...]
    method: str
    seed: int
    confidence: float = 0.95

    def __post_init__(self) -> None:
        m = len(self.agents)
        if self.covariance.shape != (m, m) or self.df.shape != (m,):
            raise ValueError(f"errors of shapes {self.covariance.shape} and {self.df.shape} do not fit {m} agents")
        freeze(self)

    @property
    def reason(self) -> str:
        """Why there is no headline, in one sentence; empty where there is one."""
        return self.weights.reason
