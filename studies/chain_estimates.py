"""What the library's public functions say of a suite of known truth: values and intervals of the whole chain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.measures import complexity, dissimilarity, quotient, space
from aiq.records.space import Space
from studies.chain_truth import (
    BOUND,
    DESIGN,
    POINTS,
    SPREAD,
    Design,
    Measured,
    Suite,
    Test,
    architectures,
    parameters,
    rise,
)

Floats = npt.NDArray[np.float64]

K = 16
RESAMPLES = 200


@dataclass(frozen=True, eq=False)
class Said:
    """Values (m,) with intervals (m, 2); NaN where none was given."""

    value: Floats
    interval: Floats

    def covers(self, true: Floats) -> Floats:
        """Return whether each interval holds the truth, (m,); NaN where there is no interval."""
        low, high = self.interval.T
        return np.where(np.isnan(low), np.nan, (low <= true) & (true <= high)).astype(float)


@dataclass(frozen=True, eq=False)
class Found:
    """What the chain says of one suite, agents in their own order; ``order`` (A, A) are probabilities."""

    said: dict[str, Said]
    dimensions: int
    order: Floats


def estimate(measured: Measured, design: Design, seed: int) -> Found:
    """Run the chain on one suite: complexity, dissimilarity, space, score."""
    names = [f"t{i}" for i in range(design.domains)]
    sizes = np.log2(measured.parameters)
    hard = [
        complexity.measure(*trials, resamples=RESAMPLES, seed=seed)
        for trials in zip(measured.performance, sizes, strict=True)
    ]
    pairs = {
        (i, j): dissimilarity.measure(POINTS, measured.curves[i, j], resamples=RESAMPLES, seed=seed * 1000 + i * 30 + j)
        for i in range(design.domains)
        for j in range(i, design.domains)
    }
    matrix = np.zeros((design.domains, design.domains))
    replicates = np.zeros((RESAMPLES, *matrix.shape))
    for (i, j), pair in pairs.items():
        matrix[i, j] = matrix[j, i] = pair.distance
        replicates[:, i, j] = replicates[:, j, i] = np.maximum(pair.replicates, 0)
    how: dict[str, Any] = {
        "complexity_replicates": np.column_stack([record.replicates for record in hard]),
        "dissimilarity_replicates": replicates,
        "self_replicates": np.array([replicates[:, i, i] for i in range(design.domains)]).T,
        "seed": seed,
    }
    values = [record.value for record in hard]
    auto = space.build(names, values, matrix, **how)
    given = space.build(names, values, matrix, dimensions=design.dimensions, merge=False, **how)
    off = [pair for at, pair in pairs.items() if at[0] < at[1]]
    return Found(
        {
            "complexity": _said([record.estimate for record in hard]),
            "signed": _said([pair.signed for pair in off]),
            **_scores(auto, measured, seed, {"per_dimension": "per_dimension"}),
            **_scores(given, measured, seed, {"relative": "relative_given_d"}),
        },
        auto.dimensions,
        _order(auto, measured, seed),
    )


def _said(estimates: list[Any]) -> Said:
    """Return values and intervals of records."""
    return Said(
        np.array([one.value for one in estimates]),
        np.array([one.interval or (np.nan, np.nan) for one in estimates], dtype=np.float64).reshape(-1, 2),
    )


def _score(at: Space, measured: Measured, seed: int) -> quotient.Scores:
    rng = np.random.default_rng(seed)
    count = len(measured.scores)
    drawn = measured.scores[rng.integers(count, size=(RESAMPLES, count))].mean(axis=1)
    agents = [f"a{i}" for i in range(measured.scores.shape[1])]
    return quotient.score(at, agents, measured.scores.mean(axis=0), drawn, seed=seed)


def _scores(at: Space, measured: Measured, seed: int, wanted: dict[str, str]) -> dict[str, Said]:
    found = sorted(_score(at, measured, seed).agents, key=lambda one: one.agent)
    return {name: _said([getattr(one, what) for one in found]) for what, name in wanted.items()}


def _order(at: Space, measured: Measured, seed: int) -> Floats:
    """Return the probability that each agent is above each other one."""
    found = _score(at, measured, seed)
    where = np.argsort([one.agent for one in found.agents])
    assert found.order_probabilities is not None
    return np.asarray(found.order_probabilities)[np.ix_(where, where)]


def truth(suite: Suite, design: Design, rng: np.random.Generator) -> dict[str, Floats]:
    """Return what is true of everything that is said."""
    lengths = np.array([_own_expectation(test, design, rng) for test in suite.tests])
    names = [f"t{i}" for i in range(design.domains)]
    at = space.build(names, lengths, suite.area, dimensions=design.dimensions, merge=False)
    agents = [f"a{i}" for i in range(design.agents)]
    found = sorted(quotient.score(at, agents, suite.performance).agents, key=lambda one: one.agent)
    return {
        "complexity": lengths,
        "signed": suite.area[np.triu_indices(design.domains, 1)],
        "per_dimension": np.array([one.per_dimension.value for one in found]),
        "relative_given_d": np.array([one.relative.value for one in found]),
    }


def _own_expectation(test: Test, design: Design, rng: np.random.Generator, pools: int = 60) -> float:
    """Return the mean value over fresh pools of the cell's size."""
    depth, width = architectures()
    values = []
    for _ in range(pools):
        drawn = rng.integers(DESIGN, size=design.pool)
        shape = design.pool
        luck = rng.uniform(-BOUND, BOUND, size=shape) if design.luck == "bounded" else SPREAD * rng.normal(size=shape)
        reached = np.clip(rise(test, width[drawn]) + luck, 0, 1)
        sizes = np.log2(parameters(test, depth[drawn], width[drawn]))
        values.append(complexity.measure(reached, sizes, resamples=0).value)
    return float(np.mean(values))
