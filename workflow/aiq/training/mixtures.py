"""One architecture trained from scratch on mixtures of two domains, at every proportion and repetition (2.5.3)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

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
from aiq.training.regression import one_by_one
from aiq.training.stopping import Report


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
        device: ``cpu`` or ``cuda``.
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
    places = [(float(p), int(r)) for p in proportions for r in repetitions]
    if not places:
        raise TrainingError("a mixture needs at least one proportion and one repetition, none was given")
    if any(not 0 <= p <= 1 for p, _ in places):
        raise TrainingError(f"proportions {list(proportions)} must lie in [0, 1]")
    count = min(len(data.first.train_y), len(data.second.train_y)) if samples is None else samples
    if count < 1:
        raise TrainingError(f"a mixture of {count} samples was asked for, at least 1 is needed")
    weight_shapes(architecture, data.shape, data.outputs)
    members = [(p, r, weights_seed(data, p, r, seed)) for p, r in places]
    trainer = reference.train_mixtures
    if not one_by_one(settings, data.first.numeric, architecture.family):
        trainer = partial(together_streams.train_mixtures, memory=memory)
    with computing(threads):
        return trainer(
            data,
            architecture,
            settings,
            members=members,
            samples=count,
            seed=seed,
            device=resolve(device),
            dtype=dtype,
            progress=progress,
        )


def weights_seed(data: MixedData, proportion: float, repetition: int, seed: int) -> int:
    """Return the seed of the initial weights of one mixture."""
    return seeding.integer(seed, "weights", data.first.name, data.second.name, repetition, f"{proportion:.12g}")
