"""Line f of the sanity suite, and what lengths and distances of the space do to scores on it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats as distributions

from aiq.measures import complexity, quotient, space
from aiq.records.quotient import Scores
from aiq.records.space import Space
from studies import sanity_measures as measures
from studies import sanity_suite as suite
from studies.cells import Row
from studies.chain_estimates import drawn_agents
from studies.sanity_lines import count, line
from studies.sanity_measures import KINDS, Number
from studies.sanity_trainings import AGENTS, Mixing

Floats = npt.NDArray[np.float64]

LENGTHS = {"complexity": "mccp_k", "relative_excess": "relative_excess"}
WITH_COPY = (*suite.SUITE, suite.COPY)
EVEN = (0.2, 0.5, 0.9)


@cache
def located(
    names: tuple[str, ...],
    length: str,
    kind: str,
    how: Mixing = suite.BASE,
    dimensions: int | str = "auto",
) -> Space:
    """Return the space of some domains."""
    records = {name: measures.measured(suite.trials(name)) for name in names}
    values, _, _ = complexity.shared(records, LENGTHS[length])
    found = measures.distances(names, kind, how)
    return space.build(
        names,
        np.maximum(values, 0),
        found.offered,
        length=length,
        complexity_se=complexity.covariance(records, LENGTHS[length]),
        dissimilarity_se=found.own,
        end_se=found.end,
        dissimilarity_df=found.df,
        dimensions=dimensions,
        seed=1,
    )


@cache
def scored(at: Space, names: tuple[str, ...]) -> Scores:
    """Return the scores of the trained agents."""
    table = np.stack([suite.agents(name, 6) for name in names], axis=-1).swapaxes(0, 1)
    agents = [f"{network.layers}x{network.width}" for network in AGENTS]
    return quotient.score(at, agents, table.mean(axis=0), drawn_agents(table, 1000, 1), seed=1)


def _by_name(found: Scores, what: str) -> dict[str, Number]:
    """Return a number of every agent with its interval."""
    numbers = {}
    for one in found.agents:
        estimate: Any = getattr(one, what)
        low, high = estimate.interval or (math.nan, math.nan)
        numbers[one.agent] = Number(estimate.value, low, high)
    return numbers


def copies() -> Iterator[Row]:
    """Yield line f: a copy in the suite, and agents that reach v everywhere."""
    for length in LENGTHS:
        for kind in KINDS:
            yield from _copied(length, kind)
    for v in EVEN:
        at = located(suite.SUITE, "relative_excess", "departure")
        found = quotient.score(at, ["even"], np.full((1, len(suite.SUITE)), v)).agents[0].per_dimension.value
        yield line("f", f"an agent at {v} everywhere: per dimension", count(found), abs(found - v) < 1e-9)


def _copied(length: str, kind: str) -> Iterator[Row]:
    """Yield how far scores move when a copy of digits-a joins the suite."""
    without = located(suite.SUITE, length, kind)
    at = located(WITH_COPY, length, kind, suite.BASE, without.dimensions)
    free = located(WITH_COPY, length, kind)
    says = f"{without.dimensions} dimensions without the copy, {free.dimensions} with it; passed where within intervals"
    for what, space_ in (("relative", at), ("per_dimension", free)):
        before, after = _by_name(scored(without, suite.SUITE), what), _by_name(scored(space_, WITH_COPY), what)
        worst = max(before, key=lambda name: abs(after[name].value - before[name].value))
        inside = all(before[name].low <= after[name].value <= before[name].high for name in before)
        moved = Number(
            after[worst].value - before[worst].value,
            before[worst].low - before[worst].value,
            before[worst].high - before[worst].value,
        )
        words = f"a copy joins, lengths {length}, distances {kind}: {what.replace('_', ' ')}, largest change ({worst})"
        yield line("f", words, moved, inside, says)


def choices() -> Iterator[Row]:
    """Yield a row for each length and distance: what they do to space and scores."""
    for length in LENGTHS:
        for kind in KINDS:
            yield _choice(length, kind)


def _choice(length: str, kind: str) -> Row:
    """Return what one choice of length and distance does."""
    at = located(suite.SUITE, length, kind)
    found = scored(at, suite.SUITE)
    per = _by_name(found, "per_dimension")
    table = np.stack([suite.agents(name, 6).mean(axis=1) for name in suite.SUITE], axis=-1)
    geometric = np.exp(np.log(np.maximum(table, 1e-12)).mean(axis=1))
    agents = [f"{network.layers}x{network.width}" for network in AGENTS]
    values = np.array([per[agent].value for agent in agents])
    fewer = located(suite.SUITE, length, kind, suite.FEWER, at.dimensions)
    wider = located(suite.SUITE, length, kind, suite.WIDER, at.dimensions)
    moved = [
        max(
            abs(per[agent].value - _by_name(scored(other, suite.SUITE), "per_dimension")[agent].value)
            for agent in agents
        )
        for other in (fewer, wider)
    ]
    one = measures.distances(suite.SUITE, kind).values[np.triu_indices(len(suite.SUITE), 1)]
    ranks = [
        float(
            distributions.spearmanr(
                one, measures.distances(suite.SUITE, kind, how).values[np.triu_indices(len(suite.SUITE), 1)]
            ).statistic
        )
        for how in (suite.FEWER, suite.WIDER)
    ]
    return {
        "length": length,
        "distance": kind,
        "dimensions": at.dimensions,
        "probabilities": ", ".join(f"{k}: {p:.2f}" for k, p in at.dimensionality.probabilities.items()),
        "negative_share": at.negative_share,
        "width_per_dimension": float(np.mean([one.high - one.low for one in per.values()])),
        "rank_correlation_half_the_samples": ranks[0],
        "rank_correlation_twice_the_width": ranks[1],
        "moves_half_the_samples": moved[0],
        "moves_twice_the_width": moved[1],
        "not_explained_by_geometric_mean": 1 - float(np.corrcoef(values, geometric)[0, 1] ** 2),
        "vertices": ", ".join(found.suite_vertices),
        **{agent: f"{per[agent].value:.3f} [{per[agent].low:.3f}, {per[agent].high:.3f}]" for agent in agents},
    }
