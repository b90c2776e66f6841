"""What the headline's intervals, differences, rank sets and orders hold, by simulation with known truth."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.measures import skills, weighing
from aiq.records.quotient import Skills
from studies import headline_truth
from studies.headline_truth import Cell, Measured

Floats = npt.NDArray[np.float64]
Row = dict[str, object]

DRAWS = 400
BINS = ((0.5, 0.65), (0.65, 0.75), (0.75, 0.85), (0.85, 0.95), (0.95, 1.001))


@dataclass
class Tally:
    """What the suites of a cell gave; one entry an agent, a pair, or a suite."""

    value: list[float] = field(default_factory=list)
    error: list[float] = field(default_factory=list)
    difference: list[float] = field(default_factory=list)
    independent: list[float] = field(default_factory=list)
    ranks: list[float] = field(default_factory=list)
    middle: list[float] = field(default_factory=list)
    width: list[float] = field(default_factory=list)
    said: list[float] = field(default_factory=list)
    right: list[float] = field(default_factory=list)
    without: int = 0


def scored(measured: Measured, names: list[str], seed: int) -> Skills:
    """Return the library's record of one measured suite."""
    weights = weighing.weigh(
        names, measured.length, measured.signed, length_se=measured.covariance, length_df=measured.length_df,
        dissimilarity_se=measured.inner, end_se=measured.ends, dissimilarity_df=measured.df, draws=DRAWS, seed=seed,
    )  # fmt: skip
    return skills.score(weights, {f"a{i:02d}": list(one) for i, one in enumerate(measured.samples)}, seed=seed)


def rows(cell: Cell, suites: int) -> list[Row]:
    """Return the row of a cell, and those of its orders by what was said of them."""
    rng = seeding.generator(2027, "headline", *(str(word) for word in cell.words.values()))
    tally = Tally()
    for seed in range(suites):
        suite = headline_truth.draw(cell, rng)
        measured = headline_truth.measure(suite, cell, rng)
        found = scored(measured, cell.names[: len(suite.length)], seed)
        if found.reason:
            tally.without += 1
        else:
            _compare(tally, found, suite, measured)
    return [_row(cell, tally, suites), *_orders(cell, tally)]


def _compare(tally: Tally, found: Skills, suite: headline_truth.Suite, measured: Measured) -> None:
    true = headline_truth.headline(suite)
    exact = {f"a{i:02d}": float(value) for i, value in enumerate(true)}
    names = [agent.agent for agent in found.agents]
    for agent in found.agents:
        low, high = agent.value.interval or (np.nan, np.nan)
        tally.value.append(float(low <= exact[agent.agent] <= high))
        tally.error.append(agent.value.value - exact[agent.agent])
        tally.width.append(high - low)
    for i, j in combinations(range(len(names)), 2):
        apart = exact[names[i]] - exact[names[j]]
        low, high = skills.difference(found, names[i], names[j]).interval or (np.nan, np.nan)
        tally.difference.append(float(low <= apart <= high))
        if found.order_probabilities is not None and apart != 0:
            said = float(found.order_probabilities[i, j])
            tally.said.append(max(said, 1 - said))
            tally.right.append(float((apart > 0) == (said >= 0.5)))
    places = {name: 1 + sum(other > exact[name] for other in exact.values()) for name in names}
    tally.ranks.append(float(all(agent.rank[0] <= places[agent.agent] <= agent.rank[1] for agent in found.agents)))
    number = weighing.uniqueness(suite.cosines).sum()
    low, high = found.weights.independent.interval or (np.nan, np.nan)
    tally.independent.append(float(low <= number <= high))
    tally.middle += _middle(found, measured)


def _middle(found: Skills, measured: Measured) -> list[float]:
    """Return whether each agent's value lies in the middle half of its replicates."""
    weights, means = found.weights, measured.samples.mean(axis=2)
    drawn = weights.counted * np.asarray(weights.uniqueness_replicates)
    replicates = np.array([skills.mean(v, drawn) for v in means])
    value = skills.mean(means, weights.shares)
    low, high = np.quantile(replicates, [0.25, 0.75], axis=1)
    return list(((low <= value + 1e-12) & (value - 1e-12 <= high)).astype(float))


def _row(cell: Cell, tally: Tally, suites: int) -> Row:
    error = np.array(tally.error)
    return {
        "what": "coverage", **cell.words, "measure": "M0", "suites": suites, "without": tally.without,
        "value": float(np.mean(tally.value)), "difference": float(np.mean(tally.difference)),
        "independent": float(np.mean(tally.independent)), "ranks": float(np.mean(tally.ranks)),
        "middle": float(np.mean(tally.middle)), "bias": float(error.mean()),
        "rmse": float(np.sqrt((error**2).mean())), "width": float(np.mean(tally.width)),
    }  # fmt: skip


def _orders(cell: Cell, tally: Tally) -> list[Row]:
    said, right = np.array(tally.said), np.array(tally.right)
    found: list[Row] = []
    for low, high in BINS:
        chosen = (said >= low) & (said < high)
        if chosen.sum() >= 20:
            found.append(
                {"what": "order", **cell.words, "low": low, "high": min(high, 1.0), "orders": int(chosen.sum()),
                 "said": float(said[chosen].mean()), "right": float(right[chosen].mean())}
            )  # fmt: skip
    return found
