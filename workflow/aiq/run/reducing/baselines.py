"""What a suite is set beside: the trained baseline of control domains (3.4.2), and baselines that people know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import known_baselines as known
from aiq import seeding, storage
from aiq.domains.base import LabelledDomain
from aiq.domains.control import ControlDomain
from aiq.errors import DomainError, redo_command
from aiq.known_baselines import Floats, flat
from aiq.measures import apti, quotient
from aiq.plans.run import SuiteRun as Run
from aiq.records.comparison import Apti, KnownBaselines
from aiq.records.domains import BaselinePlay
from aiq.records.estimate import Estimate
from aiq.records.quotient import Scores
from aiq.records.space import Space
from aiq.records.trial import Trial
from aiq.run.job import LOGGER
from aiq.run.reducing.space import AgentScores
from aiq.stats import percentile_interval, student_quantile
from aiq.storage import shards
from aiq.storage.shards import unpack_trials

Weights = tuple[npt.NDArray[np.float32], ...]
Pair = tuple[str, str]
NAN = float("nan")
OF_PAIRS = ("transport", "transport_inputs", "transfer_loss", "transfer_loss_ab", "transfer_loss_ba")


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
    return {name: performance_of(play, c.seed) for name, play in played.items()}


def performance_of(play: BaselinePlay, seed: int) -> Estimate:
    """Return the baseline's performance on a domain with the bootstrap over its trainings and their episodes.

    Trainings are drawn with replacement, then episodes within each; with one training the episodes alone.
    """
    scale = play.kept
    rng = seeding.generator(seed, "baseline", play.domain)
    count, episodes = scale.shape
    drawn = rng.integers(count, size=(1000, count, 1))
    replicates = scale[drawn, rng.integers(episodes, size=(1000, count, episodes))].mean(axis=(1, 2))
    interval = percentile_interval(replicates) if scale.size > 1 else None
    method = f"mean over {count} trainings of {episodes} greedy episodes; percentile bootstrap over both"
    return Estimate(float(scale.mean()), interval, count, method, seed)


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
    agents = tuple(dict.fromkeys(scored.agent))
    measured = tuple(
        apti.measure(
            [scored.repetitions(agent, domain) for domain in space.domains],
            [played[domain].repetitions for domain in space.domains],
            resamples=resamples,
            seed=seeding.integer(c.seed, "apti", agent),
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
            seed=c.seed,
        )
    performances = baseline_estimates(run, played)
    baseline = tuple(performances[domain] for domain in space.domains)
    lost = sum(played[domain].lost for domain in plan.baseline_domains)
    storage.write_result(target, "apti", AptiScores(scaled, agents, measured, baseline, lost), plan.apti(), c.seed)
    LOGGER.info("%d agents compared with the baseline", len(agents))


# ---- known baselines -----------------------------------------------------------------------------


def measure_known_baselines(run: Run, sources: Sequence[str | Path], target: str | Path) -> None:
    """Compute the known baselines from all prepared domains, in the order of the configuration, and write them."""
    record = known_baselines(run, sources)
    storage.write_result(target, "known baselines", record, run.plan.known_baselines(), run.configuration.seed)
    for sentence in record.reasons:
        LOGGER.warning("%s", sentence)
    if any("is not installed" in sentence for sentence in record.reasons):
        LOGGER.warning("to have it computed after that: delete %s, then: %s", target, redo_command())


def known_baselines(run: Run, sources: Sequence[str | Path]) -> KnownBaselines:
    """Return the known baselines of a suite; see ``measure_known_baselines``."""
    names = list(run.configuration.domains)
    if run.configuration.control:
        return _of_control(run, dict(zip(names, sources, strict=True)))
    missing = [sentence for module in known.LIBRARIES if (sentence := known.lacking(module))]
    drawn = {}
    for name, path in zip(names, sources, strict=True):
        domain = storage.read_domain(path, run.plan.domain(name))
        drawn[name] = known.subsample(domain, run.configuration.known_baselines.samples, run.configuration.seed)
    return _of_labelled(run, drawn, missing)


# ---- labelled domains ----------------------------------------------------------------------------


def _of_labelled(run: Run, drawn: dict[str, LabelledDomain], missing: list[str]) -> KnownBaselines:
    settings, names = run.configuration.known_baselines, list(drawn)
    together = _in_one_space(drawn)
    probes = known.Probes(together)
    of_domains, reasons = _measured(run, drawn)
    of_domains["linear_error"] = np.array([probes.error(name) for name in names])
    of_domains["inputs"] = np.array([float(np.prod(domain.shape)) for domain in drawn.values()])
    of_domains["classes"] = np.array([float(len(domain.classes)) for domain in drawn.values()])
    measured = [pair for pair in run.plan.pairs if pair[0] < pair[1]]
    pairs = [(name, name) for name in names] + _chosen(measured, settings.pairs, run.configuration.seed)
    return KnownBaselines(
        domains=tuple(names), of_domains=of_domains, low={}, high={}, a=tuple(a for a, _ in pairs),
        b=tuple(b for _, b in pairs), of_pairs=_compared(pairs, together, probes), samples=settings.samples, episodes=0,
        pairs=len(measured), reasons=(*missing, *reasons), confidence=settings.confidence,
    )  # fmt: skip


def _in_one_space(drawn: dict[str, LabelledDomain]) -> dict[str, known.Sample]:
    """Return the samples of all domains with the same features, as mixtures show them: padded, pictures centred."""
    from aiq.training.data import on_interface, suite_interface

    space = suite_interface(drawn.values())
    return {
        name: known.Sample(
            name,
            flat(on_interface(domain.train_x, space)),
            domain.train_y,
            flat(on_interface(domain.test_x, space)),
            domain.test_y,
        )
        for name, domain in drawn.items()
    }


def _measured(run: Run, drawn: dict[str, LabelledDomain]) -> tuple[dict[str, Floats], list[str]]:
    settings = run.configuration.known_baselines
    of_domains = {name: np.full(len(drawn), NAN) for name in settings.measures}
    reasons: list[str] = []
    if known.lacking("problexity"):
        return of_domains, reasons
    for k, (name, domain) in enumerate(drawn.items()):
        seed = seeding.integer(run.configuration.seed, "known baselines", name, "measures")
        values, failed = known.complexity_measures(flat(domain.train_x), domain.train_y, settings.measures, seed)
        for measure, value in values.items():
            of_domains[measure][k] = value
        reasons += [f"{name}: {sentence}" for sentence in failed]
        LOGGER.info("%s: %s", name, ", ".join(f"{measure} {value:.3f}" for measure, value in values.items()))
    return of_domains, reasons


def _chosen(pairs: list[Pair], most: int, seed: int) -> list[Pair]:
    if len(pairs) <= most:
        return pairs
    rows = seeding.generator(seed, "known baselines", "pairs").choice(len(pairs), most, replace=False)
    return [pairs[k] for k in sorted(rows.tolist())]


def _compared(pairs: list[Pair], samples: dict[str, known.Sample], probes: known.Probes) -> dict[str, Floats]:
    """Return the distances of pairs; a domain lies from itself as far as its training from its test samples."""
    of_pairs = {name: np.full(len(pairs), NAN) for name in OF_PAIRS}
    with_transport = not known.lacking("ot")
    for k, (a, b) in enumerate(pairs):
        first, second = samples[a], samples[b]
        if with_transport:
            other = (second.test_x, second.test_y) if a == b else (second.train_x, second.train_y)
            distances = known.transport(first.train_x, first.train_y, *other)
            of_pairs["transport"][k], of_pairs["transport_inputs"][k] = distances
        losses = probes.loss(a, b), probes.loss(b, a)
        of_pairs["transfer_loss"][k] = sum(losses) / 2
        of_pairs["transfer_loss_ab"][k], of_pairs["transfer_loss_ba"][k] = losses
    return of_pairs


# ---- control domains -----------------------------------------------------------------------------


def _of_control(run: Run, sources: dict[str, str | Path]) -> KnownBaselines:
    """Return the performance of random actions on every control domain, with Student's interval over episodes."""
    from aiq.run.training.domains import prepared

    settings = run.configuration.known_baselines
    value, low, high = (np.full(len(sources), NAN) for _ in range(3))
    reasons = []
    for k, (name, path) in enumerate(sources.items()):
        scores = random_performances(prepared(run, name, path), settings.episodes, run.configuration.seed)
        value[k] = scores.mean()
        error = float(scores.std(ddof=1)) / np.sqrt(len(scores))
        if error > 0:
            half = student_quantile((1 + settings.confidence) / 2, len(scores) - 1) * error
            low[k], high[k] = max(0.0, value[k] - half), min(1.0, value[k] + half)
        else:
            reasons.append(f"{name}: every episode of random actions gave {value[k]:.3g}, so there is no interval")
        LOGGER.info("%s: random actions %.3f", name, value[k])
    nothing: dict[str, Floats] = {}
    return KnownBaselines(
        domains=tuple(sources), of_domains={"random_return": value}, low={"random_return": low},
        high={"random_return": high}, a=(), b=(), of_pairs=nothing, samples=0, episodes=settings.episodes, pairs=0,
        reasons=tuple(reasons), confidence=settings.confidence,
    )  # fmt: skip


def random_performances(world: ControlDomain, episodes: int, seed: int) -> Floats:
    """Return the performances in [0, 1], (episodes,), of actions drawn uniformly at every step."""
    import torch

    from aiq.run.training.domains import episode_seeds
    from aiq.training.playing import evaluate

    random = torch.Generator().manual_seed(seeding.integer(seed, "known baselines", world.name, "random actions"))

    def act(observations: torch.Tensor) -> torch.Tensor:
        return torch.randint(world.actions, (len(observations),), generator=random)

    plays = evaluate(world, act, seeds=episode_seeds(seed, world.name, range(episodes)))
    for sentence in plays.failures.values():
        raise DomainError(sentence)
    return np.array([world.performance(total) for total in plays.returns[:, 0]])
