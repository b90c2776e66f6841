"""Train the baseline of control domains, let it play, and compare agents with it (3.4.2, 3.4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from aiq import seeding, storage
from aiq.config.agents import Baseline
from aiq.domains.control import ControlDomain
from aiq.errors import DomainError, InputError, TrainingError
from aiq.measures import apti, entropy, quotient
from aiq.policies import pool
from aiq.records.apti import Apti
from aiq.records.control import BaselinePlay
from aiq.records.estimate import Estimate
from aiq.records.quotient import Scores
from aiq.records.space import Space
from aiq.records.trial import LOST, Policy, Trial
from aiq.stats import percentile_interval
from aiq.storage import shards
from aiq.storage.trials import pack_trials, unpack_trials
from aiq.tasks.control import episode_seeds, prepared
from aiq.tasks.job import LOGGER, Run
from aiq.tasks.learners import training_seed
from aiq.tasks.space import AgentScores
from aiq.tasks.taking_over import FORGETFUL, Keeper, take_over
from aiq.training import reinforcement

Floats = npt.NDArray[np.float64]
Weights = tuple[npt.NDArray[np.float32], ...]


@dataclass(frozen=True, eq=False)
class TrainedBaseline:
    """One training of the baseline: its trial, and the weights of its best checkpoint (none where it was lost).

    ``weights`` are weight (out, in) and bias (out,) of each layer in turn.
    """

    trial: Trial
    weights: Weights


def train_baseline(run: Run, domain: str, source: str | Path, target: str | Path, keeper: Keeper = FORGETFUL) -> None:
    """Train all repetitions of the baseline on one domain and keep their weights."""
    c = run.configuration
    settings = _settings(run)
    world = prepared(run, domain, source)
    architecture = pool.from_network(settings.network)
    keys = {f"{r:06d}": r for r in range(settings.repetitions)}

    def train(unit: str) -> shards.Unit:
        """Train one repetition."""
        key = ("baseline", domain, keys[unit])
        policy = Policy(architecture, seeding.integer(c.seed, *key, "weights"))
        told = {"seeds": [training_seed(policy)], "device": c.device, "threads": c.threads}
        (agent,) = reinforcement.train_agents(world, [policy], settings.training, **told)
        trial, weights = agent.trial, () if agent.trial.status in LOST else agent.weights
        LOGGER.info(
            "%s: training %s of the baseline %s, performance %.3f", domain, unit, trial.status, trial.performance
        )
        kept = {f"{k:03d}": tensor.cpu().float().numpy() for k, tensor in enumerate(weights)}
        return shards.Unit(run.plan.baseline(domain), {**pack_trials([trial]), "weights": kept})

    wanted = dict.fromkeys(keys, run.plan.baseline(domain))
    units = take_over(target, "baseline", wanted, train, keeper)
    shards.write(target, "baseline", run.plan.of_baseline(domain), c.seed, units)


def read_baseline(run: Run, domain: str, source: str | Path) -> list[TrainedBaseline]:
    """Return the repetitions of the baseline that was trained on a domain."""
    units = shards.read(source, "baseline", run.plan.of_baseline(domain))
    found = []
    for name in sorted(units):
        weights: Mapping[str, Any] = units[name].tree["weights"]
        (trial,) = unpack_trials(units[name].tree)
        found.append(TrainedBaseline(trial, tuple(weights[key] for key in sorted(weights))))
    return found


def play_baseline(
    run: Run, domain: str, source: str | Path, trained: str | Path, target: str | Path, entropies: str | Path
) -> None:
    """Let every repetition of the trained baseline play a domain; the best one's episodes give the entropy.

    Raises:
        TrainingError: every training was lost.
        InputError: the domain has other observations or actions than the one that the baseline was trained on.
    """
    c, settings = run.configuration, _settings(run)
    home = run.plan.trained_on(domain)
    world = prepared(run, domain, source)
    found = read_baseline(run, home, trained)
    known = [k for k, one in enumerate(found) if one.weights]
    if not known:
        raise TrainingError(f"every training of the baseline on {home} diverged or failed; lower its learning rate")
    shown = max(known, key=lambda k: found[k].trial.performance)
    seeds = episode_seeds(c.seed, domain, range(settings.episodes))
    scores, lengths = (np.full((len(found), settings.episodes), np.nan) for _ in range(2))
    seen: list[Floats] = []
    for k in known:
        _check_sizes(world, home, found[k].weights)
        act = reinforcement.greedy([torch.from_numpy(tensor) for tensor in found[k].weights])
        plays = reinforcement.evaluate(world, act, seeds=seeds, observations=k == shown)
        for sentence in plays.failures.values():
            raise DomainError(sentence)
        scores[k] = [world.performance(total) for total in plays.returns[:, 0]]
        lengths[k] = plays.lengths[:, 0]
        if k == shown:
            seen = [plays.observations[plays.episode == number] for number in range(settings.episodes)]
    record = BaselinePlay(domain, home, scores, lengths, shown, len(found) - len(known))
    storage.write_result(target, "play", record, run.plan.play(domain), c.seed)
    measured = entropy.control_entropy(
        seen,
        bins=c.entropy.bins,
        resamples=c.entropy.resamples,
        confidence=c.entropy.confidence,
        seed=c.seed,
    )
    storage.write_result(entropies, "entropy", measured, run.plan.entropy(domain), c.seed)
    LOGGER.info("%s: baseline %.3f, entropy %.2f bits", domain, record.kept.mean(), measured.mean.value)


def _check_sizes(world: ControlDomain, home: str, weights: Weights) -> None:
    """Refuse a domain that the network cannot see or act in."""
    sizes = (weights[0].shape[1], len(weights[-1]))
    if sizes != (world.observations, world.actions):
        raise InputError(
            f"domain {world.name} has {world.observations} observations and {world.actions} actions, {home} has "
            f"{sizes[0]} and {sizes[1]}: the baseline cannot play it, set baseline.trained_on to null"
        )


def _settings(run: Run) -> Baseline:
    """Return the configured baseline.

    Raises:
        InputError: there is none.
    """
    if run.configuration.baseline is None:
        raise InputError("the configuration has no baseline; add the key baseline")
    return run.configuration.baseline


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
    known = storage.read_result(source, "space", Space, plan.space())
    found = storage.read_result(scores, "scores", AgentScores, plan.scores())
    played = read_plays(run, plays)
    resamples = 1000 if known.bootstrap is None else len(known.bootstrap.coordinates)
    how: dict[str, Any] = {"resamples": resamples, "confidence": c.quotient.confidence}
    agents = tuple(dict.fromkeys(found.agent))
    measured = tuple(
        apti.measure(
            [found.repetitions(agent, domain) for domain in known.domains],
            [played[domain].repetitions for domain in known.domains],
            seed=seeding.integer(c.seed, "apti", agent),
            **how,
        )
        for agent in agents
    )
    scaled = quotient.score(
        known,
        agents,
        [[estimate.value for estimate in one.domains] for one in measured],
        performance_replicates=np.stack([one.replicates for one in measured], axis=1) if resamples else None,
        facet_budget=c.quotient.facet_budget,
        confidence=c.quotient.confidence,
        seed=c.seed,
    )
    performances = baseline_estimates(run, played)
    baseline = tuple(performances[domain] for domain in known.domains)
    lost = sum(played[domain].lost for domain in plan.baseline_domains)
    storage.write_result(target, "apti", AptiScores(scaled, agents, measured, baseline, lost), plan.apti(), c.seed)
    LOGGER.info("%d agents compared with the baseline", len(agents))
