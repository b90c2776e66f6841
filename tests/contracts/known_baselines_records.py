"""Comparisons with known baselines, for the contract of all figures."""

from __future__ import annotations

import numpy as np

from aiq.records.known_baselines import BaselineComparison, Compared
from aiq.seeding import generator
from aiq.stats.ranks import rank_correlation

DOMAINS = {"typical": 7, "minimal": 2, "single": 1, "large": 200}


def comparison(case: str) -> BaselineComparison:
    """Numbers of the domains with a part in common; one baseline says the same of all."""
    rng, n = generator(17, "known baselines", case), DOMAINS[case]
    ours, pairs = rng.normal(size=n), n * (n - 1) // 2
    rows = [
        Compared("domains", mine, name, f"what {name} is", rank_correlation(ours, ours + noise * rng.normal(size=n)))
        for mine in ("complexity", "relative_excess")
        for name, noise in (("f1", 0.3), ("n3", 2.0), ("linear_error", 0.0))
    ]
    rows.append(Compared("domains", "complexity", "classes", "number", rank_correlation(ours, np.ones(n))))
    x, y = rng.normal(size=(2, pairs))
    rows.append(Compared("pairs", "dissimilarity", "transport", "a distance", rank_correlation(x, x + y, n)))
    return BaselineComparison(tuple(rows), 0.95, ("from at most 500 samples of each split",))


GIVEN = {"BaselineComparison": comparison}
