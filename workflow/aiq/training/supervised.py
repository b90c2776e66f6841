"""A chunk of policies on one labelled domain gives trials, by whichever trainer the settings name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch

from aiq.config.training import Training
from aiq.errors import TrainingError
from aiq.policies.size import weight_shapes
from aiq.records.trial import Policy, Trial
from aiq.training import reference, together
from aiq.training.checkpoints import Memory
from aiq.training.data import LabelledData
from aiq.training.device import computing, resolve
from aiq.training.regression import one_by_one
from aiq.training.stopping import Report, part_of


def train_chunk(
    data: LabelledData,
    policies: Sequence[Policy],
    settings: Training,
    *,
    order_seed: int,
    device: str = "cpu",
    dtype: torch.dtype = torch.float32,
    threads: int = 1,
    progress: Report | None = None,
    memory: Memory | None = None,
) -> list[Trial]:
    """Train policies that share one batch order and measure them on the full test split.

    The result is a function of the arguments alone: bit-identical on repetition with the same device and number
    of threads, and each trial is the one that the policy would give if it were trained alone.

    Args:
        data: the domain's samples and labels.
        policies: the chunk; of one family or of both.
        settings: epochs, batch size, optimiser, convergence rule and trainer.
        order_seed: names the held-out part (if there is a convergence rule) and the order of every epoch.
        device: ``cpu`` or ``cuda``.
        dtype: precision of the training.
        threads: threads of torch on the CPU.
        progress: told the finished share of the work, in [0, 1], from time to time.
        memory: keeps the state of the training, so that an interrupted one goes on (the reference trainer has none).

    Returns:
        One trial a policy, in the order given. A policy whose loss or weights are no longer finite after an epoch
        is ``diverged`` with performance NaN; the others go on.

    Raises:
        TrainingError: if there is no policy, or a policy cannot read the samples.
    """
    if not policies:
        raise TrainingError("a chunk of no policies was given, at least one is needed")
    for policy in policies:
        weight_shapes(policy.architecture, data.shape, data.outputs)
    families = sorted({policy.architecture.family for policy in policies})
    trials: dict[int, Trial] = {}
    with computing(threads):
        for family in families:
            trainer = reference.train_chunk
            if not one_by_one(settings, data.numeric, family):
                trainer = partial(together.train_chunk, memory=memory)
            part = [i for i, policy in enumerate(policies) if policy.architecture.family == family]
            found = trainer(
                data,
                [policies[i] for i in part],
                settings,
                order_seed=order_seed,
                device=resolve(device),
                dtype=dtype,
                progress=part_of(progress, len(trials), len(part), len(policies)),
            )
            trials |= dict(zip(part, found, strict=True))
    return [trials[i] for i in range(len(policies))]
