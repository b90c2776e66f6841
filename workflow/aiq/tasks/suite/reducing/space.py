"""Place the domains in the intelligence space, and score agents in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import seeding, storage
from aiq.config.measures import Space as SpaceSettings
from aiq.errors import InputError, choice
from aiq.measures import quotient, skills
from aiq.measures.quotient import agent_draws, hull
from aiq.plans.run import SuiteRun as Run
from aiq.records.complexity import Complexity
from aiq.records.control import OutsidePlay
from aiq.records.observations import Observations
from aiq.records.quotient import Scores
from aiq.records.skills import Skills, Weights
from aiq.records.space import Space
from aiq.storage import Source, shards
from aiq.storage.records import unpack
from aiq.storage.trials import unpack_trials
from aiq.tasks.shell.job import LOGGER
from aiq.tasks.suite.reducing import lengths
from aiq.tasks.suite.reducing.complexity import DomainComplexity
from aiq.tasks.suite.reducing.dissimilarity import DRAWS, SuiteDissimilarity
from aiq.tasks.suite.reducing.geometry import distances
from aiq.tasks.suite.reducing.locating import located
from aiq.tasks.suite.tables import long_scores
from aiq.tasks.suite.tables.given import read_space
from aiq.tasks.suite.tables.performances import Performances, performances_from_results, performances_from_table

Floats = npt.NDArray[np.float64]
VALUES = ("skills", "volume")
"""Headlines of agents, the usual one first."""

Samples = Mapping[str, Sequence[Floats]]  # agent -> for each domain, its repetitions


@dataclass(frozen=True, eq=False)
class AgentScores:
    """Scores of a run with the performances behind them: rows (agent, domain, repetition, performance).

    ``failed`` trainings and repetitions have no performance. ``unscored``: agents without any performance on some
    domain, and why.
    """

    scores: Scores
    agent: tuple[str, ...]
    domain: tuple[str, ...]
    repetition: npt.NDArray[np.int64]
    performance: Floats
    failed: int
    core_seconds: float
    unscored: Mapping[str, str] = field(default_factory=dict)

    def repetitions(self, agent: str, domain: str) -> Floats:
        """Return the performances of an agent on a domain, shape (repetitions,)."""
        rows = (np.array(self.agent) == agent) & (np.array(self.domain) == domain)
        return np.asarray(self.performance[rows])


def build_space(run: Run, complexities: Sequence[str | Path], matrix: str | Path, target: str | Path) -> None:
    """Place the domains by their complexities and dissimilarities, with replicates of both."""
    c, plan = run.configuration, run.plan
    names = list(c.domains)
    records = [
        storage.read_result(path, "complexity", DomainComplexity, plan.complexity(name)).complexity
        for name, path in zip(names, complexities, strict=True)
    ]
    known = ("dissimilarity", SuiteDissimilarity, plan.dissimilarity())
    suite = storage.read_result(matrix, *known, without=DRAWS)
    if c.space.distance == "departure" and not suite.errors_known:
        suite = storage.read_result(matrix, *known)
    built = placed(c.space, c.seed, names, records, suite)
    storage.write_result(target, "space", built, plan.space(), c.seed)
    LOGGER.info("%d dimensions kept, stress %.3f", built.dimensions, built.stress)


def placed(
    settings: SpaceSettings,
    seed: int,
    names: Sequence[str],
    records: Sequence[Complexity],
    suite: SuiteDissimilarity,
    among: npt.NDArray[np.bool_] | None = None,
) -> Space:
    """Return the space of some domains, from their complexities and dissimilarities with replicates of both.

    ``among`` (chunks of a larger pool,) says which of them the complexities rest on; see ``lengths.known``.
    """
    far = lengths.of_records(records, settings.length, among)
    matrix, of_pairs = distances(suite, settings.distance, seed)
    built = located(
        names,
        far,
        matrix,
        of_pairs,
        draws=suite.draws,
        seed=seed,
        anchor=settings.anchor,
        dimensions=settings.dimensions,
        share=settings.share,
        null=settings.null,
        merge=settings.merge,
        refine=settings.refine,
        distance=settings.distance,
        self_replicates=suite.floor.replicates if settings.distance == "departure" else None,
        confidence=settings.confidence,
    )
    lacking = [f"{p.a} and {p.b}" for p in suite.relative if p.relative.undefined]
    if settings.distance != "relative" or not lacking:
        return built
    why = f"no relative dissimilarity of {', '.join(lacking)}: counted as unrelated, which is assumed, not measured"
    return replace(built, warnings=(why, *built.warnings))


def score_agents(
    run: Run,
    source: str | Path,
    trained: Sequence[str | Path],
    table: Sequence[str | Path],
    target: str | Path,
    outside: Sequence[str | Path] = (),
) -> None:
    """Score the agents that were trained here, those from outside that played here, and those of the table."""
    c, plan = run.configuration, run.plan
    known = storage.read_result(source, "space", Space, plan.space())
    performances, unscored, failed, seconds = read_agents(run, trained)
    strangers, refused, lost = read_outside(run, outside)
    performances |= strangers
    unscored |= refused
    errors: dict[str, Floats] = {}
    notes: list[str] = []
    for path in table:
        given = performances_from_table(path, known.domains)
        for agent, values in given.samples.items():
            if agent in performances:
                raise InputError(f"{path}: agent {agent} is also trained by this configuration; rename one of them")
            performances[agent] = list(values)
        errors |= given.se
        notes += given.notes
    how: dict[str, Any] = {"seed": c.seed, "confidence": c.quotient.confidence, "value": c.value}
    if performances:
        given = Performances(performances, errors, tuple(notes))
        scores = score(known, given, facet_budget=c.quotient.facet_budget, prior_df=c.quotient.prior_df, **how)
    else:
        scores = _of_nobody(known, **how)
    rows = [
        (agent, domain, r, float(value))
        for agent, values in performances.items()
        for domain, repetitions in zip(known.domains, values, strict=True)
        for r, value in enumerate(repetitions)
    ]
    agent, domain = (tuple(row[place] for row in rows) for place in (0, 1))
    repetition, performance = np.array([row[2] for row in rows], np.int64), np.array([row[3] for row in rows], float)
    record = AgentScores(scores, agent, domain, repetition, performance, failed + lost, seconds, unscored)
    storage.write_result(target, "scores", record, plan.scores(), c.seed)
    LOGGER.info("%d agents scored, %d failed trainings", len(performances), failed)


def read_agents(run: Run, paths: Sequence[str | Path]) -> tuple[dict[str, list[Floats]], dict[str, str], int, float]:
    """Return the performances of the trained agents, why some have none, how many trainings failed, and their seconds.

    Failed trainings are left out of an agent's repetitions.
    """
    plan, names = run.plan, list(run.configuration.domains)
    found: dict[tuple[str, str], list[float]] = {}
    failed, seconds = 0, 0.0
    for path, job in zip(paths, plan.agent_jobs, strict=True):
        for unit, content in shards.read(path, "agents", plan.of_agent_job(job)).items():
            for trial in unpack_trials(content.tree):
                values = found.setdefault((unit.rsplit("+", 1)[0], job.domain), [])
                seconds += trial.seconds
                if np.isnan(trial.performance):
                    failed += 1
                else:
                    values.append(trial.performance)
    unscored: dict[str, str] = {}
    for (agent, domain), values in found.items():
        if not values:
            unscored.setdefault(agent, f"every training on {domain} diverged or failed; lower its learning rate")
    agents = [agent.name for agent in run.configuration.agents.networks if agent.name not in unscored]
    performances = {agent: [np.array(found[agent, name]) for name in names] for agent in agents}
    return performances, unscored, failed, seconds


def read_outside(run: Run, paths: Sequence[str | Path]) -> tuple[dict[str, list[Floats]], dict[str, str], int]:
    """Return the performances of the agents from outside, why some have none, and how many repetitions failed.

    ``paths`` are by agent, then by domain, in the order of the configuration.
    """
    names = list(run.configuration.domains)
    waiting = iter(paths)
    found: dict[str, list[Floats]] = {}
    unscored: dict[str, str] = {}
    failed = 0
    for agent in run.configuration.agents.outside if paths else ():
        values = []
        for domain in names:
            units = shards.read(next(waiting), "outside", run.plan.of_outside(domain, agent.name))
            plays = [unpack(OutsidePlay, units[unit].tree) for unit in sorted(units)]
            values.append(np.array([play.performance for play in plays if play.status == "finished"]))
            failed += len(plays) - values[-1].size
            if not values[-1].size:
                unscored.setdefault(agent.name, plays[0].reason)
        if agent.name not in unscored:
            found[agent.name] = values
    return found, unscored, failed


def score(
    known: Space,
    performances: Performances | Samples,
    *,
    seed: int,
    prior_df: float = agent_draws.PRIOR_DF,
    confidence: float = 0.95,
    facet_budget: int | None = None,
    value: str = VALUES[0],
) -> Scores:
    """Score agents by the means of their repetitions, with what the spread of the repetitions makes uncertain.

    Args:
        known: the space, with what each test counts.
        performances: of every agent on every test.
        seed: root of the resampling.
        prior_df: weight of an agent's mean variance over its tests.
        confidence: of the intervals.
        facet_budget: of exact volumes.
        value: the headline by which agents are listed, ``skills`` or ``volume``.

    Raises:
        InputError: for performances or a headline that cannot be had.
    """
    if value not in VALUES:
        raise InputError(choice("the headline value", value, VALUES))
    given = performances if isinstance(performances, Performances) else Performances(performances, {})
    count = long_scores.REPLICATES if known.bootstrap is None else len(known.bootstrap.coordinates)
    means = np.array([[repetitions.mean() for repetitions in values] for values in given.samples.values()])
    replicates = np.tile(means, (count, 1, 1))
    single = []
    for i, (agent, values) in enumerate(given.samples.items()):
        rng = seeding.generator(seed, "score", agent)
        drawn = agent_draws.draws(values, count, rng, prior_df, given.se.get(agent))
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
        known.weights or weights_of(known), given.samples, se=given.se, prior_df=prior_df, seed=seed,
        confidence=confidence,
    )  # fmt: skip
    warnings = tuple(dict.fromkeys((*by_skills.warnings, *scores.warnings, *given.notes)))
    scores = replace(scores, skills=by_skills, warnings=warnings, share=known.dimensionality.share)
    return scores if value == "volume" else listed_by_skills(scores)


def _of_nobody(known: Space, *, seed: int, confidence: float, value: str) -> Scores:
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
    if say is not None and (words := long_scores.said(known, len(found.samples), found.repeated)):
        say(words)
    return score(known, found, value=value, seed=seed, confidence=confidence)
