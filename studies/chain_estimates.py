"""What the library's public functions say of a suite of known truth: values and intervals of the whole chain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.measures import complexity, dissimilarity, quotient, space
from aiq.measures.quotient import bootstrap
from aiq.records.complexity import Complexity
from aiq.records.dissimilarity import Dissimilarity
from aiq.records.quotient import Scores
from aiq.records.space import Space
from aiq.stats import jackknife
from studies import chain_truth
from studies.chain_truth import POINTS, Design, Measured, Suite

Floats = npt.NDArray[np.float64]

K = 16
DRAWS = 250
"""Replicates of the space: a quarter of the default, to save time; intervals are then a little noisier."""
LENGTHS = {"complexity": ("mccp_k", "plain"), "relative_excess": ("relative_excess", "logit")}
"""What a length is made of, and on which scale it is drawn."""
BY_EXCESS = "_by_excess"
"""Behind the names of numbers whose space has lengths of relative excess; the others have complexities."""


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
    """What the chain says of one suite, agents in their own order; ``order`` (A, A): probabilities, of ``ordered``."""

    said: dict[str, Said]
    dimensions: int
    order: Floats
    ordered: str = "per_dimension"


def estimate(measured: Measured, design: Design, seed: int) -> Found:
    """Run the chain on one suite: complexity, dissimilarity, space, score."""
    hard = complexities(measured, seed)
    pairs = dissimilarities(measured, design, seed)
    spaces = {length: located(hard, pairs, design, seed, "auto", length) for length in LENGTHS}
    scored = {length: scores(at, measured, seed) for length, at in spaces.items()}
    given = dict(scored)
    if spaces["complexity"].dimensions != design.dimensions:
        told = {length: located(hard, pairs, design, seed, design.dimensions, length) for length in LENGTHS}
        given = {length: scores(at, measured, seed) for length, at in told.items()}
    best = [record.best_of_k for record in hard.values()]
    return Found(
        {
            "complexity": said([one.estimate for one in best if one is not None]),
            "relative_excess": said([one.relative_excess for one in best if one is not None]),
            "signed": said([pair.signed for (a, b), pair in pairs.items() if a != b]),
            "per_dimension": of_agents(scored["complexity"], "per_dimension"),
            "relative_given_d": of_agents(given["complexity"], "relative"),
            f"per_dimension{BY_EXCESS}": of_agents(scored["relative_excess"], "per_dimension"),
            f"relative_given_d{BY_EXCESS}": of_agents(given["relative_excess"], "relative"),
        },
        spaces["complexity"].dimensions,
        order(scored["relative_excess"]),
        f"per_dimension{BY_EXCESS}",
    )


def names(design: Design) -> list[str]:
    """Return the tests' names."""
    return [f"t{i}" for i in range(design.domains)]


def complexities(measured: Measured, seed: int) -> dict[str, Complexity]:
    """Return the complexity of every test."""
    return {
        f"t{i}": complexity.measure(
            performance, np.log2(sizes), k=K, largest=float(np.log2(largest)), resamples=0, seed=seed
        )
        for i, (performance, sizes, largest) in enumerate(
            zip(measured.performance, measured.parameters, measured.largest, strict=True)
        )
    }


def dissimilarities(measured: Measured, design: Design, seed: int) -> dict[tuple[str, str], Dissimilarity]:
    """Return every pair, each test with itself too."""
    found = {}
    for i, a in enumerate(names(design)):
        for j, b in enumerate(names(design)[i:], start=i):
            how: dict[str, Any] = {"resamples": 0, "seed": seed}
            curves = measured.curves[i, j]
            if design.ends == "domain":
                curves = curves[:, 1:-1]
                how["ends"] = [measured.ends[i]] if i == j else [measured.ends[i], measured.ends[j]]
            found[a, b] = dissimilarity.measure(POINTS, curves, **how)
    return found


def located(
    hard: dict[str, Complexity],
    pairs: dict[tuple[str, str], Dissimilarity],
    design: Design,
    seed: int,
    dimensions: int | str,
    length: str = "complexity",
) -> Space:
    """Return the space, with the errors that lengths and pairs share."""
    quantity, scale = LENGTHS[length]
    far = complexity.shared(hard, quantity)
    rng = seeding.generator(seed, "study", "lengths", quantity)
    drawn = jackknife.drawn(far[0], jackknife.influences(*far), DRAWS, rng, scale)
    errors = dissimilarity.suite_errors(names(design), pairs)
    shared = errors.end[~np.eye(design.domains, dtype=bool)].reshape(design.domains, -1)
    return space.build(
        names(design),
        far[0],
        errors.signed,
        length=length,
        complexity_replicates=np.maximum(drawn, 0),
        dissimilarity_se=errors.se_inner,
        end_se=shared.max(axis=1),
        dissimilarity_df=float(np.nanmin(errors.df_inner)),
        dimensions=dimensions,
        draws=DRAWS,
        seed=seed,
    )


def scores(at: Space, measured: Measured, seed: int) -> Scores:
    """Return the scores of the agents, their errors from their repetitions."""
    agents = [f"a{i}" for i in range(measured.scores.shape[1])]
    return quotient.score(
        at, agents, measured.scores.mean(axis=0), drawn_agents(measured.scores, DRAWS, seed), seed=seed
    )


def drawn_agents(scores: Floats, draws: int, seed: int) -> Floats:
    """Draw performances about their means by the library's moderated t, (R, A, n) to (draws, A, n)."""
    rng = seeding.generator(seed, "study", "agents")
    drawn = [bootstrap.agent_draws(list(one.T), draws, rng) for one in scores.swapaxes(0, 1)]
    return np.stack([one for one in drawn if one is not None], axis=1)


def said(estimates: list[Any]) -> Said:
    """Return values and intervals of records."""
    return Said(
        np.array([one.value for one in estimates]),
        np.array([one.interval or (np.nan, np.nan) for one in estimates], dtype=np.float64).reshape(-1, 2),
    )


def of_agents(found: Scores, what: str) -> Said:
    """Return a number of every agent."""
    return said([getattr(one, what) for one in sorted(found.agents, key=lambda one: one.agent)])


def order(found: Scores) -> Floats:
    """Return the probability that each agent is above each other one, (A, A)."""
    where = np.argsort([one.agent for one in found.agents])
    assert found.order_probabilities is not None
    return np.asarray(found.order_probabilities)[np.ix_(where, where)]


def truth(suite: Suite, design: Design) -> dict[str, Floats]:
    """Return what is true of everything that is said."""
    hard = [chain_truth.complexity(test, design.luck, K) for test in suite.tests]
    true = {
        "complexity": np.array([one.value for one in hard]),
        "relative_excess": np.array([one.relative for one in hard]),
        "signed": suite.area[np.triu_indices(design.domains, 1)],
    }
    for length, name in (("complexity", ""), ("relative_excess", BY_EXCESS)):
        how: dict[str, Any] = {"dimensions": design.dimensions, "merge": False, "length": length}
        at = space.build(names(design), true[length], suite.area, **how)
        found = quotient.score(at, [f"a{i}" for i in range(design.agents)], suite.performance)
        true[f"per_dimension{name}"] = of_agents(found, "per_dimension").value
        true[f"relative_given_d{name}"] = of_agents(found, "relative").value
    return true
