"""Read what the baseline of control domains did, and compare agents with it (3.4.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import seeding, storage
from aiq.measures import apti, quotient
from aiq.measures.quotient.hull import Budget
from aiq.plans.run import SuiteRun as Run
from aiq.records.comparison import Apti
from aiq.records.domains import BaselinePlay
from aiq.records.estimate import Estimate
from aiq.records.quotient import Scores
from aiq.records.space import Space
from aiq.records.trial import Trial
from aiq.run.job import LOGGER
from aiq.run.reducing.space import AgentScores
from aiq.stats import percentile_interval
from aiq.storage import shards
from aiq.storage.shards import unpack_trials

Weights = tuple[npt.NDArray[np.float32], ...]


@dataclass(frozen=True, eq=False)
class TrainedBaseline:
    """One training of the baseline: its trial, and the weights of its best checkpoint (none where it was lost).

    ``weights`` are weight (out, in) and bias (out,) of each layer in turn.
    """

    trial: Trial
    weights: Weights


def read_baseline(run: Run, domain: str, source: str | Path) -> list[TrainedBaseline]:
    """Return the repetitions of the baseline that was trained on a domain."""
    units = shards.read(source, "baseline", run.plan.of_baseline(domain))
    repetitions = []
    for name in sorted(units):
        weights: Mapping[str, Any] = units[name].tree["weights"]
        (trial,) = unpack_trials(units[name].tree)
        repetitions.append(TrainedBaseline(trial, tuple(weights[key] for key in sorted(weights))))
    return repetitions


def read_plays(run: Run, paths: Sequence[str | Path]) -> dict[str, BaselinePlay]:
    """Return what the baseline did on each domain."""
    names = run.configuration.domains
    return {
        name: storage.read_result(path, "play", BaselinePlay, run.plan.play(name))
        for name, path in zip(names, paths, strict=True)
    }


def baseline_estimates(run: Run, played: Mapping[str, BaselinePlay]) -> dict[str, Estimate]:
    """Return the baseline's performance on each domain with its interval."""
    c = run.configuration
    return {name: performance_of(play, c.quotient.confidence, 1000, c.seed) for name, play in played.items()}


def performance_of(play: BaselinePlay, confidence: float, resamples: int, seed: int) -> Estimate:
    """Return the baseline's performance on a domain with the bootstrap over its trainings and their episodes.

    Trainings are drawn with replacement, then episodes within each; with one training the episodes alone.
    """
    scale = play.kept
    rng = seeding.generator(seed, "baseline", play.domain)
    count, episodes = scale.shape
    drawn = rng.integers(count, size=(resamples, count, 1))
    replicates = scale[drawn, rng.integers(episodes, size=(resamples, count, episodes))].mean(axis=(1, 2))
    interval = percentile_interval(replicates, confidence) if scale.size > 1 else None
    method = f"mean over {count} trainings of {episodes} greedy episodes; percentile bootstrap over both"
    return Estimate(float(scale.mean()), interval, count, method, seed, confidence)


@dataclass(frozen=True, eq=False)
class AptiScores:
    """APTI of every agent, and their AIQ when APTI takes the place of performance (Fig. 29).

    ``baseline``: the baseline's performance on each domain of ``scores.domains``; ``lost``: its trainings that
    diverged or failed.
    """

    scores: Scores
    agents: tuple[str, ...]
    apti: tuple[Apti, ...]
    baseline: tuple[Estimate, ...]
    lost: int


def score_apti(
    run: Run, source: str | Path, scores: str | Path, plays: Sequence[str | Path], target: str | Path
) -> None:
    """Compare every scored agent with the baseline, and score the agents by APTI."""
    c, plan = run.configuration, run.plan
    space = storage.read_result(source, "space", Space, plan.space())
    scored = storage.read_result(scores, "scores", AgentScores, plan.scores())
    played = read_plays(run, plays)
    resamples = 1000 if space.bootstrap is None else len(space.bootstrap.coordinates)
    how: dict[str, Any] = {"resamples": resamples, "confidence": c.quotient.confidence}
    agents = tuple(dict.fromkeys(scored.agent))
    measured = tuple(
        apti.measure(
            [scored.repetitions(agent, domain) for domain in space.domains],
            [played[domain].repetitions for domain in space.domains],
            seed=seeding.integer(c.seed, "apti", agent),
            **how,
        )
        for agent in agents
    )
    scaled = scored.scores
    if agents:
        scaled = quotient.score(
            space,
            agents,
            [[estimate.value for estimate in record.domains] for record in measured],
            performance_replicates=np.stack([record.replicates for record in measured], axis=1) if resamples else None,
            budget=Budget(facets=c.quotient.facet_budget),
            confidence=c.quotient.confidence,
            seed=c.seed,
        )
    performances = baseline_estimates(run, played)
    baseline = tuple(performances[domain] for domain in space.domains)
    lost = sum(played[domain].lost for domain in plan.baseline_domains)
    storage.write_result(target, "apti", AptiScores(scaled, agents, measured, baseline, lost), plan.apti(), c.seed)
    LOGGER.info("%d agents compared with the baseline", len(agents))
