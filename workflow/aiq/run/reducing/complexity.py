"""Reduce the trials on a domain to its complexity, and the domain itself to its entropy."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import storage
from aiq.config.training import Pool
from aiq.errors import InputError, StorageError
from aiq.measures import complexity, entropy
from aiq.plans.run import SuiteRun as Run
from aiq.records.complexity import Complexity, KCurve, PoolSizeCurve
from aiq.records.domains import Entropy
from aiq.records.estimate import Floats
from aiq.records.trial import LOST, Architecture, Trial
from aiq.run.job import LOGGER
from aiq.storage import shards
from aiq.storage.shards import unpack_trials


@dataclass(frozen=True, slots=True)
class LearnerCount:
    """What became of one learner (its factory and arguments) of a pool on a domain.

    ``trials`` counts its trainings, ``failed`` those that gave no performance; ``best`` performance and largest
    ``size`` are of the others (NaN and 0 where all failed), ``reason`` the sentence of the first failure.
    """

    learner: str
    trials: int
    failed: int
    best: float
    size: int
    reason: str


@dataclass(frozen=True, eq=False)
class DomainComplexity:
    """A domain's complexity with the trials behind it: their sizes, performances and chunks.

    ``by_k`` is MCCP@k against k; files from before it was measured have ``growth``, the minimum against the size of
    the pool, instead. ``learners`` counts those of a pool made elsewhere.
    """

    domain: str
    unit: str
    complexity: Complexity
    growth: PoolSizeCurve | None
    size: npt.NDArray[np.float64]
    performance: npt.NDArray[np.float64]
    chunk: npt.NDArray[np.int64]
    core_seconds: float
    by_k: KCurve | None = None
    learners: tuple[LearnerCount, ...] = ()


def read_trials(paths: Sequence[str | Path], fingerprint: str) -> tuple[list[Trial], list[int]]:
    """Return all trials of some shards, with the chunk of each."""
    trials: list[Trial] = []
    chunks: list[int] = []
    for path in paths:
        for name, unit in sorted(shards.read(path, "trials", fingerprint).items()):
            unit_trials = unpack_trials(unit.tree)
            trials += unit_trials
            chunks += [int(name.removeprefix("chunk-"))] * len(unit_trials)
    return trials, chunks


def reduce_complexity(run: Run, domain: str, sources: Sequence[str | Path], target: str | Path) -> None:
    """Reduce the trials on one domain to its complexity, and to MCCP@k against k.

    Shards of a larger pool will do: its first chunks are the smaller pool.
    """
    c = run.configuration
    settings = c.complexity
    trials, chunks = read_trials(sources, run.plan.trials(domain))
    inside = [chunk < c.pool.chunks for chunk in chunks]
    trials, chunks = list(itertools.compress(trials, inside)), list(itertools.compress(chunks, inside))
    if len(trials) != c.pool.size:
        raise StorageError(f"domain {domain} has {len(trials)} trials where the pool has {c.pool.size}")
    performance = np.array([trial.performance for trial in trials])
    if np.isnan(performance).all():
        logs = Path(run.layout.path("logs", "trials", domain))
        said = (line for path in sorted(logs.glob("*.log")) for line in path.read_text("utf-8", "replace").splitlines())
        why = next((line.split(" WARNING ")[1] for line in said if " WARNING " in line and " raised " in line), None)
        raise InputError(
            f"all {len(trials)} trials on {domain} diverged or failed; "
            + (why or f"the logs in {logs.parent} say why; where they diverged, lower the learning rate")
        )
    size = complexity.sizes(
        np.array([trial.parameters for trial in trials]),
        np.array([trial.compressed for trial in trials]),
        unit=settings.size,
    )
    how: dict[str, Any] = {
        "chunk": np.array(chunks),
        "bins": settings.bins,
        "value_range": settings.value_range,
        "fill": settings.fill,
        "largest": _largest(run, trials),
        "confidence": settings.confidence,
    }
    measured = complexity.measure(
        performance,
        size,
        estimator=settings.estimator,
        k=c.best_of,
        start=chance(run, domain) if settings.start == "chance" else 0.0,
        envelope=settings.envelope,
        extrapolate=settings.extrapolate,
        resamples=settings.resamples,
        seed=c.seed,
        **how,
    )
    by_k = complexity.by_k(performance, size, chosen=c.best_of, **how)
    seconds = float(sum(trial.seconds for trial in trials))
    behind = (size, performance, np.array(chunks), seconds, by_k)
    record = DomainComplexity(domain, settings.size, measured, None, *behind, counted(trials))
    storage.write_result(target, "complexity", record, run.plan.complexity(domain), c.seed)
    LOGGER.info("%s: %.3f, %d failed trials", domain, measured.value, measured.n_failed)
    for learner in record.learners:
        if learner.failed:
            LOGGER.warning("%d of %d trainings failed: %s", learner.failed, learner.trials, learner.reason)


def counted(trials: Sequence[Trial]) -> tuple[LearnerCount, ...]:
    """Return what became of every learner made elsewhere, in the order of the pool; nothing for networks."""
    counts = []
    for name in dict.fromkeys(trial.policy.architecture.learner for trial in trials):
        own = [trial for trial in trials if trial.policy.architecture.learner == name]
        good = [trial for trial in own if trial.status not in LOST]
        reason = next((trial.reason for trial in own if trial.status in LOST), "")
        best, size = max((t.performance for t in good), default=np.nan), max((t.parameters for t in good), default=0)
        counts.append(LearnerCount(name, len(own), len(own) - len(good), best, size, reason))
    return tuple(count for count in counts if count.learner)


def chance(run: Run, domain: str) -> float:
    """Return the performance of the best constant answer: the training split's most frequent class, on the test split.

    Where a number is learned it is 0: R² of the training split's mean, clipped.
    """
    data = storage.read_domain(run.layout.domain(domain), run.plan.domain(domain))
    if data.numeric:
        return 0.0  # R² of the mean of the training split is at most 0
    return float(np.mean(data.test_y == np.bincount(data.train_y).argmax()))


def _largest(run: Run, trials: Sequence[Trial]) -> float | None:
    """Return the size of the largest network of the pool's design; None where only training tells."""
    settings = run.configuration.complexity
    if settings.size == "compressed" or run.configuration.pool.learners is not None:
        return None
    drawn = [trial.policy.architecture for trial in trials]
    most = _largest_parameters(run.configuration.pool, drawn, [trial.parameters for trial in trials])
    return float(complexity.sizes([most], unit=settings.size)[0])


_KERNEL_AREA = 9
_ROUNDING = 1e-6


def _largest_parameters(pool: Pool, drawn: Sequence[Architecture], parameters: Sequence[int]) -> int:
    """Return the number of parameters of the largest network of a pool's design on some domain.

    The number of parameters of a network is linear in what the domain gives (inputs, outputs, the areas that
    convolutions leave of its pictures), with coefficients that are products of widths. So the networks of a pool fix
    the size of every other network of its design, without the domain. ``parameters`` are those of the networks
    ``drawn``.

    Returns:
        The largest over all depths at the largest width, of those that the networks drawn determine, and at least
        the largest that was drawn. That one alone where no domain gives the networks drawn their parameters.
    """
    depths = pool.layers[1]
    table = np.array([_terms(architecture, depths)[0] for architecture in drawn])
    rest = np.array(parameters, dtype=np.float64) - [_terms(architecture, depths)[1] for architecture in drawn]
    candidates = [max(parameters)]
    given = np.linalg.lstsq(table, rest, rcond=None)[0]
    if np.abs(table @ given - rest).max() > _ROUNDING * candidates[0] or given[:2].min() < 1 - _ROUNDING:
        return candidates[0]  # every domain has at least one input and one output
    for depth in range(pool.layers[0], depths + 1):
        wanted, constant = _terms(replace(drawn[0], widths=(pool.width[1],) * depth), depths)
        mixture = np.linalg.lstsq(table.T, wanted, rcond=None)[0]
        if np.abs(table.T @ mixture - wanted).max() <= _ROUNDING * np.abs(wanted).max():
            candidates.append(round(float(mixture @ rest) + constant))
    return max(candidates)


def _terms(architecture: Architecture, depths: int) -> tuple[Floats, int]:
    """Return the coefficients of what the domain gives, and the parameters that it has no part in.

    What it gives: inputs (or channels), outputs, and for convolutions the area left by each depth, 1 to ``depths``.
    """
    widths, terms = architecture.widths, np.zeros(2 + depths)
    if architecture.family == "dense":
        terms[:2] = widths[0], widths[-1] + 1
        return terms, widths[0] + sum((before + 1) * after for before, after in itertools.pairwise(widths))
    dense = architecture.dense_nodes
    terms[:2] = _KERNEL_AREA * widths[0], dense + 1
    terms[1 + len(widths)] = widths[-1] * dense
    inner = sum(_KERNEL_AREA * before * after for before, after in itertools.pairwise(widths))
    return terms, inner + sum(widths) + dense


def measure_entropy(run: Run, domain: str, source: str | Path, target: str | Path) -> None:
    """Measure the entropy of a prepared domain's training split, labels included."""
    c = run.configuration
    data = storage.read_domain(source, run.plan.domain(domain))
    how: dict[str, Any] = {"resamples": c.entropy.resamples, "seed": c.seed}
    x, y, bins = data.train_x, data.train_y, c.entropy.bins
    measured: Entropy
    if not data.is_image:  # a number that is learned counts as one more variable
        columns, classes = (np.column_stack([x, y]), 1) if data.numeric else (x, len(data.classes))
        measured = entropy.vector_entropy(columns, classes, bins=bins, **how)
    else:
        how["label_bits"] = entropy.number_bits(y, bins) if data.numeric else None
        if c.entropy.method == "local":
            measured = entropy.local_image_entropy(_grey(x), 1 if data.numeric else len(data.classes), **how)
        else:
            measured = entropy.histogram_entropy(_grey(x), () if data.numeric else y, **how)
    storage.write_result(target, "entropy", measured, run.plan.entropy(domain), c.seed)


def _grey(images: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """Return pictures (n, height, width): the one channel, or the mean of three (entropy is of grey levels)."""
    return images[:, 0] if images.shape[1] == 1 else images.mean(axis=1).round().astype(np.uint8)
