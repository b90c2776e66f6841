"""The numbers of a run by the paper's own reading, from the same trainings: no errors, as the paper gives none.

Minimum in place of MCCP@k, plain areas in place of signed ones, all dimensions of the plain areas with complexities as
lengths (the keys of ``preset: paper`` that need no training of their own).
"""

from __future__ import annotations

from collections.abc import Mapping
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
from papers.runs.stored import Stored, places_of

HELD = 0.9
"""Share of the squared coordinates that the dimensions must hold that are counted as carrying the space."""
ROWS = 100
"""Equal draws of a score, as checks ask for so many."""


def by_the_paper(e: Evidence, run: SuiteRun, kept: Stored) -> Evidence | None:
    """Return the evidence of a run by the paper's own reading; None where nothing of it is read otherwise."""
    if not kept.complexity and kept.suite is None:
        return None
    paper = paper_stored(run, kept)
    pairs = () if paper.suite is None else paper.suite.pairs
    space = paper.space if e.places is not None else None
    scores = paper.scores if space is not None else None
    return replace(
        e,
        complexity=exactly({name: record.complexity.estimate.value for name, record in paper.complexity.items()}),
        base=None if e.base is None else exactly({name: e.base[name] for name in e.base.names}),
        dissimilarity=exactly({pair_name(pair.a, pair.b): pair.measured.plain.value for pair in pairs}),
        places=None if space is None else _counted(places_of(space)),
        agents=None if e.agents is None or scores is None else _agents(e.agents, scores),
    )


def exactly(values: Mapping[str, float]) -> Measured | None:
    """Return numbers without errors; None where there are none."""
    return Measured(tuple(values), np.array([*values.values()]), np.zeros((1, len(values)))) if values else None


def _counted(places: Places) -> Places:
    """Return the places with as many of the dimensions as hold ``HELD`` of the squared coordinates."""
    count = int(np.searchsorted(np.cumsum(places.shares), HELD - 1e-12)) + 1
    return replace(places, dimensions=count, dimension_draws=np.full(ROWS, float(count)))


def _agents(agents: Agents, scored: AgentScores) -> Agents:
    """Return the agents with their scores by the paper's reading, in equal draws."""
    by_name = {score.agent: score.relative.value for score in scored.scores.agents}
    relative = np.array([by_name[name] for name in agents.names])
    return replace(
        agents,
        relative=relative,
        mean_draws=np.tile(agents.mean, (ROWS, 1)),
        relative_draws=np.tile(relative, (ROWS, 1)),
        apti_draws=None if agents.apti is None else np.tile(agents.apti, (ROWS, 1)),
    )


# ---- results as the paper reads them -------------------------------------------------------------


def paper_stored(run: SuiteRun, kept: Stored) -> Stored:
    """Return the results of a run as the paper reads them: numbers without intervals."""
    complexity = {
        name: replace(record, complexity=_minimum(record.complexity)) for name, record in kept.complexity.items()
    }
    suite = None if kept.suite is None else _plain(kept.suite)
    space = None if suite is None else _placed(run, complexity, suite)
    scores = None if space is None or kept.scores is None else _scored(space, kept.scores, run.configuration.seed)
    return replace(kept, complexity=complexity, suite=suite, space=space, scores=scores, apti=None)


def _minimum(measured: Complexity) -> Complexity:
    method = "the smallest of all policies, without an interval"
    return replace(measured, estimator="minimum", estimate=Estimate(measured.minimum, None, measured.n_trials, method))


def _plain(suite: SuiteDissimilarity) -> SuiteDissimilarity:
    pairs = [
        replace(p, measured=replace(p.measured, chosen="plain", plain=replace(p.measured.plain, interval=None)))
        for p in suite.pairs
    ]
    return replace(suite, pairs=tuple(pairs))


def _placed(run: SuiteRun, complexity: Mapping[str, DomainComplexity], suite: SuiteDissimilarity) -> Space | None:
    """Return the space of the plain areas in all its dimensions; None where a pair or a complexity is missing."""
    names, c = suite.domains, run.configuration
    areas = np.full((len(names), len(names)), np.nan)
    np.fill_diagonal(areas, 0.0)
    for pair in suite.pairs:
        if pair.a != pair.b:
            i, j = names.index(pair.a), names.index(pair.b)
            areas[i, j] = areas[j, i] = pair.measured.plain.value
    if np.isnan(areas).any() or any(name not in complexity for name in names):
        return None
    lengths = [complexity[name].complexity.minimum for name in names]
    try:
        return spaces.build(names, lengths, areas, anchor=c.space.anchor, dimensions="all", merge=False, seed=c.seed)
    except AiqError:
        return None


def _scored(space: Space, scores: AgentScores, seed: int) -> AgentScores | None:
    """Return agents scored in a space by the means of their repetitions; None where it has no volume."""
    names = tuple(dict.fromkeys(scores.agent))
    means = [[float(scores.repetitions(agent, name).mean()) for name in space.domains] for agent in names]
    try:
        return replace(scores, scores=quotient.score(space, names, means, seed=seed))
    except AiqError:
        return None
