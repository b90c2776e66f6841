"""Ranks that hold all at once, probabilities of orders that mean what they say, and rank correlations.

**Rank sets** are simultaneous (Mogstad, Romano, Shaikh and Wilhelm, "Inference for ranks with applications to mobility
across neighbourhoods and academic achievement across countries", Review of Economic Studies 91, 2024): two values
differ where their difference is larger than q standard errors of it, q being the quantile of the largest absolute
studentised difference of all pairs under noise alone. An agent's ranks go from 1 + (those significantly above it) to
m - (those significantly below it); all m sets hold the true ranks at once with the given confidence.

**The probability of an order** is that of the true difference being positive, given all values: of values that differ
no more than noise makes them differ most of a difference is noise. With the reliability K (the share of the variance
between values that is not noise) a difference d with standard error s speaks for its order with Phi(sqrt(K) d / s);
K is averaged over what the values say of it, with the prior K^(-1/2) and a likelihood in which they are normal.

**Rank correlations** of a few domains, or of pairs that share domains, have intervals that are normal on Fisher's
scale, artanh r. The squared standard error of Spearman's ρ is (1 + ρ²/2)/(n − 3) (Bonett and Wright 2000,
Psychometrika 65, 23–28), that of Kendall's τ .437/(n − 4) (Fieller, Hartley and Pearson 1957, Biometrika 44, 470–481),
with Student's t of n − 2 degrees of freedom for τ. A coefficient of 1 is taken as half a step below, since a few
domains in the same order do not tell that all are: a step is what one exchange of neighbours costs. n counts domains,
for pairs too: pairs share domains and are not independent. Where fewer pairs than domains are compared, n counts
pairs. What a simulation found for 95 % intervals stands in ``tests/reference/test_coverage.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, stdtrit

from aiq.records.estimate import Floats

if TYPE_CHECKING:
    from aiq.records.comparison import RankCorrelation

Integers = npt.NDArray[np.int64]

RELIABILITIES = ((np.arange(100) + 0.5) / 100) ** 2  # even on the root, which is the prior K^(-1/2)
FURTHEST = 40.0  # standard errors beyond which an order is as sure as there
ROUNDING = 1e-13  # of two variances: what is left of them in a difference that has none
TIE = 1e-12  # of the largest value: differences as small are none, whatever their error
NEGLIGIBLE = 1e-6  # probability of a reliability that is left out
FEWEST_RANKED = 5  # domains from which on a rank correlation has an interval
LEAST_RANKED = 3  # domains or pairs from which on there is a rank correlation


@dataclass(frozen=True, slots=True, eq=False)
class RankSets:
    """Simultaneous ranks of m values: 1 is the largest. ``low`` and ``high`` (m,), and the quantile used."""

    low: Integers
    high: Integers
    critical: float


def deviations(covariance: npt.ArrayLike, count: int, rng: np.random.Generator) -> Floats:
    """Draw errors of m values, (count, m), normal with a covariance (m, m)."""
    matrix = np.asarray(covariance, dtype=np.float64)
    values, vectors = np.linalg.eigh(matrix)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return np.asarray(rng.standard_normal((count, len(matrix))) @ root.T)


def rank_sets(
    values: npt.ArrayLike,
    errors: npt.ArrayLike,
    *,
    df: float = np.inf,
    confidence: float = 0.95,
    rng: np.random.Generator | None = None,
) -> RankSets:
    """Return the simultaneous confidence sets of the ranks of m values, (m,), finite.

    ``errors`` (B, m) are draws of the values' errors about 0, with what they share in the same row: bootstrap
    replicates less the values, or ``deviations`` of a covariance. ``df``: degrees of freedom of the standard errors;
    the draws are widened to Student's t with so many (``rng``). Time and memory: B x m at once, m such steps (7,000
    values with 400 draws: about a minute).

    Raises:
        ValueError: shapes that do not fit, fewer than ``FEWEST`` draws, or a confidence outside (0, 1).
    """
    x, noise = np.asarray(values, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    spread = _apart(noise.T @ noise / len(noise))
    over = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    largest = np.zeros(len(noise))
    for i in range(x.size - 1):
        studentised = np.abs(noise[:, i : i + 1] - noise[:, i + 1 :]) * over[i, i + 1 :]
        np.maximum(largest, studentised.max(axis=1), out=largest)
    if np.isfinite(df):
        largest *= np.sqrt(df / (rng or np.random.default_rng(0)).chisquare(df, len(noise)))
    critical = float(np.quantile(largest, confidence))
    least = TIE * float(np.abs(x).max(initial=0.0))
    above, below = np.zeros(x.size, np.int64), np.zeros(x.size, np.int64)
    for i in range(x.size):
        bar = np.maximum(critical * spread[i], least)
        above[i] = int((x - x[i] > bar).sum())
        below[i] = int((x[i] - x > bar).sum())
    return RankSets(1 + above, x.size - below, critical)


def _apart(covariance: Floats) -> Floats:
    """Return the standard errors of all differences, (m, m); what is nothing but rounding is 0."""
    own = np.diag(covariance)
    both = own[:, None] + own[None, :]
    squares = both - 2 * covariance
    return np.asarray(np.sqrt(np.where(squares > ROUNDING * both, squares, 0.0)))


def order_probabilities(values: npt.ArrayLike, covariance: npt.ArrayLike) -> Floats:
    """Return P[i, j] that value i is truly above value j, (m, m), calibrated; the diagonal is .5.

    ``covariance`` (m, m) is that of their errors; what values share cancels in differences.

    Raises:
        ValueError: shapes that do not fit.
    """
    x, c = np.asarray(values, dtype=np.float64), np.asarray(covariance, dtype=np.float64)
    se, apart = _apart(c), x[:, None] - x[None, :]
    z = np.divide(apart, se, out=np.zeros_like(apart), where=se > 0)
    weights = reliability(z)
    there = weights > NEGLIGIBLE
    grid = FURTHEST * np.linspace(0, 1, 401) ** 2
    roots = np.sqrt(RELIABILITIES[there])[:, None]
    above = weights[there] / weights[there].sum() @ ndtr(roots * grid)
    probabilities = np.interp(np.abs(z), grid, above)
    probabilities = np.where(z < 0, 1 - probabilities, probabilities)
    return np.asarray(np.where(se > 0, np.clip(probabilities, 0.0, 1.0), (1 + np.sign(apart)) / 2))


def reliability(z: Floats) -> Floats:
    """Return the probability of each of ``RELIABILITIES``, given studentised differences of all pairs, (m, m).

    Where all values have one error the sum of squares is that about their mean, over the squared error.
    """
    m = len(z)
    squares = float((np.triu(z, 1) ** 2).sum()) * 2 / m
    logs = (m - 1) / 2 * np.log1p(-RELIABILITIES) - (1 - RELIABILITIES) * squares / 2
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def rank_probabilities(replicates: npt.ArrayLike) -> Floats:
    """Return P[i, j], the share of replicates (B, m) in which i is strictly above j (ties count half), (m, m).

    Replicates with an entry that is not finite are left out. All NaN where no complete one exists.

    Raises:
        ValueError: ``replicates`` has not two axes.
    """
    values = np.asarray(replicates, dtype=np.float64)
    values = values[np.all(np.isfinite(values), axis=1)]
    if values.shape[0] == 0:
        return np.full((values.shape[1], values.shape[1]), np.nan)
    above = values[:, :, None] > values[:, None, :]
    equal = values[:, :, None] == values[:, None, :]
    return np.asarray(above.mean(axis=0) + 0.5 * equal.mean(axis=0), dtype=np.float64)


# ---- Rank correlations ---------------------------------------------------------------------------


def rank_correlation(
    x: npt.ArrayLike, y: npt.ArrayLike, domains: int | None = None, confidence: float = 0.95
) -> RankCorrelation:
    """Return Spearman's ρ and Kendall's τ_b of two numbers (m,) of the same domains or pairs, with intervals.

    ``domains`` is how many domains pairs rest on; None: as many as numbers.

    Raises:
        ValueError: the two differ in length, hold NaN, or the confidence is outside (0, 1).
    """
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    from scipy import stats  # slow to load

    from aiq.records.comparison import RankCorrelation

    many = a.size if domains is None else domains
    n, why = min(many, a.size), ""
    if a.size < LEAST_RANKED:
        why = f"not defined for fewer than {LEAST_RANKED}, and there are {a.size}"
    elif np.ptp(a) == 0 or np.ptp(b) == 0:
        why = "not defined: one of the two numbers is the same everywhere"
    if why:
        return RankCorrelation(np.nan, None, np.nan, None, many, a.size, why)
    rho, tau = float(stats.spearmanr(a, b).statistic), float(stats.kendalltau(a, b).statistic)
    if n < FEWEST_RANKED:
        what = "domains" if many == n else "pairs"
        said = f"no interval for fewer than {FEWEST_RANKED} {what}, and there are {n}"
        return RankCorrelation(rho, None, tau, None, many, a.size, said)
    tail = (1 + confidence) / 2
    near_rho, near_tau = _below_one(rho, 12 / (n * (n**2 - 1))), _below_one(tau, 4 / (n * (n - 1)))
    rho_ends = _ends(rho, near_rho, float(ndtri(tail)) * np.sqrt((1 + near_rho**2 / 2) / (n - 3)))
    tau_ends = _ends(tau, near_tau, float(stdtrit(n - 2, tail)) * np.sqrt(0.437 / (n - 4)))
    return RankCorrelation(rho, rho_ends, tau, tau_ends, many, a.size)


def _below_one(value: float, step: float) -> float:
    """Return a coefficient at most half a step below 1, and above −1."""
    return float(np.clip(value, -1 + step / 2, 1 - step / 2))


def _ends(value: float, near: float, half: float) -> tuple[float, float]:
    """Return an interval that is symmetric about ``near`` on Fisher's scale, and holds the coefficient itself."""
    at = float(np.arctanh(near))
    return min(float(np.tanh(at - half)), value), max(float(np.tanh(at + half)), value)
