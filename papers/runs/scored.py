"""Agents and places of a run with draws of what was measured of them."""

from __future__ import annotations

import numpy as np

from aiq import seeding
from aiq.measures.quotient.bootstrap import agent_draws, bootstrap, relative
from aiq.measures.quotient.hull import volume
from aiq.measures.quotient.hull_budget import Budget
from aiq.plans.run import SuiteRun
from aiq.records.arrays import Floats
from aiq.records.space import Space
from aiq.run.reducing.comparison import AptiScores
from aiq.run.reducing.space import AgentScores
from papers.claims.evidence import Agents, Places

HULLS = 200
"""Replicates of the places of which the hull is looked at."""


def agents_of(run: SuiteRun, space: Space, found: AgentScores, apti: AptiScores | None) -> Agents | None:
    """Return the scored agents with draws; None where their performances have no replicates."""
    names = tuple(dict.fromkeys(found.agent))
    seed = run.configuration.seed
    samples = [[found.repetitions(agent, domain) for domain in space.domains] for agent in names]
    count = 1000 if space.bootstrap is None else len(space.bootstrap.coordinates)
    drawn = [
        agent_draws(one, count, seeding.generator(seed, "score", agent), run.configuration.quotient.prior_df)
        for agent, one in zip(names, samples, strict=True)
    ]
    if any(one is None for one in drawn):
        return None
    performance = np.stack([one for one in drawn if one is not None], axis=1)
    means = np.array([[float(values.mean()) for values in one] for one in samples])
    steps = bootstrap(space, means, performance, Budget(), seed)
    if steps is None:
        return None
    scores = {one.agent: one for one in found.scores.agents}
    logs = np.column_stack([steps.log_volumes, steps.log_suite])
    return Agents(
        names=names,
        mean=means.mean(axis=1),
        aiq=np.array([scores[name].per_dimension.value for name in names]),
        relative=np.array([scores[name].relative.value for name in names]),
        mean_draws=steps.performance.mean(axis=2),
        aiq_draws=steps.per_dimension,
        relative_draws=relative(logs),
        sizes={a.name: (a.layers, a.width) for a in run.configuration.agents.networks},
        performance=means,
        **_apti(names, apti, space, seed),
    )


def _apti(names: tuple[str, ...], found: AptiScores | None, space: Space, seed: int) -> dict[str, Floats]:
    """Return mean APTI of the agents, the AIQ of APTI, and draws of both; nothing where there is no baseline.

    3.4.4, Fig. 29: APTI scales the space in the place of performance.
    """
    if found is None or set(found.agents) != set(names):
        return {}
    by_name = dict(zip(found.agents, found.apti, strict=True))
    order = [found.scores.domains.index(domain) for domain in space.domains]
    values = np.array([[by_name[name].domains[i].value for i in order] for name in names])
    drawn = np.stack([by_name[name].replicates[:, order] for name in names], axis=1)
    steps = bootstrap(space, values, drawn, Budget(), seed)
    if steps is None:
        return {}
    scored = {one.agent: one.per_dimension.value for one in found.scores.agents}
    return {
        "apti": values.mean(axis=1),
        "apti_draws": steps.performance.mean(axis=2),
        "apti_aiq": np.array([scored[name] for name in names]),
        "apti_aiq_draws": steps.per_dimension,
    }


def places_of(space: Space) -> Places:
    """Return the number of dimensions with its draws, and how often each domain is a vertex."""
    boot = space.bootstrap
    drawn = np.zeros(0) if boot is None or boot.numbers is None else np.asarray(boot.numbers)
    steps = space.coordinates[None] if boot is None else boot.coordinates[:HULLS]
    at = np.array([_vertices(one) for one in steps]).mean(axis=0)
    positive = np.maximum(space.spectrum, 0)
    return Places(
        domains=space.domains,
        dimensions=space.dimensionality.kept,
        dimension_draws=drawn,
        vertex_shares=dict(zip(space.domains, (float(share) for share in at), strict=True)),
        shares=positive / positive.sum(),
    )


def _vertices(points: Floats) -> Floats:
    """Return 1 for each of n points that is a vertex of their hull with the origin, (n,), else 0."""
    found = np.zeros(len(points))
    found[list(volume(points).vertices)] = 1.0
    return found
