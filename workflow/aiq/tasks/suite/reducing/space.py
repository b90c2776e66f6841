"""Place the domains in the intelligence space, and score agents in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aiq import seeding, storage
from aiq.config.measures import Space as SpaceSettings
from aiq.errors import InputError
from aiq.measures import quotient, space
from aiq.measures.quotient import agent_draws
from aiq.plans.run import SuiteRun as Run
from aiq.records.complexity import Complexity
from aiq.records.control import OutsidePlay
from aiq.records.quotient import Scores
from aiq.records.space import Space
from aiq.storage import Source, shards
from aiq.storage.records import unpack
from aiq.storage.trials import unpack_trials
from aiq.tasks.shell.job import LOGGER
from aiq.tasks.suite.reducing import lengths
from aiq.tasks.suite.reducing.complexity import DomainComplexity
from aiq.tasks.suite.reducing.dissimilarity import DRAWS, SuiteDissimilarity
from aiq.tasks.suite.reducing.geometry import distances
from aiq.tasks.suite.tables import long_scores
from aiq.tasks.suite.tables.given import read_space
from aiq.tasks.suite.tables.measures import performances_from_table

Floats = npt.NDArray[np.float64]
Performances = Mapping[str, Sequence[Floats]]  # agent -> for each domain, its repetitions


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
    if c.space.distance != "transfer" and not suite.errors_known:
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
    length, why = lengths.chosen(records, settings.length)
    values, how = lengths.known(records, length, suite.draws, seed, among)
    matrix, of_pairs = distances(suite, settings.distance, seed)
    count = suite.draws
    if "complexity_replicates" in how:
        count = min(count, len(how["complexity_replicates"]))
        how["complexity_replicates"] = how["complexity_replicates"][:count]
    built = space.build(
        names,
        values,
        matrix,
        anchor=settings.anchor,
        dimensions=settings.dimensions,
        null=settings.null,
        merge=settings.merge,
        refine=settings.refine,
        length=length,
        distance=settings.distance,
        draws=max(count, 2),
        self_replicates=None if settings.distance == "transfer" else suite.floor.replicates[:count],
        seed=seed,
        confidence=settings.confidence,
        **how,
        **{name: value[:count] if name == "dissimilarity_replicates" else value for name, value in of_pairs.items()},
    )
    return replace(built, warnings=(*why, *built.warnings))


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
    performances, failed, seconds = read_agents(run, trained)
    strangers, unscored, lost = read_outside(run, outside)
    performances |= strangers
    for path in table:
        for agent, values in performances_from_table(path, known.domains).items():
            if agent in performances:
                raise InputError(f"{path}: agent {agent} is also trained by this configuration; rename one of them")
            performances[agent] = list(values.T)
    if not performances:
        raise InputError(f"there is nobody to score: {next(iter(unscored.values()), 'no agent is configured')}")
    scores = score(
        known,
        performances,
        facet_budget=c.quotient.facet_budget,
        prior_df=c.quotient.prior_df,
        confidence=c.quotient.confidence,
        seed=c.seed,
    )
    rows = [
        (agent, domain, r, float(value))
        for agent, values in performances.items()
        for domain, repetitions in zip(known.domains, values, strict=True)
        for r, value in enumerate(repetitions)
    ]
    agent, domain, repetition, performance = zip(*rows, strict=True)
    record = AgentScores(
        scores, agent, domain, np.array(repetition), np.array(performance), failed + lost, seconds, unscored
    )
    storage.write_result(target, "scores", record, plan.scores(), c.seed)
    LOGGER.info("%d agents scored, %d failed trainings", len(performances), failed)


def read_agents(run: Run, paths: Sequence[str | Path]) -> tuple[dict[str, list[Floats]], int, float]:
    """Return the performances of the trained agents, how many trainings failed, and their seconds.

    Failed trainings are left out of an agent's repetitions.

    Raises:
        InputError: every training of an agent on a domain failed.
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
    for (agent, domain), values in found.items():
        if not values:
            raise InputError(
                f"every training of agent {agent} on domain {domain} diverged or failed; lower its learning rate"
            )
    agents = [agent.name for agent in run.configuration.agents.networks]
    return {agent: [np.array(found[agent, name]) for name in names] for agent in agents}, failed, seconds


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
    performances: Performances,
    *,
    seed: int,
    prior_df: float = agent_draws.PRIOR_DF,
    confidence: float = 0.95,
    facet_budget: int | None = None,
) -> Scores:
    """Score agents by the means of their repetitions, with what the spread of the repetitions makes uncertain."""
    count = long_scores.REPLICATES if known.bootstrap is None else len(known.bootstrap.coordinates)
    means = np.array([[repetitions.mean() for repetitions in values] for values in performances.values()])
    replicates = np.tile(means, (count, 1, 1))
    single = []
    for i, (agent, values) in enumerate(performances.items()):
        drawn = agent_draws.draws(values, count, seeding.generator(seed, "score", agent), prior_df)
        if drawn is None:
            single.append(agent)
        else:
            replicates[:, i] = drawn
    return quotient.score(
        known,
        list(performances),
        means,
        performance_replicates=replicates if len(single) < len(performances) else None,
        single=single,
        facet_budget=facet_budget,
        seed=seed,
        confidence=confidence,
    )


def score_from_table(
    source: str | Path | Space,
    table: Source,
    *,
    seed: int = 0,
    confidence: float = 0.95,
    say: Callable[[str], None] | None = None,
) -> Scores:
    """Score the agents of a table ``agent,domain,performance[,repetition]``, or a wide one, in a space or its file.

    Args:
        source: the space or its file.
        table: the agents' performances.
        seed: root of the resampling.
        confidence: of the intervals.
        say: takes a sentence before work that may take long.

    Raises:
        InputError, StorageError: for a table or a file that cannot be used.
    """
    known = source if isinstance(source, Space) else read_space(source)
    performances = performances_from_table(table, known.domains)
    samples = {agent: list(values.T) for agent, values in performances.items()}
    repeated = any(len(values) > 1 for values in performances.values())
    if say is not None and (words := long_scores.said(known, len(samples), repeated)):
        say(words)
    return score(known, samples, seed=seed, confidence=confidence)
