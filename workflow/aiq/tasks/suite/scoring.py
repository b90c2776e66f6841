"""Agents scored in a space: headline, volumes and their order, from performances alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.errors import InputError, choice
from aiq.measures import quotient, skills
from aiq.measures.quotient import bootstrap, hull
from aiq.records.observations import Observations
from aiq.records.quotient import Scores
from aiq.records.skills import Skills, Weights
from aiq.records.space import Space
from aiq.storage import Source
from aiq.tasks.suite.tables import scored
from aiq.tasks.suite.tables.performances import Performances, performances_from_results, performances_from_table
from aiq.tasks.suite.tables.scored import read_space

Floats = npt.NDArray[np.float64]
VALUES = ("skills", "volume")
"""Headlines of agents, the usual one first."""

Samples = Mapping[str, Sequence[Floats]]  # agent -> for each domain, its repetitions


def score(
    known: Space,
    performances: Performances | Samples,
    *,
    seed: int,
    prior_df: float = bootstrap.PRIOR_DF,
    confidence: float = 0.95,
    facet_budget: int | None = None,
    value: str = VALUES[0],
) -> Scores:
    """Score agents by the means of their repetitions, with what the spread of the repetitions makes uncertain.

    Args:
        known: the space, with what each test counts.
        performances: of every agent on every test.
        seed: root of the resampling.
        prior_df: weight of an agent's mean variance over its tests, in the volume.
        confidence: of the intervals.
        facet_budget: of exact volumes.
        value: the headline by which agents are listed, ``skills`` or ``volume``.

    Raises:
        InputError: for performances or a headline that cannot be had.
    """
    if value not in VALUES:
        raise InputError(choice("the headline value", value, VALUES))
    given = performances if isinstance(performances, Performances) else Performances(performances, {})
    count = scored.REPLICATES if known.bootstrap is None else len(known.bootstrap.coordinates)
    means = np.array([[repetitions.mean() for repetitions in values] for values in given.samples.values()])
    replicates = np.tile(means, (count, 1, 1))
    single = []
    for i, (agent, values) in enumerate(given.samples.items()):
        rng = seeding.generator(seed, "score", agent)
        drawn = bootstrap.agent_draws(values, count, rng, prior_df, given.se.get(agent))
        if drawn is None:
            single.append(agent)
        else:
            replicates[:, i] = drawn
    scores = quotient.score(
        known,
        list(given.samples),
        means,
        performance_replicates=replicates if len(single) < len(given.samples) else None,
        single=single,
        facet_budget=facet_budget,
        seed=seed,
        confidence=confidence,
    )
    by_skills = skills.score(
        known.weights or weights_of(known), given.samples, se=given.se, seed=seed, confidence=confidence
    )
    warnings = tuple(dict.fromkeys((*by_skills.warnings, *scores.warnings, *given.notes)))
    scores = replace(scores, skills=by_skills, warnings=warnings, share=known.dimensionality.share)
    return scores if value == "volume" else listed_by_skills(scores)


def of_nobody(known: Space, *, seed: int, confidence: float, value: str) -> Scores:
    """Return the scores of a run in which no agent could be scored: the suite alone, and a sentence."""
    weights, why = known.weights or weights_of(known), "no agent could be scored"
    by_skills = Skills(weights, (), np.empty((0, 0)), np.empty(0), None, (why,), why, seed, confidence)
    suite = hull.volume(known.coordinates, rng=seeding.generator(seed, "quotient", "suite"))
    return Scores(
        known.domains, known.dimensions, (), None, suite, tuple(known.domains[i] for i in suite.vertices), None,
        0, 0, 0, why, seed, warnings=(why,), headline=value, skills=by_skills, share=known.dimensionality.share,
    )  # fmt: skip


def listed_by_skills(scores: Scores) -> Scores:
    """Return scores whose headline is the mean over independent skills, best first.

    Raises:
        ValueError: the scores have no such means.
    """
    if scores.skills is None:
        raise ValueError("these scores have no means over independent skills")
    volumes = {one.agent: one for one in scores.agents}
    agents = tuple(
        replace(volumes[one.agent], value=one.value, profile=one.profile, ranks=one.rank, order=one.order)
        for one in scores.skills.agents
    )
    return replace(scores, agents=agents, headline="skills", order_probabilities=scores.skills.order_probabilities)


def weights_of(known: Space) -> Weights:
    """Return what the tests count in a space of an earlier version, whose file tells no errors."""
    found = skills.weigh(known.domains, known.complexity, known.dissimilarity, seed=known.seed)
    why = "the file of the space is of an earlier version: what each test counts has no interval; make the space again"
    return replace(found, warnings=(why,))


def score_from(
    source: str | Path | Space,
    agents: Source | Observations,
    *,
    missing: str = "refuse",
    value: str = VALUES[0],
    seed: int = 0,
    confidence: float = 0.95,
    say: Callable[[str], None] | None = None,
) -> Scores:
    """Score the agents of a table, or of results that a reader found, in a space or its file.

    Args:
        source: the space or its file.
        agents: a table ``agent,domain,performance[,repetition][,se]``, a wide one, or results.
        missing: the rule for missing cells of results (``refuse``, ``agents``, ``zero``).
        value: the headline by which agents are listed, ``skills`` or ``volume``.
        seed: root of the resampling.
        confidence: of the intervals.
        say: takes a sentence before work that may take long.

    Raises:
        InputError, StorageError: for a table or a file that cannot be used.
    """
    known = source if isinstance(source, Space) else read_space(source)
    if isinstance(agents, Observations):
        found = performances_from_results(agents, known.domains, missing)
    else:
        found = performances_from_table(agents, known.domains)
    if say is not None and (words := scored.said(known, len(found.samples), found.repeated)):
        say(words)
    return score(known, found, value=value, seed=seed, confidence=confidence)
