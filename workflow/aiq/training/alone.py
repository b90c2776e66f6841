"""One architecture trained on one domain alone, with the samples that the domain has in mixtures (2.5.3).

At proportion 1 these are the ends of every mixture with the domain. Below 1 they are controls: what the domain
reaches with fewer samples, nothing else being learned (its own learning curve).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from aiq import seeding
from aiq.config.training import Training
from aiq.errors import TrainingError
from aiq.policies.size import weight_shapes
from aiq.records.trial import AloneResult, Architecture
from aiq.training import reference, together_streams
from aiq.training.checkpoints import Memory
from aiq.training.data import LabelledData
from aiq.training.device import computing, resolve
from aiq.training.footprint import Task, held
from aiq.training.orders import alone_order
from aiq.training.regression import one_by_one
from aiq.training.stopping import Report, part_of
from aiq.training.turns import Turns, whole


def train_alone(
    data: LabelledData,
    architecture: Architecture,
    settings: Training,
    *,
    places: Sequence[tuple[float, int]],
    samples: int,
    seed: int,
    key: tuple[str, ...] | None = None,
    device: str = "cpu",
    dtype: torch.dtype = torch.float32,
    threads: int = 1,
    progress: Report | None = None,
    memory: Memory | None = None,
    steps: bool = False,
) -> list[AloneResult]:
    """Train one network for each place and measure it on the full test split.

    Every training has a sample stream and initial weights of its own, keyed by the domain's name, the repetition and
    the proportion: a result does not depend on what else is trained in the same call. How many samples are drawn is
    told at ``orders.alone_order``.

    Args:
        data: the domain on its suite's interface.
        architecture: the network.
        settings: epochs (passes over the drawn samples), batch size, optimiser, convergence rule and trainer.
        places: proportion in (0, 1] and number of the repetition of each training.
        samples: that a mixture draws.
        seed: the root seed.
        key: names of both domains of a mixture whose samples and weights at proportion 1 are to be had; None: of
            the domain's own.
        device: ``cpu``, ``cuda``, ``cuda:1`` and so on.
        dtype: precision of the training.
        threads: threads of torch on the CPU.
        progress: told the finished share of the work, in [0, 1].
        memory: keeps the state of the training, so that an interrupted one goes on (the reference trainer has none).
        steps: whether a batch holds the proportion's share of the settings' batch (rounded, at least 1), as many
            samples of the domain as a batch of a mixture does, so that a control takes as many steps as a mixture.

    Returns:
        Results in the order of the places.

    Raises:
        TrainingError: if there is nothing to train, a proportion lies outside (0, 1], or the network cannot read
            the samples.
    """
    where = resolve(device)
    told = {"samples": samples, "seed": seed, "key": key, "device": where, "dtype": dtype}
    told |= {"progress": progress, "memory": memory, "steps": steps}
    with computing(threads, where):
        return whole(train_alone_by_turns(data, architecture, settings, places=places, **told))


def train_alone_by_turns(
    data: LabelledData,
    architecture: Architecture,
    settings: Training,
    *,
    places: Sequence[tuple[float, int]],
    samples: int,
    seed: int,
    device: torch.device,
    key: tuple[str, ...] | None = None,
    dtype: torch.dtype = torch.float32,
    progress: Report | None = None,
    memory: Memory | None = None,
    steps: bool = False,
) -> Turns[list[AloneResult]]:
    """Train as ``train_alone`` does, in turns (``turns.side_by_side``), within ``computing``."""
    check_places(places)
    if samples < 1:
        raise TrainingError(f"a mixture of {samples} samples was asked for, at least 1 is needed")
    weight_shapes(architecture, data.shape, data.outputs)
    yield _held(data, architecture, settings, len(places), samples)
    members, orders, batches = [], [], []
    for proportion, repetition in places:
        place = (repetition, f"{proportion:.12g}")
        started = ("weights alone", data.name, *place) if key is None else ("weights", *key, *place)
        stream = ("alone", data.name, *place) if key is None else ("mixture", *key, *place)
        members.append((float(proportion), int(repetition), seeding.integer(seed, *started)))
        orders.append(alone_order(stream, len(data.train_y), proportion, samples, seed, settings.convergence))
        batches.append(max(1, round(proportion * settings.batch_size)) if steps else settings.batch_size)
    found: dict[int, AloneResult] = {}
    for batch in dict.fromkeys(batches):
        part = [i for i, one in enumerate(batches) if one == batch]
        rule = settings.model_copy(update={"batch_size": batch})
        told = {"members": [members[i] for i in part], "orders": [orders[i] for i in part], "device": device}
        told |= {"dtype": dtype, "progress": part_of(progress, len(found), len(part), len(members))}
        if one_by_one(settings, data.numeric, architecture.family):
            results = reference.train_alone(data, architecture, rule, **told)
        else:
            results = yield from together_streams.train_alone(data, architecture, rule, **told, memory=memory)
        found |= zip(part, results, strict=True)
    return [found[i] for i in range(len(members))]


def _held(data: LabelledData, architecture: Architecture, settings: Training, networks: int, samples: int) -> int:
    """Return the bytes that trainings alone hold on a device."""
    return held(
        Task(
            [architecture] * networks,
            *(data.shape, data.outputs, settings.batch_size),
            samples=len(data.train_y) + len(data.test_y),
            item=data.train_x.element_size(),
            rows=networks * samples,
            shared=False,
        )
    )


def check_places(places: Sequence[tuple[float, int]]) -> None:
    """Refuse no place, and a proportion at which a domain has no samples.

    Raises:
        TrainingError: as said.
    """
    if not places:
        raise TrainingError("a domain alone needs at least one proportion and one repetition, none was given")
    for proportion, _ in places:
        if not 0 < proportion <= 1:
            raise TrainingError(f"proportion {proportion} of a domain alone must lie in (0, 1]")
