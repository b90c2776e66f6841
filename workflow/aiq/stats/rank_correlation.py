"""Rank correlations of a few domains, or of pairs that share domains, with intervals.

Intervals are normal on Fisher's scale, artanh r. The squared standard error of Spearman's ρ is (1 + ρ²/2)/(n − 3)
(Bonett and Wright 2000, Psychometrika 65, 23–28), that of Kendall's τ .437/(n − 4) (Fieller, Hartley and Pearson 1957,
Biometrika 44, 470–481), with Student's t of n − 2 degrees of freedom for τ. A coefficient of 1 is taken as half a step
below, since a few domains in the same order do not tell that all are: a step is what one exchange of neighbours costs.

n counts domains, for pairs too: pairs share domains and are not independent. Where fewer pairs than domains are
compared, n counts pairs. What the simulation of
``tests/reference/test_coverage_rank_correlation.py`` found for 95 % intervals stands there and in the decision page.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import stats
from scipy.special import ndtri, stdtrit

from aiq.records.known_baselines import RankCorrelation

FEWEST = 5  # domains from which on there is an interval
LEAST = 3  # domains or pairs from which on there is a coefficient


def rank_correlation(
    x: npt.ArrayLike, y: npt.ArrayLike, domains: int | None = None, confidence: float = 0.95
) -> RankCorrelation:
    """Return Spearman's ρ and Kendall's τ_b of two numbers with intervals.

    Args:
        x: (m,) numbers of domains or pairs; those with a NaN must be left out.
        y: (m,) other numbers of the same.
        domains: how many domains they rest on, for pairs; None: as many as numbers.
        confidence: of the intervals, in (0, 1).

    Raises:
        ValueError: the two differ in length, hold NaN, or the confidence is outside (0, 1).
    """
    one, two = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if one.ndim != 1 or one.shape != two.shape or not (np.isfinite(one).all() and np.isfinite(two).all()):
        raise ValueError(f"numbers of shapes {one.shape} and {two.shape} must be finite and equally many")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence {confidence} is outside (0, 1)")
    many = one.size if domains is None else domains
    n = min(many, one.size)
    if one.size < LEAST:
        return _nothing(many, one.size, f"not defined for fewer than {LEAST}, and there are {one.size}")
    if np.ptp(one) == 0 or np.ptp(two) == 0:
        return _nothing(many, one.size, "not defined: one of the two numbers is the same everywhere")
    rho, tau = float(stats.spearmanr(one, two).statistic), float(stats.kendalltau(one, two).statistic)
    if n < FEWEST:
        what = "domains" if many == n else "pairs"
        said = f"no interval for fewer than {FEWEST} {what}, and there are {n}"
        return RankCorrelation(rho, None, tau, None, many, one.size, said)
    tail = (1 + confidence) / 2
    near = _below_one(rho, 12 / (n * (n**2 - 1)))
    rho_ends = _ends(near, float(ndtri(tail)) * np.sqrt((1 + near**2 / 2) / (n - 3)))
    tau_ends = _ends(_below_one(tau, 4 / (n * (n - 1))), float(stdtrit(n - 2, tail)) * np.sqrt(0.437 / (n - 4)))
    return RankCorrelation(rho, _around(rho, rho_ends), tau, _around(tau, tau_ends), many, one.size)


def _nothing(domains: int, compared: int, note: str) -> RankCorrelation:
    """Return a comparison without numbers."""
    return RankCorrelation(float("nan"), None, float("nan"), None, domains, compared, note)


def _below_one(value: float, step: float) -> float:
    """Return a coefficient at most half a step below 1, and above −1."""
    return float(np.clip(value, -1 + step / 2, 1 - step / 2))


def _ends(value: float, half: float) -> tuple[float, float]:
    """Return the ends of an interval that is symmetric on Fisher's scale."""
    at = float(np.arctanh(value))
    return float(np.tanh(at - half)), float(np.tanh(at + half))


def _around(value: float, ends: tuple[float, float]) -> tuple[float, float]:
    """Return an interval that holds the coefficient itself (which half a step below 1 need not be)."""
    return min(ends[0], value), max(ends[1], value)
