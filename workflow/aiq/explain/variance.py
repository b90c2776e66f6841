"""Where the variance of the agents' scores comes from, and what doubling each number would buy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from aiq.explain.finished import FinishedRun
from aiq.explain.sensitivity import hours
from aiq.explain.sources import Sources, half_of, replicates
from aiq.plans.run import Run, SuiteRun
from aiq.records.estimate import Estimate, Floats
from aiq.records.variance import GROWN, Advice, AgentVariance, Variances, mean_half
from aiq.stats import Z, allocation

FACTOR = 2
NOTHING = 1e-18  # a variance that rounding alone makes
SPLIT = 200  # replicates of a split where the configuration asks for none


def variances(raw: Mapping[str, Any], origin: str, count: int = 1000, value: str | None = None) -> Variances:
    """Return where the uncertainty of a finished run's scores comes from, and what doubling each number would buy.

    Besides the split of ``split`` the half-widths of the intervals are found with each source held at its estimate.

    Args:
        raw: the configuration of the suite.
        origin: its name in refusals.
        count: replicates of the half-widths.
        value: whose uncertainty, ``skills`` or ``volume``; None: the run's headline.

    Raises:
        StorageError: the run is not finished.
        InputError: nobody is scored.
    """
    run: SuiteRun = Run.of(raw, "aiq", origin)
    sources = Sources(run, count, value)
    whole = sources.intervals()
    without = {source: sources.intervals([source]) for source in sources.of_run}
    halves = {name: {source: intervals[name][1] for source, intervals in without.items()} for name in whole}
    wanted = run.configuration.page.variance or SPLIT
    count = replicates(len(sources.names), sources.dimensions, len(whole), wanted)
    return _variances(Sources(run, count, value), raw, whole, halves)


def split(run: SuiteRun, wanted: int = SPLIT) -> Variances:
    """Return the variance of a finished run's scores by source, in shares that add up to 1, and the advice.

    Sources are held at their estimates in all combinations, while the noise that dimensions are judged by stays that of
    the run; a share is the mean over all orders in which they can become known. Doubling a number is taken to halve its
    source's part of the variance. Of the ``wanted`` replicates there are fewer with very many domains or many agents.

    Raises:
        StorageError: the run is not finished.
        InputError: nobody is scored.
    """
    scores = FinishedRun(run).scores.scores
    count = replicates(len(run.configuration.domains), scores.dimensions, len(scores.agents), wanted)
    sources = Sources(run, count)
    by_volume = sources.value == "volume"
    whole = {agent.agent: half_of(agent.per_dimension if by_volume else agent.headline) for agent in scores.agents}
    return _variances(sources, run.configuration.model_dump(mode="json"), whole, {})


def _variances(
    sources: Sources,
    raw: Mapping[str, Any],
    whole: Mapping[str, tuple[float, float]],
    without: Mapping[str, Mapping[str, float]],
) -> Variances:
    c = sources.run.configuration
    each, together, count = _split_skills(sources) if sources.value == "skills" else _split_volumes(sources)
    agents = tuple(
        AgentVariance(name, value, half, each[name], without.get(name, {})) for name, (value, half) in whole.items()
    )
    grown = [source for source in sources.of_run if source != "dimensions"] if together else []
    advice = [step for source in grown if (step := _advised(sources, raw, agents, source)) is not None]
    ranked = tuple(sorted(advice, key=lambda step: -step.gain))
    return Variances(c.name, c.quotient.confidence, sources.of_run, agents, together, count, ranked, sources.value)


Split = tuple[dict[str, dict[str, Estimate]], dict[str, Estimate], int]
"""Agent -> source -> share; of all agents together; replicates."""


def _split_skills(sources: Sources) -> Split:
    """Return the shares of the means over skills, whose variances need no replicates."""
    contributions = allocation.shapley(sources.variances().T)

    def shares(parts: Floats) -> dict[str, Estimate]:
        if not parts.sum() > NOTHING:
            return {}
        return {
            source: Estimate(float(part / parts.sum()), None, len(sources.names), "Shapley value of the variance")
            for source, part in zip(sources.of_run, parts, strict=True)
        }

    return dict(zip(sources.agents, map(shares, contributions), strict=True)), shares(contributions.sum(axis=0)), 0


def _split_volumes(sources: Sources) -> Split:
    """Return the shares of AIQ per dimension over replicates, and how many these are."""
    drawn = sources.corners()
    each = {name: _estimates(sources, drawn[..., place]) for place, name in enumerate(sources.agents)}
    together = _estimates(sources, drawn)
    return each, together, drawn.shape[1] if together else 0


def _estimates(sources: Sources, drawn: Floats) -> dict[str, Estimate]:
    """Return the shares of replicates (2^p, R) or (2^p, R, A) with 95 % intervals; empty where nothing varies."""
    if not drawn.shape[1]:
        return {}
    values, errors = allocation.of_variance(drawn)
    if np.isnan(values).any():
        return {}
    how = "Shapley value of the variance, jackknife over replicates"
    return {
        source: Estimate(float(value), (float(value - Z * se), float(value + Z * se)), drawn.shape[1], how)
        for source, value, se in zip(sources.of_run, values, errors, strict=True)
    }


def _advised(sources: Sources, raw: Mapping[str, Any], agents: Sequence[AgentVariance], source: str) -> Advice | None:
    """Return what doubling a source's number would buy; None where nothing is repeated."""
    run, ends = sources.run, sources.grown_together
    if source == "agents" and not run.configuration.agents.networks:
        return None
    now, other = _doubled(run, raw, source, ends=ends)
    here = sources.repeated_here if source == "agents" else {agent.agent for agent in agents}
    left = [1 - agent.share(source) * (1 - 1 / FACTOR) * (agent.agent in here) for agent in agents]
    after = float(np.mean([agent.half * np.sqrt(part) for agent, part in zip(agents, left, strict=True)]))
    trained = run.configuration.dissimilarity.ends_trained
    also = f"dissimilarity.end_repetitions {trained} → {FACTOR * trained}" if ends and source == "mixtures" else ""
    return Advice(source, GROWN[source], now, FACTOR * now, mean_half(agents), after, hours(run, other), also)


def _doubled(run: SuiteRun, raw: Mapping[str, Any], source: str, *, ends: bool) -> tuple[int, SuiteRun]:
    """Return a source's number, and the run with twice as much and all else as it is, or ends doubled with mixtures."""
    c, d = run.configuration, run.configuration.dissimilarity
    numbers = {"pool": c.pool.size, "ends": d.ends_trained, "mixtures": d.repetitions, "agents": c.agents.repetitions}
    section, key = GROWN[source].split(".")
    new = {key: FACTOR * numbers[source]}
    if source == "mixtures" and d.ends == "domain":
        new["end_repetitions"] = (FACTOR if ends else 1) * d.ends_trained
    changed = {**raw, section: {**raw.get(section, {}), **new}}
    return numbers[source], Run.of(changed, "aiq", "the changed configuration")
