"""Agents scored in a space from performances alone: headline, volumes, their order, and the tables of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from aiq import seeding, storage
from aiq.errors import InputError, choice
from aiq.measures import quotient, skills
from aiq.measures.quotient import bootstrap, hull
from aiq.measures.quotient.bootstrap import fits
from aiq.measures.quotient.hull import Budget, cost, facet_bound
from aiq.records.estimate import Floats
from aiq.records.observations import Observations
from aiq.records.quotient import Scores, Skills
from aiq.records.space import Space, Weights
from aiq.records.table import Cell, Table, bounds
from aiq.storage.hdf5 import holds_one
from aiq.tables.performances import Performances, performances_from_results

REPLICATES = 1000  # of performances, in a space without replicates
FACET = 6e-6  # seconds of a facet, see ``Budget``
SAMPLED = 30.0  # seconds of a hull that is sampled to its target
QUIET = 10.0  # seconds below which nothing is said


def said(space: Space, agents: int, repeated: bool) -> str:
    """Return how many hulls are computed and how long that may take, nothing where it is done at once.

    ``repeated``: whether any of the agents has repetitions or standard errors.
    """
    budget, (n, d) = Budget(), space.coordinates.shape
    moved = 0 if space.bootstrap is None else len(space.bootstrap.coordinates)
    hulls, facets = agents + 1, cost(n, d, budget)
    used = min(moved or REPLICATES * repeated, budget.total // ((agents + bool(moved)) * facets))
    sampled = 1 < d < n and facet_bound(n + 1, d) > budget.facets
    seconds = hulls * (SAMPLED if sampled else facets * FACET)
    seconds += 0.0 if fits(n, d) else used * hulls * facets * FACET
    if seconds < QUIET:
        return ""
    how = "sampled, as they may have too many facets to list" if sampled else "computed"
    time = f"up to {math.ceil(seconds)} s" if seconds < 60 else f"up to {math.ceil(seconds / 60)} min"
    again = f", each again in {used} replicates" if used else ""
    return (
        f"scoring {agents} agent{'s' * (agents > 1)}: {hulls} hulls of {n} domains in {d} dimensions are {how}{again}; "
        f"this may take {time}, with fewer dimensions (aiq space --dimensions) less"
    )


# ---- The file of a space that a person names -----------------------------------------------------


def read_space(source: str | Path) -> Space:
    """Read a space from the file that a person gave; no command of the workflow makes one under any name.

    Raises:
        InputError: there is no such file, or it is of another kind.
        StorageError: the file holds no space, or is damaged.
    """
    if not Path(source).is_file():
        what = f"{source} is a folder" if Path(source).is_dir() else f"there is no file {source}"
        raise InputError(f"{what}; give a space that aiq space -o or a run made (space.h5)")
    if not holds_one(source):
        raise InputError(f"{source} is no space; give one that aiq space -o or a run made (space.h5)")
    space: Space = storage.read_result(source, "space", Space)
    return space


# ---- Tables of scored agents and of what each test counts ----------------------------------------


PROFILE = {1: "arithmetic", -1: "harmonic"}
"""Exponents of the profile beside the headline, and what their columns are called."""

_NUMBERS = ("per_dimension", "relative", "geometric_mean", "mean", "volume")
_ESTIMATES = ("value", *(f"{name}_skill_mean" for name in PROFILE.values()), *_NUMBERS)
_AGENTS = (
    *("rank", "agent", "rank_low", "rank_high", *(column for name in _ESTIMATES for column in bounds(name))),
    *("headline", "dimensions", "relative_fewer", "relative_more", "probability_above_next", "method"),
    *("note", "warnings"),
)


def agents_table(scores: Scores, unscored: Mapping[str, str] | None = None, *, only: str | None = None) -> Table:
    """Return one row per agent, best first; agents that could not be scored last, with the reason under ``method``.

    ``value`` is the headline, ``per_dimension`` the volume's. ``relative`` is given the number of dimensions;
    ``relative_fewer`` and ``relative_more``: with one fewer and one more. ``only``: the one agent that is wanted.
    """
    d, said = scores.dimensions, "; ".join(scores.warnings)
    rows: list[Sequence[Cell]] = []
    for a in scores.agents:
        if only is None or a.agent == only:
            numbers = (a.headline, *(a.profile.get(q) for q in PROFILE), *(getattr(a, name) for name in _NUMBERS))
            cells = [cell for estimate in numbers for cell in ((None,) * 3 if estimate is None else estimate.cells())]
            around = (d, a.by_dimensions.get(d - 1), a.by_dimensions.get(d + 1), a.order)
            ranks = a.ranks or (a.rank, a.rank)
            words = (a.hull.method, scores.note, said)
            rows.append((a.rank_words, a.agent, *ranks, *cells, scores.headline, *around, *words))
    empty = (None,) * (_AGENTS.index("method") - 2)
    rows += [(None, agent, *empty, f"not scored: {reason}", "", "") for agent, reason in (unscored or {}).items()]
    return Table.of(_AGENTS, rows)


def tests_table(scores: Scores) -> Table:
    """Return one row per test: what it counts in the mean over independent skills, and why."""
    columns = ("domain", *bounds("weight"), *bounds("hardness"), *bounds("uniqueness"), "why", *bounds("independent"))
    if scores.skills is None:
        return Table.of(columns, [])
    weights = scores.skills.weights
    every = weights.independent.cells()
    rows = [
        (t.domain, *t.weight.cells(), *t.hardness.cells(), *t.uniqueness.cells(), t.why, *every) for t in weights.tests
    ]
    return Table.of(columns, rows)


VALUES = ("skills", "volume")
"""Headlines of agents, the usual one first."""

Samples = Mapping[str, Sequence[Floats]]  # agent -> for each domain, its repetitions


def score(
    space: Space,
    performances: Performances | Samples,
    *,
    seed: int,
    prior_df: float = bootstrap.PRIOR_DF,
    confidence: float = 0.95,
    facet_budget: int | None = None,
    value: str = VALUES[0],
) -> Scores:
    """Score agents by the means of their repetitions, with what the spread of the repetitions makes uncertain.

    ``prior_df``: weight of an agent's mean variance over its tests, and ``facet_budget``: of exact volumes, both in the
    volume. ``value``: the headline by which agents are listed, ``skills`` or ``volume``.

    Raises:
        InputError: for performances or a headline that cannot be had.
    """
    if value not in VALUES:
        raise InputError(choice("the headline value", value, VALUES))
    given = performances if isinstance(performances, Performances) else Performances(performances, {})
    count = REPLICATES if space.bootstrap is None else len(space.bootstrap.coordinates)
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
        space,
        list(given.samples),
        means,
        performance_replicates=replicates if len(single) < len(given.samples) else None,
        single=single,
        facet_budget=facet_budget,
        seed=seed,
        confidence=confidence,
    )
    by_skills = skills.score(
        space.weights or weights_of(space), given.samples, se=given.se, seed=seed, confidence=confidence
    )
    warnings = tuple(dict.fromkeys((*by_skills.warnings, *scores.warnings, *given.notes)))
    scores = replace(scores, skills=by_skills, warnings=warnings, share=space.dimensionality.share)
    return scores if value == "volume" else listed_by_skills(scores)


def of_nobody(space: Space, *, seed: int, confidence: float, value: str) -> Scores:
    """Return the scores of a run in which no agent could be scored: the suite alone, and a sentence."""
    weights, why = space.weights or weights_of(space), "no agent could be scored"
    by_skills = Skills(weights, (), np.empty((0, 0)), np.empty(0), None, (why,), why, seed, confidence)
    suite = hull.volume(space.coordinates, rng=seeding.generator(seed, "quotient", "suite"))
    return Scores(
        space.domains, space.dimensions, (), None, suite, tuple(space.domains[i] for i in suite.vertices), None,
        0, 0, 0, why, seed, warnings=(why,), headline=value, skills=by_skills, share=space.dimensionality.share,
    )  # fmt: skip


def listed_by_skills(scores: Scores) -> Scores:
    """Return scores whose headline is the mean over independent skills, best first."""
    if scores.skills is None:
        raise ValueError("these scores have no means over independent skills")
    volumes = {agent.agent: agent for agent in scores.agents}
    agents = tuple(
        replace(volumes[agent.agent], value=agent.value, profile=agent.profile, ranks=agent.rank, order=agent.order)
        for agent in scores.skills.agents
    )
    return replace(scores, agents=agents, headline="skills", order_probabilities=scores.skills.order_probabilities)


def weights_of(space: Space) -> Weights:
    """Return what the tests count in a space of an earlier version, whose file tells no errors."""
    weights = skills.weigh(space.domains, space.complexity, space.dissimilarity, seed=space.seed)
    why = "the file of the space is of an earlier version: what each test counts has no interval; make the space again"
    return replace(weights, warnings=(why,))


def score_from(
    source: str | Path | Space,
    agents: Observations,
    *,
    missing: str = "refuse",
    value: str = VALUES[0],
    seed: int = 0,
    confidence: float = 0.95,
    say: Callable[[str], None] | None = None,
) -> Scores:
    """Score agents by their results, in a space or its file.

    ``missing``: the rule for missing cells of results (``refuse``, ``agents``, ``zero``). ``value``: the headline by
    which agents are listed. ``say`` takes a sentence before work that may take long.

    Raises:
        InputError, StorageError: for a table or a file that cannot be used.
    """
    space = source if isinstance(source, Space) else read_space(source)
    performances = performances_from_results(agents, space.domains, missing)
    if say is not None and (words := said(space, len(performances.samples), performances.repeated)):
        say(words)
    return score(space, performances, value=value, seed=seed, confidence=confidence)
