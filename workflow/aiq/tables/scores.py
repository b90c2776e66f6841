"""Agents scored in a space from performances alone: headline, volumes, their order, and the tables of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from aiq import seeding, storage
from aiq.errors import InputError, did_you_mean
from aiq.measures import quotient, skills, weighing
from aiq.measures.quotient import bootstrap, hull
from aiq.measures.quotient.bootstrap import fits
from aiq.measures.quotient.hull import Budget, cost, facet_bound
from aiq.records.estimate import Floats, cells
from aiq.records.observations import Observations
from aiq.records.quotient import Scores, Skills
from aiq.records.space import Space, Weights
from aiq.records.table import Cell, Table, bounds
from aiq.storage.hdf5 import holds_one

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

    InputError where there is no such file, or it is of another kind; StorageError where it is damaged.
    """
    if not Path(source).is_file():
        what = f"{source} is a folder" if Path(source).is_dir() else f"there is no file {source}"
        raise InputError(f"{what}; give a space that aiq space -o or a run made (space.h5)")
    if not holds_one(source):
        raise InputError(f"{source} is no space; give one that aiq space -o or a run made (space.h5)")
    return storage.read_result(source, "space", Space)


# ---- Tables of scored agents and of what each test counts ----------------------------------------


PROFILE = {1: "arithmetic", -1: "harmonic"}
"""Exponents of the profile beside the headline, and what their columns are called."""

_NUMBERS = ("per_dimension", "relative", "geometric_mean", "mean", "volume")
_ESTIMATES = ("value", *(f"{name}_skill_mean" for name in PROFILE.values()), *_NUMBERS)
_AGENTS = (
    *("rank", "agent", "rank_low", "rank_high", *bounds(*_ESTIMATES)),
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
            around = (d, a.by_dimensions.get(d - 1), a.by_dimensions.get(d + 1), a.order)
            words = (a.hull.method, scores.note, said)
            ranks = a.ranks or (a.rank, a.rank)
            rows.append((a.rank_words, a.agent, *ranks, *cells(*numbers), scores.headline, *around, *words))
    empty = (None,) * (_AGENTS.index("method") - 2)
    rows += [(None, agent, *empty, f"not scored: {reason}", "", "") for agent, reason in (unscored or {}).items()]
    return Table.of(_AGENTS, rows)


def tests_table(scores: Scores) -> Table:
    """Return one row per test: what it counts in the mean over independent skills, and why."""
    columns = ("domain", *bounds("weight"), *bounds("hardness"), *bounds("uniqueness"), "why", *bounds("independent"))
    if scores.skills is None:
        return Table.of(columns, [])
    every = scores.skills.weights.independent.cells()
    tests = scores.skills.weights.tests
    rows = [(t.domain, *cells(t.weight, t.hardness, t.uniqueness), t.why, *every) for t in tests]
    return Table.of(columns, rows)


Samples = Mapping[str, Sequence[Floats]]  # agent -> for each domain, its repetitions


def score(
    space: Space,
    performances: Performances | Samples,
    *,
    seed: int,
    confidence: float = 0.95,
    value: str = "skills",
) -> Scores:
    """Score agents by the means of their repetitions, with what the spread of the repetitions makes uncertain.

    ``value``: the headline by which agents are listed, ``skills`` or ``volume``.

    Raises:
        InputError: for performances that cannot be had.
    """
    given = performances if isinstance(performances, Performances) else Performances(performances, {})
    count = REPLICATES if space.bootstrap is None else len(space.bootstrap.coordinates)
    means = np.array([[repetitions.mean() for repetitions in values] for values in given.samples.values()])
    replicates = np.tile(means, (count, 1, 1))
    single = []
    for i, (agent, values) in enumerate(given.samples.items()):
        rng = seeding.generator(seed, "score", agent)
        drawn = bootstrap.agent_draws(values, count, rng, se=given.se.get(agent))
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
    weights = weighing.weigh(space.domains, space.complexity, space.dissimilarity, seed=space.seed)
    why = "the file of the space is of an earlier version: what each test counts has no interval; make the space again"
    return replace(weights, warnings=(why,))


def score_from(
    space: Space, agents: Observations, *, missing: str = "refuse", say: Callable[[str], None] | None = None, **how: Any
) -> Scores:
    """Score agents by their results.

    ``missing``: the rule for missing cells of results (``refuse``, ``agents``, ``zero``). ``say`` takes a sentence
    before work that may take long. ``how``: options of ``score``.

    Raises:
        InputError: for a table that cannot be used.
    """
    performances = performances_from_results(agents, space.domains, missing)
    if say is not None and (words := said(space, len(performances.samples), performances.repeated)):
        say(words)
    return score(space, performances, **how)


# ---- Performances of agents on the tests of a space, from what was read --------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Performances:
    """What agents reached on the n tests of a space.

    ``samples``: agent -> its repetitions on each test; ``se``: agent -> standard errors (n,) that another program gave
    of results without repetitions, NaN where there is none; ``notes``: what was left out or done, in sentences.
    """

    samples: Mapping[str, Sequence[Floats]]
    se: Mapping[str, Floats]
    notes: tuple[str, ...] = ()

    @property
    def repeated(self) -> bool:
        """Whether anything is known of any agent's own uncertainty."""
        several = any(values.size > 1 for agent in self.samples.values() for values in agent)
        return several or any(np.isfinite(errors).any() for errors in self.se.values())


def performances_from_table(path: str, domains: Sequence[str]) -> Performances:
    """Return the performances in a file.

    InputError where it cannot be read, an agent lacks a test of the space, or a value has no known scale.
    """
    from aiq.readers import read  # brings pandas

    results = read(path, known=domains)
    try:
        return performances_from_results(results, domains)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def performances_from_results(results: Observations, domains: Sequence[str], missing: str = "refuse") -> Performances:
    """Return the performances that a reader found in what another program wrote, on the tests of a space.

    Other tests are left out, and a note says so. ``missing``: the rule for missing cells (``refuse``, ``agents``,
    ``zero``).
    """
    tests = results.domains
    lacking = next((name for name in domains if name not in tests), None)
    if lacking is not None:
        hint = did_you_mean(lacking, [test for test in tests if test not in domains])
        more = f"{', '.join(tests[:8])}{' and more' if len(tests) > 8 else ''}"
        raise InputError(
            f"no agent has a performance on the test {lacking!r}, which the space has{hint}; there are {more}"
        )
    asked = results.tests().only(domains)
    gaps = np.argwhere(asked.counts() == 0) if missing == "refuse" else ()
    if len(gaps):
        agent, domain = asked.agents[gaps[0][0]], asked.domains[gaps[0][1]]
        raise InputError(
            f"agent {agent} has no performance on {domain} ({len(gaps)} of {asked.counts().size} cells are missing); "
            "every agent needs all, or aiq score is told what to do: --missing agents, zero"
        )
    whole = asked.complete(missing)
    errors = whole.errors()
    samples = {agent: [whole.repetitions(agent, domain) for domain in domains] for agent in whole.agents}
    gone = [name for name in results.agents if name not in whole.agents]
    extra = [name for name in tests if name not in domains]
    notes = [f"tests that the space does not have were left out: {', '.join(extra)}"] if extra else []
    notes += [f"agents without all tests were left out: {', '.join(gone)}"] if gone else []
    notes += _without_error(whole, errors)
    return Performances(samples, dict(zip(whole.agents, errors, strict=True)), (*notes, *whole.decisions))


def _without_error(whole: Observations, errors: Floats) -> list[str]:
    """Return what is said of tests whose error is not known while that of others is."""
    counts = whole.counts()
    exact = (counts == 1) & np.isnan(errors)
    partly = exact.any(axis=1) & np.isfinite(errors).any(axis=1) & (counts == 1).all(axis=1)
    if not partly.any():
        return []
    tests = [name for name, gone in zip(whole.domains, exact[partly].any(axis=0), strict=True) if gone]
    return [
        f"no error is known of {', '.join(tests)}: its value counts as exact for {int(partly.sum())} agents, so their "
        "intervals hold the errors of the other tests alone"
    ]
