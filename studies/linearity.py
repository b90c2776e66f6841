"""How often the test of linearity says too much, and how often it finds what is there.

Agents of three depths with 2, 4 ... 14 nodes; the mean performance and AIQ follow known curves. Each score has normal
noise, known from replicates as in a run (t with 6 degrees of freedom). ``noise``: the share of noise in the spread of
the AIQ over the widths; the mean has a standard deviation of .01. A row says in how many tries the interval held the
true difference, and in how many it lay above 0 (AIQ more nearly linear) or below 0.
"""

from __future__ import annotations

import numpy as np

from papers.claims.shapes import difference
from studies.cells import Cells

Row = dict[str, object]

X = np.array([2.0, 4, 6, 8, 10, 12, 14])
DEPTHS = 3
FREEDOM = 6
DRAWS = 400
NOTES = (
    "Where both scores have one shape, `says AIQ` and `says the mean` are the errors of the test; where one is linear, "
    "`says` of that one is its power. From a noise of .3 on intervals miss too often, so `aiq claims` leaves the "
    "question undecided above .25."
)


def saturating(scale: float) -> np.ndarray:
    """Return 1 − exp(−nodes / scale)."""
    return np.asarray(1 - np.exp(-X / scale))


SHAPES = {
    "both saturate alike": (saturating(4), saturating(4)),
    "AIQ linear, mean saturates": (saturating(4), X / 14),
    "AIQ a little more linear": (saturating(4), saturating(7)),
    "mean linear, AIQ saturates": (X / 14, saturating(4)),
}


def tried(mean: np.ndarray, aiq: np.ndarray, noise: float, tries: int) -> Row:
    """Return how the test does on one pair of shapes."""
    rng = np.random.default_rng(20)
    count = X.size * DEPTHS
    groups = [(X, range(i * X.size, (i + 1) * X.size)) for i in range(DEPTHS)]
    spread = float(((aiq - aiq.mean()) ** 2).sum())
    se = np.repeat([0.01, np.sqrt(noise * spread / (X.size - 1))], count)
    true = np.concatenate([np.tile(mean, DEPTHS), np.tile(aiq, DEPTHS)])
    truth, _ = difference(groups[:1], mean, aiq, mean[None], aiq[None])
    held = above = below = 0
    for _ in range(tries):
        seen = true + se * rng.standard_normal(2 * count)
        known = se * np.sqrt(rng.chisquare(FREEDOM, 2 * count) / FREEDOM)
        drawn = seen + known * rng.standard_t(FREEDOM, (DRAWS, 2 * count))
        _, draws = difference(groups, seen[:count], seen[count:], drawn[:, :count], drawn[:, count:])
        low, high = np.quantile(draws, [0.025, 0.975])
        held += int(low <= truth <= high)
        above += int(low > 0)
        below += int(high < 0)
    return {"truth": truth, "held": held / tries, "says AIQ": above / tries, "says the mean": below / tries}


def run(quick: bool, cells: Cells | None = None) -> list[Row]:
    """Return one row a pair of shapes and share of noise.

    Args:
        quick: one share of noise and 20 tries.
        cells: what was finished before.
    """
    cells = cells or Cells(None, "", lambda line: None)
    tries, noises = (20, (0.1,)) if quick else (300, (0.02, 0.05, 0.1, 0.2, 0.3, 0.5))
    rows: list[Row] = []
    for name, (mean, aiq) in SHAPES.items():
        for noise in noises:
            key = {"shapes": name, "noise": noise, "tries": tries}
            rows += cells.of(
                key, lambda key=key, mean=mean, aiq=aiq, noise=noise: [{**key, **tried(mean, aiq, noise, tries)}]
            )
    return rows
