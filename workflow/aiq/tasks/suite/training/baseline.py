"""Train the baseline of control domains (3.4.3), and let it play."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from aiq import seeding, storage
from aiq.config.agents import Baseline
from aiq.domains.control import ControlDomain
from aiq.errors import DomainError, InputError, TrainingError
from aiq.measures import entropy
from aiq.plans.run import SuiteRun as Run
from aiq.policies import pool
from aiq.records.control import BaselinePlay
from aiq.records.trial import LOST, Policy
from aiq.storage import shards
from aiq.storage.trials import pack_trials
from aiq.tasks.shell.job import LOGGER
from aiq.tasks.shell.units import FORGETFUL, Keeper, take_over
from aiq.tasks.suite.reducing.comparison import Weights, read_baseline
from aiq.tasks.suite.training.domains import episode_seeds, prepared
from aiq.tasks.suite.training.trainers import training_seed
from aiq.training import reinforcement

Floats = npt.NDArray[np.float64]


def train_baseline(run: Run, domain: str, source: str | Path, target: str | Path, keeper: Keeper = FORGETFUL) -> None:
    """Train all repetitions of the baseline on one domain and keep their weights."""
    c = run.configuration
    settings = _settings(run)
    world = prepared(run, domain, source)
    architecture = pool.from_network(settings.network)
    keys = {f"{r:06d}": r for r in range(settings.repetitions)}
    wanted = dict.fromkeys(keys, run.plan.baseline(domain))

    def train(unit: str) -> shards.Unit:
        """Train one repetition."""
        key = ("baseline", domain, keys[unit])
        policy = Policy(architecture, seeding.integer(c.seed, *key, "weights"))
        told = {"seeds": [training_seed(policy)], "device": c.device, "threads": c.threads}
        told["memory"] = keeper.memory(unit, wanted[unit])
        (agent,) = reinforcement.train_agents(world, [policy], settings.training, **told)
        trial, weights = agent.trial, () if agent.trial.status in LOST else agent.weights
        LOGGER.info(
            "%s: training %s of the baseline %s, performance %.3f", domain, unit, trial.status, trial.performance
        )
        kept = {f"{k:03d}": tensor.cpu().float().numpy() for k, tensor in enumerate(weights)}
        return shards.Unit(run.plan.baseline(domain), {**pack_trials([trial]), "weights": kept})

    wanted = dict.fromkeys(keys, run.plan.baseline(domain))
    keeper.reads({domain: source})
    units = take_over(target, "baseline", wanted, train, keeper)
    shards.write(target, "baseline", run.plan.of_baseline(domain), c.seed, units)


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
