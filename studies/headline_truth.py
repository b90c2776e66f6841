"""Suites of tests with known directions, lengths and performances, and what would be measured of them once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aiq.measures import skills, weighing
from studies import kept_estimates

Floats = npt.NDArray[np.float64]

SHARED = 0.6
"""Part of a pair's error variance that comes from the ends, which all pairs of a test share."""
POOL_SE, OWN_SE, LENGTH_DF = 0.02, 0.03, 7
"""Errors of a length: shared by all tests of a pool, its own; degrees of freedom of eight chunks."""
PRIOR_DF, AGENT_SD = 8, 0.03
"""Degrees of freedom that moderated errors of areas borrow; standard deviation of one repetition of an agent."""


@dataclass(frozen=True)
class Cell:
    """Tests, spectrum of their directions (``sharp``: three equal dimensions; ``decaying``: .7^k), signal to noise.

    Signal to noise: root mean square dissimilarity over the standard error of a pair. ``empty``: so many tests that
    any network solves; ``agents``, of a common skill, or, with ``apart``, alike but for a level of this standard
    deviation. ``spectrum`` one of ``kept_estimates.NAMES``: estimates of that run as truth, and its errors.
    """

    tests: int
    spectrum: str
    snr: int
    repetitions: int = 5
    empty: int = 0
    agents: int = 5
    apart: float | None = None

    @property
    def names(self) -> list[str]:
        """Names of the tests."""
        return [f"t{i:02d}" for i in range(self.tests)]

    @property
    def words(self) -> dict[str, object]:
        """The cell as columns."""
        return {"tests": self.tests, "spectrum": self.spectrum, "snr": self.snr, "empty": self.empty,
                "agents": self.agents, "apart": self.apart}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Suite:
    """Truth: cosines (n, n), lengths (n,), performances (A, n)."""

    cosines: Floats
    length: Floats
    performance: Floats

    @property
    def dissimilarity(self) -> Floats:
        """Dissimilarities of which the largest is 1, (n, n)."""
        squares = np.maximum(1 - self.cosines, 0)
        return np.asarray(np.sqrt(squares / squares.max()))


@dataclass(frozen=True, eq=False)
class Measured:
    """Signed areas (n, n) with their errors, lengths (n,) with covariance, repetitions (A, n, R)."""

    signed: Floats
    inner: Floats
    ends: Floats
    df: float
    length: Floats
    covariance: Floats
    length_df: float
    samples: Floats


def headline(suite: Suite, q: int = 0) -> Floats:
    """Return the true M_q of all agents, (A,)."""
    return skills.mean(suite.performance, suite.length * weighing.uniqueness(suite.cosines), q)


def draw(cell: Cell, rng: np.random.Generator) -> Suite:
    """Draw a suite: no two tests more than a right angle apart, the first two exactly."""
    if cell.spectrum in kept_estimates.NAMES:
        return Suite(*kept_estimates.read(cell.spectrum).truth)
    n = cell.tests
    size = np.ones(3) if cell.spectrum == "sharp" else np.sqrt(0.7 ** np.arange(n))
    directions = np.abs(rng.normal(size=(n, size.size)) * size)
    directions[:2] = np.eye(2, size.size)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    length = rng.uniform(0.1, 0.9, n)
    length[2 : 2 + cell.empty] = 0.0
    skill = rng.uniform(0.45, 0.75, (cell.agents, 1))
    performance = skill + rng.uniform(-0.25, 0.25, (cell.agents, n))
    if cell.apart is not None:
        performance = rng.uniform(0.3, 0.9, n) + cell.apart * rng.standard_normal((cell.agents, 1))
    return Suite(directions @ directions.T, length, np.clip(performance, 0.02, 0.98))


def measure(suite: Suite, cell: Cell, rng: np.random.Generator) -> Measured:
    """Measure a suite once; errors are estimated, too."""
    n, d = len(suite.length), suite.dissimilarity
    if cell.spectrum in kept_estimates.NAMES:
        kept = kept_estimates.read(cell.spectrum)
        (inner, ends, df, lengths, length_df, sd), told = kept.errors, kept.told
    else:
        error = float(np.sqrt((d[np.triu_indices(n, 1)] ** 2).mean())) / cell.snr
        df, length_df, sd = PRIOR_DF + cell.repetitions - 1.0, LENGTH_DF, np.full_like(suite.performance, AGENT_SD)
        inner = error * np.sqrt(1 - SHARED) * (1 - np.eye(n))
        ends = np.full(n, error * np.sqrt(SHARED / 2))
        lengths, told = POOL_SE**2 + OWN_SE**2 * np.eye(n), float(LENGTH_DF)
    shared = ends * rng.standard_normal(n)
    noise = _symmetric(inner * rng.standard_normal((n, n)))
    spread = rng.standard_normal((*suite.performance.shape, cell.repetitions)) * sd[:, :, None]
    return Measured(
        d + shared[:, None] + shared[None, :] + noise,
        inner * np.sqrt(_symmetric(rng.chisquare(df, (n, n))) / df),
        ends * np.sqrt(rng.chisquare(df, n) / df),
        float(df),
        suite.length + rng.multivariate_normal(np.zeros(n), lengths),
        lengths * rng.chisquare(length_df) / length_df,
        told,
        np.clip(suite.performance[:, :, None] + spread, 0, 1),
    )


def _symmetric(upper: Floats) -> Floats:
    """Return symmetric matrices with zero diagonal from upper triangles."""
    half = np.triu(upper, 1)
    return np.asarray(half + half.T)
