"""Line f of the sanity suite, and what lengths and distances of the space do to scores on it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.measures import complexity, quotient, space
from aiq.records.quotient import Scores
from aiq.records.space import Space
from aiq.stats import jackknife
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
AGENT_NAMES = tuple(f"{network.layers}x{network.width}" for network in AGENTS)


@cache
def located(
    names: tuple[str, ...],
    length: str,
    kind: str,
    how: Mixing = suite.BASE,
    dimensions: int | str = "auto",
    shown_larger: bool = False,
) -> Space:
    """Return the space of some domains; ``shown_larger``: digits-a as long as if it were shown at 16 x 16 pixels."""
    records = {name: measures.measured(suite.trials(name)) for name in names}
    values, _, _ = complexity.shared(records, LENGTHS[length])
    if shown_larger:
        large, small = (measures.hard(suite.trials(name)) for name in ("digits at 16x16", "digits"))
        change = measures.difference(large, small, LENGTHS[length]).value
        values = values + change * np.array([name == "digits-a" for name in names])
    found = measures.distances(names, kind, how)
    return space.build(
        names,
        np.maximum(values, 0),
        found.offered,
        length=length,
        complexity_se=jackknife.covariance(*complexity.shared(records, LENGTHS[length])),
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
    return quotient.score(at, AGENT_NAMES, table.mean(axis=0), drawn_agents(table, 1000, 1), seed=1)


def by_name(found: Scores, what: str) -> dict[str, Number]:
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
        before, after = by_name(scored(without, suite.SUITE), what), by_name(scored(space_, WITH_COPY), what)
        worst = max(before, key=lambda name: abs(after[name].value - before[name].value))
        inside = all(before[name].low <= after[name].value <= before[name].high for name in before)
        moved = Number(
            after[worst].value - before[worst].value,
            before[worst].low - before[worst].value,
            before[worst].high - before[worst].value,
        )
        words = f"a copy joins, lengths {length}, distances {kind}: {what.replace('_', ' ')}, largest change ({worst})"
        yield line("f", words, moved, inside, says)
