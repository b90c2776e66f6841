"""One architecture trained from scratch on mixtures of two domains, at every proportion and repetition (2.5.3)."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from aiq import seeding
from aiq.config.training import Training
from aiq.errors import TrainingError
from aiq.policies.size import weight_shapes
from aiq.records.trial import Architecture, MixtureResult
from aiq.training import reference, together_streams
from aiq.training.checkpoints import Memory
from aiq.training.data import MixedData
from aiq.training.device import computing, resolve
from aiq.training.footprint import Task, held
from aiq.training.regression import one_by_one
from aiq.training.stopping import Report
from aiq.training.turns import Turns, whole


def train_mixtures(
    data: MixedData,
    architecture: Architecture,
    settings: Training,
    *,
    proportions: Sequence[float],
    repetitions: Sequence[int],
    samples: int | None,
    seed: int,
    device: str = "cpu",
    dtype: torch.dtype = torch.float32,
    threads: int = 1,
    progress: Report | None = None,
    memory: Memory | None = None,
) -> list[MixtureResult]:
    """Train one network for each proportion and repetition and measure it on both full test splits (Eqs. 7 to 9).

    Every training has a sample stream and initial weights of its own, keyed by both domains' names, the repetition
    and the proportion: a result does not depend on what else is trained in the same call. How samples are drawn
    is told at ``orders.mixture_order``.

    Args:
        data: the two domains on common ground.
        architecture: the network.
        settings: epochs (passes over the drawn samples), batch size, optimiser, convergence rule and trainer.
        proportions: probabilities of drawing from the first domain, in [0, 1].
        repetitions: numbers of the repetitions.
        samples: training samples at every proportion; None takes the smaller training split.
        seed: the root seed.
        device: ``cpu``, ``cuda``, ``cuda:1`` and so on.
        dtype: precision of the training.
        threads: threads of torch on the CPU.
        progress: told the finished share of the work, in [0, 1].
        memory: keeps the state of the training, so that an interrupted one goes on (the reference trainer has none).

    Returns:
        Results by proportion, then repetition, in the order given.

    Raises:
        TrainingError: if there is nothing to train, a proportion lies outside [0, 1], or the network cannot read
            the samples.
    """
    where = resolve(device)
    told = {"samples": samples, "seed": seed, "device": where, "dtype": dtype, "progress": progress, "memory": memory}
    told |= {"proportions": proportions, "repetitions": repetitions}
    with computing(threads, where):
        return whole(train_mixtures_by_turns(data, architecture, settings, **told))


def train_mixtures_by_turns(
    data: MixedData,
    architecture: Architecture,
    settings: Training,
    *,
    proportions: Sequence[float],
    repetitions: Sequence[int],
    samples: int | None,
    seed: int,
    device: torch.device,
    dtype: torch.dtype = torch.float32,
    progress: Report | None = None,
    memory: Memory | None = None,
) -> Turns[list[MixtureResult]]:
    """Train as ``train_mixtures`` does, in turns (``turns.side_by_side``), within ``computing``."""
    places = [(float(p), int(r)) for p in proportions for r in repetitions]
    if not places:
        raise TrainingError("a mixture needs at least one proportion and one repetition, none was given")
    if any(not 0 <= p <= 1 for p, _ in places):
        raise TrainingError(f"proportions {list(proportions)} must lie in [0, 1]")
    count = min(len(data.first.train_y), len(data.second.train_y)) if samples is None else samples
    if count < 1:
        raise TrainingError(f"a mixture of {count} samples was asked for, at least 1 is needed")
    weight_shapes(architecture, data.shape, data.outputs)
    parts = (data.first,) if data.same else (data.first, data.second)
    yield held(
        Task(
            [architecture] * len(places),
            *(data.shape, data.outputs, settings.batch_size),
            samples=sum(len(part.train_y) + len(part.test_y) for part in parts),
            item=max(part.train_x.element_size() for part in parts),
            rows=len(places) * count,
            shared=False,
        )
    )
    members = [(p, r, weights_seed(data, p, r, seed)) for p, r in places]
    told = {"members": members, "samples": count, "seed": seed, "device": device, "dtype": dtype, "progress": progress}
    if one_by_one(settings, data.first.numeric, architecture.family):
        return reference.train_mixtures(data, architecture, settings, **told)
    return (yield from together_streams.train_mixtures(data, architecture, settings, **told, memory=memory))


def weights_seed(data: MixedData, proportion: float, repetition: int, seed: int) -> int:
    """Return the seed of the initial weights of one mixture."""
    return seeding.integer(seed, "weights", data.first.name, data.second.name, repetition, f"{proportion:.12g}")
