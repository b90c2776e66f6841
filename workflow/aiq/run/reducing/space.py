"""Place the domains in the intelligence space, and score agents in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import storage
from aiq.config.measures import Space as SpaceSettings
from aiq.errors import InputError
from aiq.measures import dissimilarity
from aiq.measures.draws import Errors
from aiq.plans.run import SuiteRun as Run
from aiq.records.complexity import Complexity
from aiq.records.dissimilarity import Dissimilarity
from aiq.records.domains import OutsidePlay
from aiq.records.estimate import Floats
from aiq.records.quotient import Scores
from aiq.records.space import Space
from aiq.run.job import LOGGER
from aiq.run.reducing.complexity import DomainComplexity
from aiq.run.reducing.dissimilarity import DRAWS, SuiteDissimilarity
from aiq.storage import shards
from aiq.storage.records import unpack
from aiq.storage.shards import unpack_trials
from aiq.tables.locating import by_relative, completed, lengths_of, located
from aiq.tables.scores import Performances, of_nobody, performances_from_table, score


def distances(suite: SuiteDissimilarity, distance: str = "departure", seed: int = 0) -> tuple[Floats, dict[str, Any]]:
    """Return the matrix (n, n) that makes the geometry, and what is known of its errors, as options of ``build``.

    By transfer these are distances of ``transfer_geometry``, with replicates where every error is known; relative ones
    are roots of 1 - cosine, with the cosines themselves and replicates of both. Else, where
    unbiased squares are asked for and the error of every pair is known, these are the signed areas with the
    standard error of each pair and of the end of each domain, or what landmarks make of them, with replicates. Else the
    chosen values and their replicates.
    """
    records = {(pair.a, pair.b): pair.measured for pair in suite.pairs}
    if distance == "transfer":
        return _by_transfer(suite.domains, records, suite.draws, seed)
    if distance == "relative":
        return by_relative(suite.domains, suite.relative, suite.draws, seed)
    if not suite.errors_known:
        return suite.matrix, {"dissimilarity_replicates": suite.replicates}
    errors = dissimilarity.suite_errors(suite.domains, records)
    apart = np.where(np.eye(len(suite.domains), dtype=bool), 0.0, errors.end).max(axis=1)
    df = float(np.nanmin(errors.df_inner))
    if suite.completion is not None:
        signed_errors = Errors(np.nan_to_num(errors.se_inner), apart, df)
        return completed(errors.signed, signed_errors, suite.completion.landmarks, seed)
    options: dict[str, Any] = {"dissimilarity_se": errors.se_inner, "dissimilarity_df": df}
    return errors.signed, options | ({"end_se": apart} if apart.any() else {})


def _by_transfer(
    domains: Sequence[str], records: Mapping[tuple[str, str], Dissimilarity], draws: int, seed: int
) -> tuple[Floats, dict[str, Any]]:
    """Return distances by transfer, and replicates of them where every error is known."""
    area, error, df = transfer_areas(domains, records)
    matrix = dissimilarity.transfer_geometry(area, error).distances
    if np.isnan(error).any():
        return matrix, {}
    drawn = dissimilarity.transfer_replicates(area, error, df=df, resamples=max(draws, 2), seed=seed)
    return matrix, {"dissimilarity_replicates": drawn}


def transfer_areas(
    domains: Sequence[str], records: Mapping[tuple[str, str], Dissimilarity]
) -> tuple[Floats, Floats, Floats]:
    """Return the areas (n, n) whose geometry is that of transfer, their own standard errors and degrees of freedom.

    These are the transfer areas, or the signed ones where no controls were trained: with proportions that lie evenly
    about 1/2 the controls cancel. Errors are NaN where they are unknown.
    """
    n = len(domains)
    area, error, df = np.full((n, n), np.nan), np.full((n, n), np.nan), np.full((n, n), np.inf)
    for (a, b), record in records.items():
        i, j = domains.index(a), domains.index(b)
        value, own, freedom = _transfer_area(record)
        area[[i, j], [j, i]], error[[i, j], [j, i]], df[[i, j], [j, i]] = value, own, freedom
    return area, error, df


def _transfer_area(record: Dissimilarity) -> tuple[float, float, float]:
    """Return the area of one pair with the standard error of its own trainings and its degrees of freedom."""
    parts = record.parts
    part = None if parts is None else parts.transfer if parts.transfer is not None else parts.interference
    if part is not None:
        own = part.own
        return (part.estimate.value, np.nan, np.inf) if own is None else (part.estimate.value, own.se, own.df)
    error = record.error
    if error is None:
        return record.signed.value, np.nan, np.inf
    inner = (error.se_inner, error.df_inner) if error.shared else (error.se, error.df)
    return (record.signed.value, *inner)


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
    wanted = ("dissimilarity", SuiteDissimilarity, plan.dissimilarity())
    suite = storage.read_result(matrix, *wanted, without=DRAWS)
    if c.space.distance == "departure" and not suite.errors_known:
        suite = storage.read_result(matrix, *wanted)
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

    ``among`` (chunks of a larger pool,) says which of them the complexities rest on; see ``locating.lengths_of``.
    """
    far = lengths_of(records, settings.length, among)
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
    pairs = ", ".join(lacking)
    why = f"no relative dissimilarity of {pairs}: counted as unrelated, which is assumed, with an error up to the same"
    return replace(built, warnings=(why, *built.warnings))


def score_agents(
    run: Run,
    source: str | Path,
    trained: Sequence[str | Path],
    target: str | Path,
    outside: Sequence[str | Path] = (),
) -> None:
    """Score the agents that were trained here, those from outside that played here, and those of the table."""
    c, plan = run.configuration, run.plan
    space = storage.read_result(source, "space", Space, plan.space())
    performances, unscored, failed, seconds = read_agents(run, trained)
    strangers, refused, lost = read_outside(run, outside)
    performances |= strangers
    unscored |= refused
    errors: dict[str, Floats] = {}
    notes: list[str] = []
    for path in filter(None, [c.agents.table]):
        given = performances_from_table(path, space.domains)
        for agent, values in given.samples.items():
            if agent in performances:
                raise InputError(f"{path}: agent {agent} is also trained by this configuration; rename one of them")
            performances[agent] = list(values)
        errors |= given.se
        notes += given.notes
    how: dict[str, Any] = {"seed": c.seed, "confidence": c.quotient.confidence, "value": c.value}
    if performances:
        given = Performances(performances, errors, tuple(notes))
        scores = score(space, given, **how)
    else:
        scores = of_nobody(space, **how)
    rows = [
        (agent, domain, r, float(value))
        for agent, values in performances.items()
        for domain, repetitions in zip(space.domains, values, strict=True)
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
    trained: dict[tuple[str, str], list[float]] = {}
    failed, seconds = 0, 0.0
    for path, job in zip(paths, plan.agent_jobs, strict=True):
        for unit, content in shards.read(path, "agents", plan.of_agent_job(job)).items():
            for trial in unpack_trials(content.tree):
                values = trained.setdefault((unit.rsplit("+", 1)[0], job.domain), [])
                seconds += trial.seconds
                if np.isnan(trial.performance):
                    failed += 1
                else:
                    values.append(trial.performance)
    unscored: dict[str, str] = {}
    for (agent, domain), values in trained.items():
        if not values:
            unscored.setdefault(agent, f"every training on {domain} diverged or failed; its logs say why")
    agents = [agent.name for agent in run.configuration.agents.networks if agent.name not in unscored]
    performances = {agent: [np.array(trained[agent, name]) for name in names] for agent in agents}
    return performances, unscored, failed, seconds


def read_outside(run: Run, paths: Sequence[str | Path]) -> tuple[dict[str, list[Floats]], dict[str, str], int]:
    """Return the performances of the agents from outside, why some have none, and how many repetitions failed.

    ``paths`` are by agent, then by domain, in the order of the configuration.
    """
    names = list(run.configuration.domains)
    waiting = iter(paths)
    performances: dict[str, list[Floats]] = {}
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
            performances[agent.name] = values
    return performances, unscored, failed
