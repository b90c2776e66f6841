"""Which tests can go: the order of agents by AIQ on fewer tests against that on all, on agents left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from aiq.measures.instrument.draws import Draw
from aiq.measures.instrument.subsets import values
from aiq.measures.quotient.hull_budget import Budget

Floats = npt.NDArray[np.float64]
Part = tuple[int, ...]

FEWEST_TO_SPLIT = 6  # agents: three choose and three are judged
_DIGITS = 9  # values that agree to so many are ties


@dataclass(frozen=True, slots=True)
class Judges:
    """AIQ per dimension of all agents on parts of a suite: at the estimate (kept once computed), or in one replicate.

    ``points``: places of the tests, (n, d); ``performance``: (A, n); ``steps``: replicates, one each, may be empty.
    """

    points: Floats
    performance: Floats
    steps: tuple[Draw, ...]
    budget: Budget = field(default_factory=Budget)
    known: dict[Part, Floats] = field(default_factory=dict)

    def estimate(self, tests: Sequence[int]) -> Floats:
        """Return values at the estimate, (A,)."""
        part = tuple(sorted(tests))
        if part not in self.known:
            self.known[part] = values(self.points[None], self.performance[None], part, self.budget)[0]
        return self.known[part]

    def replicate(self, step: int, tests: Sequence[int]) -> Floats:
        """Return values in one replicate, (A,); at the estimate where there are none."""
        if not self.steps:
            return self.estimate(tests)
        one = self.steps[step % len(self.steps)]
        return np.asarray(values(one.points, one.performance, tuple(sorted(tests)), self.budget)[0])


@dataclass(frozen=True, slots=True, eq=False)
class Dropped:
    """Rank correlations (S, n) of the order on n, n - 1, ... 1 tests with that on all, by split of the agents.

    ``chosen``: tests dropped as the choosing agents ask; ``random``: in random order. ``order``: as all agents ask.
    """

    chosen: Floats
    random: Floats
    order: tuple[int, ...]
    left_out: bool


def dropping(judges: Judges, worth: Floats, splits: int, rng: np.random.Generator) -> Dropped:
    """Return how the order of agents holds as tests are dropped one by one.

    In each split one half of the agents chooses: each time that test goes without which their order by AIQ is most
    like that on all tests, of equal ones that of least worth. The other half is judged, in one replicate of space and
    performances per split.
    With fewer than six agents all choose and all are judged.

    Args:
        judges: the agents on parts of the suite, at least 3 agents and 2 tests.
        worth: of each test, (n,).
        splits: random halves of the agents.
        rng: source of randomness.
    """
    agents, n = judges.performance.shape
    split = agents >= FEWEST_TO_SPLIT
    everybody = np.arange(agents)
    chosen, random = np.full((splits, n), np.nan), np.full((splits, n), np.nan)
    order = _path(judges.estimate, everybody, worth)
    for s in range(splits):
        shuffled = rng.permutation(agents)
        choosing, judged = (shuffled[: agents // 2], shuffled[agents // 2 :]) if split else (everybody, everybody)
        path = _path(judges.estimate, choosing, worth) if split else order
        whole = judges.replicate(s, range(n))[judged]
        for found, gone in ((chosen, path), (random, list(rng.permutation(n)))):
            for place in range(n):
                part = sorted(set(range(n)) - set(gone[:place]))
                found[s, place] = rank_correlation(judges.replicate(s, part)[judged], whole)
    return Dropped(chosen, random, tuple(order), split)


def _path(value: Callable[[Sequence[int]], Floats], agents: npt.NDArray[np.int64], worth: Floats) -> list[int]:
    """Return all tests in the order in which some agents drop them; the last one is left."""
    whole = value(range(worth.size))[agents]
    kept, order = list(range(worth.size)), []
    while len(kept) > 1:
        rest = {gone: value([i for i in kept if i != gone])[agents] for gone in kept}
        agreement = {gone: np.nan_to_num(rank_correlation(found, whole), nan=-2.0) for gone, found in rest.items()}
        best = max(kept, key=lambda gone: (round(float(agreement[gone]), _DIGITS), -worth[gone]))
        kept.remove(best)
        order.append(best)
    return [*order, *kept]


def rank_correlation(first: Floats, second: Floats) -> float:
    """Return Spearman's correlation, ties (nine digits) by mean ranks; NaN where one side is constant or undefined."""
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        return float("nan")
    a, b = (rankdata(np.round(x, _DIGITS)) for x in (first, second))
    a, b = a - a.mean(), b - b.mean()
    size = float(np.sqrt((a**2).sum() * (b**2).sum()))
    return float((a * b).sum()) / size if size > 0 else float("nan")
