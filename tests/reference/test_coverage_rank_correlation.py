"""Coverage of the intervals of rank correlations, of domains and of pairs that share domains; about 5 s.

Of larger simulations (5 to 40 domains, three strengths, 120 to 300 suites per cell) see
docs/methods/known-baselines.md.
"""

import numpy as np
import pytest

from aiq.stats.ranks import rank_correlation

SUITES = 150


def of_domains(random: np.random.Generator, n: int, shared: float) -> tuple[np.ndarray, np.ndarray]:
    """Two numbers of n domains with a common part."""
    common = random.normal(size=n)
    one, two = (np.sqrt(shared) * common + np.sqrt(1 - shared) * random.normal(size=n) for _ in range(2))
    return one, two


def of_pairs(random: np.random.Generator, n: int, shared: float) -> tuple[np.ndarray, np.ndarray]:
    """Two distances of all pairs of n domains, whose places have a common part."""
    common, upper = random.normal(size=(n, 2)), np.triu_indices(n, 1)
    found = []
    for _ in range(2):
        places = np.hstack([np.sqrt(shared) * common, np.sqrt(1 - shared) * random.normal(size=(n, 2))])
        found.append(np.linalg.norm(places[:, None] - places[None], axis=-1)[upper])
    return found[0], found[1]


def coverage(draw, n: int, shared: float, suites: int = SUITES) -> tuple[float, float]:
    """Share of suites whose intervals hold what many domains give: of Spearman's rho and of Kendall's tau."""
    random = np.random.default_rng(5)
    large = [rank_correlation(*draw(random, 500 if draw is of_domains else 60, shared), 500) for _ in range(12)]
    truth = np.mean([(one.spearman, one.kendall) for one in large], axis=0)
    hits = np.zeros(2)
    for _ in range(suites):
        found = rank_correlation(*draw(random, n, shared), n)
        ends = (found.spearman_interval, found.kendall_interval)
        hits += [low <= true <= high for true, (low, high) in zip(truth, ends, strict=True)]
    return float(hits[0] / suites), float(hits[1] / suites)


@pytest.mark.parametrize("draw", [of_domains, of_pairs])
@pytest.mark.parametrize(("n", "shared"), [(6, 0.0), (6, 0.9), (15, 0.9)])
def test_intervals_cover(draw, n: int, shared: float):
    assert min(coverage(draw, n, shared)) >= 0.90  # .94 to 1.00 in large simulations; 150 suites tell to .02
