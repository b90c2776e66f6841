"""State of trainings under way, so that an interrupted one goes on with the numbers that it would have had.

A state is a mapping of names to arrays and single values. On labelled data it is taken at the end of an epoch: weights
and optimiser state as they lie in the population's buffers, the number of the epoch, which members still train, their
curves and stopping rules. Orders of samples are functions of a key and an epoch's number (``orders``), so none is kept.
By reward it is taken between two blocks of steps, and holds targets, replay, random streams and worlds besides
(``reinforcement.population``). Where a state is stored is not known here.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
import torch

from aiq.errors import NotKeptError
from aiq.training.networks.flat import Nets, Weights

LOGGER = logging.getLogger("aiq")
T = TypeVar("T")
State = dict[str, Any]
"""Name -> array, single value, or State."""

Save = Callable[[Callable[[], Mapping[str, State]], bool], None]
"""Takes what returns the states of all populations so far, and whether a population has just finished."""


class Memory:
    """What one call that trains one population after another remembers of each.

    The populations of a call are the same, in the same order, whenever the call is repeated: they are named by their
    numbers. ``states`` are those of an interrupted call; ``save`` is called after each epoch and may decline to store.
    """

    def __init__(self, states: Mapping[str, State], save: Save) -> None:
        self.interrupted, self.save = dict(states), save
        self.reached: dict[str, State] = {}

    def population(self) -> Slot:
        """Return the place of the next population."""
        name = f"{len(self.reached):06d}"
        self.reached[name] = self.interrupted.get(name) or {}
        return Slot(self, name)


class Slot:
    """The place of one population in a memory."""

    def __init__(self, memory: Memory, name: str) -> None:
        self._memory, self._name = memory, name

    @property
    def state(self) -> State | None:
        """Where an earlier call was interrupted, if it was."""
        return self._memory.interrupted.get(self._name)

    def take(self) -> State | None:
        """Return the state and let go of it; whoever takes it offers its own, at its end too."""
        self._memory.reached[self._name] = {}
        return self._memory.interrupted.pop(self._name, None)

    def keep(self, make: Callable[[], State], finished: bool) -> None:
        """Keep a finished population's state, offer an unfinished one's."""
        memory, name = self._memory, self._name
        if finished:
            memory.reached[name] = make()
        memory.save(lambda: {**memory.reached, name: memory.reached[name] if finished else make()}, finished)


def going_on(state: State | None, resume: Callable[[State], T]) -> T | None:
    """Return a training that goes on from a kept state, or None where there is none that fits, which is logged."""
    if state is None:
        return None
    try:
        return resume(state)
    except (LookupError, TypeError, ValueError, RuntimeError, NotKeptError) as error:
        LOGGER.warning("a kept training does not fit (%s); it starts anew", " ".join(str(error).split()))
        return None


def pack_nets(nets: Nets) -> State:
    """Return the buffers of networks, with a digest of the weights by network and the kind of device.

    On a CPU the arrays are the buffers themselves: they are to be written before the training goes on.
    """
    flat = nets.flat
    return {
        "device": flat.values.device.type,
        "digest": _digest(nets),
        "values": _shared(flat.values),
        "optimizer": {name: _shared(state) for name, state in flat.states.items()},
    }


def unpack_nets(nets: Nets, state: State) -> None:
    """Put buffers into networks that are laid out in the same way and have an optimiser."""
    flat, states, optimizer = nets.flat, nets.flat.states, state["optimizer"]
    if state["device"] != flat.values.device.type:
        raise ValueError(f"it was taken on {state['device']}, this is {flat.values.device.type}")
    if states.keys() != optimizer.keys():
        raise ValueError(f"its optimiser keeps {sorted(optimizer)}, this one {sorted(states)}")
    for target, stored in [(flat.values, state["values"]), *((states[name], optimizer[name]) for name in states)]:
        numbers = torch.from_numpy(np.array(stored)).reshape(-1)
        if numbers.numel() != target.numel() or numbers.dtype != target.dtype:
            raise ValueError(f"it holds {numbers.numel()} numbers {numbers.dtype}, not {target.numel()} {target.dtype}")
        target.copy_(numbers.view(target.shape))
    if _digest(nets) != state["digest"]:
        raise ValueError("its networks lie in another order")


def pack_tensors(tensors: Weights) -> State:
    """Return tensors as numbered arrays."""
    return {f"{place:03d}": _shared(tensor).copy() for place, tensor in enumerate(tensors)}


def unpack_tensors(state: State, like: Weights) -> Weights:
    """Return numbered arrays as tensors of the device and shapes of others."""
    if len(state) != len(like):
        raise ValueError(f"it holds {len(state)} tensors of a network that has {len(like)}")
    return [
        torch.from_numpy(np.array(state[name])).to(other.device).view(other.shape)
        for name, other in zip(sorted(state), like, strict=True)
    ]


def _digest(nets: Nets) -> str:
    """Return the SHA-256 of every network's weights, network by network."""
    digest = hashlib.sha256()
    for index in range(len(nets.architectures)):
        for tensor in nets.weights(index):
            digest.update(_shared(tensor).tobytes())
    return digest.hexdigest()


def _shared(tensor: torch.Tensor) -> np.ndarray:
    """Return an array that shares memory with a tensor of the CPU."""
    return np.asarray(tensor.detach().cpu().numpy())
