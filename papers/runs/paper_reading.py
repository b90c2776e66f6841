"""The numbers of a run by the paper's own reading, from the same trainings: no errors, as the paper gives none.

Minimum in place of MCCP@k, plain areas in place of signed ones, all dimensions of the plain areas with complexities as
lengths (the keys of ``preset: paper`` that need no training of their own).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from aiq.errors import AiqError
from aiq.measures import quotient
from aiq.measures import space as spaces
from aiq.plans.run import SuiteRun
from aiq.records.complexity import Complexity
from aiq.records.estimate import Estimate
from aiq.records.space import Space
from aiq.run.reducing.complexity import DomainComplexity
from aiq.run.reducing.dissimilarity import SuiteDissimilarity
from aiq.run.reducing.space import AgentScores
from papers.claims.evidence import Agents, Evidence, Places, pair_name
from papers.claims.numbers import Measured
from papers.runs.scored import places_of
from papers.runs.stored import Stored

HELD = 0.9
"""Share of the squared coordinates that the dimensions must hold that are counted as carrying the space."""
ROWS = 100
"""Equal draws of a score, as checks ask for so many."""


def by_the_paper(
    e: Evidence, run: SuiteRun, complexity: Mapping[str, DomainComplexity], suite: SuiteDissimilarity | None
) -> Evidence | None:
    """Return the evidence of the same run by the paper's own reading; None where nothing of it is read otherwise.

    Args:
        e: the evidence by the defaults.
        run: the run.
        complexity: complexities of its domains, as far as there are any.
        suite: its dissimilarities, None where they were not measured.
    """
    minima = {name: one.complexity.minimum for name, one in complexity.items()}
    plain = {} if suite is None else {pair_name(p.a, p.b): p.measured.plain.value for p in suite.pairs}
    if not minima and not plain:
        return None
    placed = None if suite is None or e.places is None else _placed(run, minima, suite)
    return replace(
        e,
        complexity=exactly(minima),
        base=None if e.base is None else exactly(dict(zip(e.base.names, e.base.values.tolist(), strict=True))),
        dissimilarity=exactly(plain),
        places=None if placed is None else _places(placed),
        agents=None if placed is None or e.agents is None else _agents(placed, e.agents, run.configuration.seed),
    )


def exactly(values: Mapping[str, float]) -> Measured | None:
    """Return numbers without errors; None where there are none."""
    if not values:
        return None
    return Measured(tuple(values), np.array(list(values.values())), np.zeros((1, len(values))))


def _placed(run: SuiteRun, minima: Mapping[str, float], suite: SuiteDissimilarity) -> Space | None:
    """Return the space of the plain areas in all its dimensions; None where a pair or a complexity is missing."""
    names = suite.domains
    areas = np.full((len(names), len(names)), np.nan)
    np.fill_diagonal(areas, 0.0)
    for pair in suite.pairs:
        if pair.a != pair.b:
            i, j = names.index(pair.a), names.index(pair.b)
            areas[i, j] = areas[j, i] = pair.measured.plain.value
    if np.isnan(areas).any() or any(name not in minima for name in names):
        return None
    try:
        return spaces.build(
            names, [minima[name] for name in names], areas, anchor=run.configuration.space.anchor, dimensions="all",
            merge=False, seed=run.configuration.seed,
        )  # fmt: skip
    except AiqError:
        return None


def _places(space: Space) -> Places:
    """Return the places of the domains; of the dimensions as many as hold ``HELD`` of the squared coordinates."""
    found = places_of(space)
    count = int(np.searchsorted(np.cumsum(found.shares), HELD - 1e-12)) + 1
    return replace(found, dimensions=count, dimension_draws=np.full(ROWS, float(count)))


def _agents(space: Space, found: Agents, seed: int) -> Agents | None:
    """Return the agents scored in a space by their mean performances; None where it has no volume."""
    table = _rows(found, space.domains)
    try:
        scores = quotient.score(space, found.names, table, seed=seed)
    except AiqError:
        return None
    by_name = {one.agent: one for one in scores.agents}
    relative = np.array([by_name[name].relative.value for name in found.names])
    aiq = np.array([by_name[name].per_dimension.value for name in found.names])
    return replace(
        found,
        aiq=aiq,
        relative=relative,
        mean_draws=np.tile(found.mean, (ROWS, 1)),
        aiq_draws=np.tile(aiq, (ROWS, 1)),
        relative_draws=np.tile(relative, (ROWS, 1)),
        apti_draws=None if found.apti is None else np.tile(found.apti, (ROWS, 1)),
    )


def _rows(found: Agents, domains: Sequence[str]) -> np.ndarray:
    """Return the mean performances (A, n) of the agents on the domains of a space."""
    assert found.performance is not None
    assert found.performance.shape == (len(found.names), len(domains))
    return found.performance


def paper_stored(run: SuiteRun, kept: Stored) -> Stored:
    """Return results as the paper reads them, for its figures: numbers without intervals.

    Args:
        run: the run.
        kept: its results.
    """
    minima = {name: one.complexity.minimum for name, one in kept.complexity.items()}
    space = None if kept.suite is None else _placed(run, minima, kept.suite)
    return replace(
        kept,
        complexity={name: replace(one, complexity=_minimum(one.complexity)) for name, one in kept.complexity.items()},
        suite=None if kept.suite is None else _plain(kept.suite),
        space=space,
        scores=None if space is None or kept.scores is None else _scored(space, kept.scores, run.configuration.seed),
        apti=None,
    )


def _minimum(found: Complexity) -> Complexity:
    """Return a complexity whose number is the minimum."""
    method = "the smallest of all policies, without an interval"
    return replace(found, estimator="minimum", estimate=Estimate(found.minimum, None, found.n_trials, method))


def _plain(suite: SuiteDissimilarity) -> SuiteDissimilarity:
    """Return dissimilarities whose number is the plain area."""
    plain = [replace(one.measured.plain, interval=None) for one in suite.pairs]
    pairs = tuple(
        replace(one, measured=replace(one.measured, chosen="plain", plain=value))
        for one, value in zip(suite.pairs, plain, strict=True)
    )
    return replace(suite, pairs=pairs)


def _scored(space: Space, found: AgentScores, seed: int) -> AgentScores | None:
    """Return agents scored in a space by the means of their repetitions; None where it has no volume."""
    names = tuple(dict.fromkeys(found.agent))
    means = [[float(found.repetitions(agent, name).mean()) for name in space.domains] for agent in names]
    try:
        return replace(found, scores=quotient.score(space, names, means, seed=seed))
    except AiqError:
        return None
