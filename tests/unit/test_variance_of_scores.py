"""The variance of a score by source, where it can be written down: two tests in one direction."""

from types import SimpleNamespace

import numpy as np
import pytest

from aiq.explain import sources as room
from aiq.measures import space
from aiq.stats import allocation

COUNT, LENGTH, SPREAD, SKILL, SD = 20000, 0.5, 0.03, 0.7, 0.6


class Line(room.Sources):
    """Tests of lengths 1 and 0.5 ± 0.03 in one direction, and an agent that is good at the second one only.

    In one dimension its AIQ is the largest of performance times length: here x · p, of the second test.
    """

    def __init__(self) -> None:
        rng = np.random.default_rng(1)
        self.names, self._count = ["long", "short"], COUNT
        skill = rng.normal(size=400)
        skill = SKILL + SD * (skill - skill.mean()) / skill.std(ddof=1)
        self._performances = {"one": [0.01 + 0 * skill, skill]}
        self._pool = np.column_stack([np.ones(COUNT), LENGTH + SPREAD * rng.normal(size=COUNT)])
        quotient = SimpleNamespace(facet_budget=1000, prior_df=1e-9)
        self.run = SimpleNamespace(configuration=SimpleNamespace(seed=3, quotient=quotient))
        self._space = space.build(self.names, [1.0, LENGTH], np.zeros((2, 2)), dimensions=1, **self._lengths([], True))

    of_run = ("pool", "mixtures", "agents")

    def _lengths(self, held, only_draws=False):
        values = np.array([1.0, LENGTH])
        drawn = np.tile(values, (COUNT, 1)) if "pool" in held else self._pool
        return {"complexity_replicates": drawn} | ({} if only_draws else {"complexity": values})

    def _distances(self, held):
        return {"dissimilarity_replicates": np.zeros((COUNT, 2, 2))}


def test_shares_of_two_sources_of_known_variances():
    """Var(x p) = p² Var x + x² Var p + Var x Var p, and what both make together is halved; mixtures have nothing."""
    drawn = Line().corners()
    a, b = (SKILL * SPREAD) ** 2, (LENGTH * SD) ** 2 / 400
    both = SPREAD**2 * SD**2 / 400
    truth = np.array([a + both / 2, 0, b + both / 2]) / (a + b + both)
    value, se = allocation.of_variance(drawn)
    assert 0.2 < truth[0] < 0.8
    assert value == pytest.approx(truth, abs=0.02)
    assert value.sum() == pytest.approx(1)
    assert (np.abs(value - truth) <= 4 * se + 1e-9).all()
    assert drawn[-1].var() == pytest.approx(a + b + both, rel=0.05)
