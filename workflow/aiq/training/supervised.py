"""A chunk of policies on one labelled domain gives trials, by whichever trainer the settings name."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from aiq.config.training import Training
from aiq.errors import TrainingError
from aiq.policies.size import weight_shapes
from aiq.records.trial import Policy, Trial
from aiq.training import reference, together
from aiq.training.checkpoints import Memory
from aiq.training.data import LabelledData
from aiq.training.device import computing, resolve
from aiq.training.footprint import Task, held
from aiq.training.regression import one_by_one
from aiq.training.stopping import Report, part_of
from aiq.training.turns import Turns, whole


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
        device: ``cpu``, ``cuda``, ``cuda:1`` and so on.
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
    where = resolve(device)
    told = {"order_seed": order_seed, "device": where, "dtype": dtype, "progress": progress, "memory": memory}
    with computing(threads, where):
        return whole(train_chunk_by_turns(data, policies, settings, **told))


def train_chunk_by_turns(
    data: LabelledData,
    policies: Sequence[Policy],
    settings: Training,
    *,
    order_seed: int,
    device: torch.device,
    dtype: torch.dtype = torch.float32,
    progress: Report | None = None,
    memory: Memory | None = None,
) -> Turns[list[Trial]]:
    """Train as ``train_chunk`` does, in turns (``turns.side_by_side``), within ``computing``."""
    if not policies:
        raise TrainingError("a chunk of no policies was given, at least one is needed")
    for policy in policies:
        weight_shapes(policy.architecture, data.shape, data.outputs)
    families = sorted({policy.architecture.family for policy in policies})
    parts = [[i for i, policy in enumerate(policies) if policy.architecture.family == name] for name in families]
    yield max(_held(data, [policies[i] for i in part], settings) for part in parts)
    trials: dict[int, Trial] = {}
    for family, part in zip(families, parts, strict=True):
        chosen = [policies[i] for i in part]
        report = part_of(progress, len(trials), len(part), len(policies))
        told = {"order_seed": order_seed, "device": device, "dtype": dtype, "progress": report}
        if one_by_one(settings, data.numeric, family):
            found = reference.train_chunk(data, chosen, settings, **told)
        else:
            found = yield from together.train_chunk(data, chosen, settings, **told, memory=memory)
        trials |= dict(zip(part, found, strict=True))
    return [trials[i] for i in range(len(policies))]


def _held(data: LabelledData, policies: Sequence[Policy], settings: Training) -> int:
    """Return the bytes that a chunk of one family holds on a device."""
    return held(
        Task(
            [policy.architecture for policy in policies],
            *(data.shape, data.outputs, settings.batch_size),
            samples=len(data.train_y) + len(data.test_y),
            item=data.train_x.element_size(),
            rows=len(data.train_y),
            shared=True,
        )
    )
