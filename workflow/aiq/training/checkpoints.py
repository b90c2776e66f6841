"""How far trainings are: learning curves with the rules that end them, and the states that are kept of them.

An interrupted training goes on with the numbers that it would have had.

A state is a mapping of names to arrays and single values. On labelled data it is taken at the end of an epoch: weights
and optimiser state as they lie in the population's buffers, the number of the epoch, which members still train, their
curves and stopping rules. Orders of samples are functions of a key and an epoch's number (``feeds``), so none is kept.
By reward it is taken between two blocks of steps, and holds targets, replay, random streams and worlds besides
(``q_population``). Where a state is stored is not known here.
"""

from __future__ import annotations

import hashlib
import logging
import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
import torch

from aiq.config.training import Convergence, Plateau
from aiq.errors import NotKeptError
from aiq.records.trial import Status
from aiq.training.flat import Nets, Weights

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


# ---- When a training ends: after its epochs or steps, at convergence, or when its numbers are not finite ----


def ended(curve: Progress | Curve) -> Status:
    """Return how a training ended.

    Raises:
        ValueError: it goes on.
    """
    if curve.status is None:
        raise ValueError("the result of a training was asked for before its end")
    return curve.status


class _Patience:
    """Ends what has not risen by the rule's improvement for as many looks as it has patience."""

    def __init__(self, rule: Convergence | Plateau | None) -> None:
        self._rule, self.highest, self.waited = rule, -math.inf, 0

    def over(self, value: float) -> bool:
        if self._rule is None:
            return False
        if value > self.highest and value - self.highest >= self._rule.improvement:
            self.highest, self.waited = value, 0
        else:
            self.waited += 1
        return self.waited >= self._rule.patience


class Progress:
    """Learning curve of one policy and the rule that ends its training.

    ``losses`` is the mean training loss of each epoch, ``validation`` the accuracy on the held-out part after
    each epoch (of numbers: 1 less the mean squared error); ``status`` is None while the policy goes on.
    """

    def __init__(self, epochs: int, convergence: Convergence | None) -> None:
        self._epochs, self._patience = epochs, _Patience(convergence)
        self.losses: list[float] = []
        self.validation: list[float] = []
        self.status: Status | None = None
        self.seconds = 0.0

    def epoch(self, loss: float, finite: bool, accuracy: float | None) -> Status | None:
        """Take in one epoch and return how the training ended, or None if it goes on.

        ``finite`` tells whether all weights are, ``accuracy`` is that on the held-out part (None without a rule).
        """
        self.losses.append(loss)
        if not (finite and math.isfinite(loss)):
            self.status = "diverged"
            return self.status
        if accuracy is not None:
            self.validation.append(accuracy)
        if accuracy is not None and self._patience.over(accuracy):
            self.status = "converged"
        elif len(self.losses) >= self._epochs:
            self.status = "finished"
        return self.status

    def state(self) -> dict[str, Any]:
        """Return everything that the rest of the training depends on, and what it has measured so far."""
        return {
            "losses": np.array(self.losses, dtype=np.float64),
            "validation": np.array(self.validation, dtype=np.float64),
            "status": self.status,
            "seconds": float(self.seconds),
            "best": float(self._patience.highest),
            "waited": self._patience.waited,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a state."""
        self.losses = [float(loss) for loss in state["losses"]]
        self.validation = [float(accuracy) for accuracy in state["validation"]]
        self.status = state["status"]
        self.seconds = float(state["seconds"])
        self._patience.highest, self._patience.waited = float(state["best"]), int(state["waited"])


# ---- By reward -----------------------------------------------------------------------------------


class Curve:
    """What the evaluations of one agent gave, and the rule that ends its training.

    ``losses`` is the mean loss of the temporal difference between evaluations, ``scores`` the performance of each
    evaluation, ``weights`` those of the best evaluation (of equals the latest, which has trained longest), ``last``
    those with which the training ended, ``status`` None while the agent goes on.
    """

    def __init__(self, convergence: Plateau | None) -> None:
        self._patience, self._best = _Patience(convergence), -math.inf
        self._window = 1 if convergence is None else convergence.window
        self.losses: list[float] = []
        self.scores: list[float] = []
        self.weights: Weights | None = None
        self.last: Weights = []
        self.status: Status | None = None
        self.failure: str | None = None
        self.seconds = 0.0

    def state(self) -> State:
        """Return all that was taken in so far."""
        return {
            "losses": np.array(self.losses, np.float64),
            "scores": np.array(self.scores, np.float64),
            "best_weights": {} if self.weights is None else pack_tensors(self.weights),
            "last_weights": pack_tensors(self.last),
            "status": self.status,
            "failure": self.failure,
            "seconds": float(self.seconds),
            "waited": self._patience.waited,
            "highest": float(self._patience.highest),
            "best": float(self._best),
        }

    def restore(self, state: Mapping[str, Any], like: Weights) -> None:
        """Go on from a state; ``like`` are weights of the same network."""
        self.losses, self.scores = (np.array(state[name], np.float64).tolist() for name in ("losses", "scores"))
        best, last = state["best_weights"], state["last_weights"]
        self.weights = unpack_tensors(best, like) if best else None
        self.last = unpack_tensors(last, like) if last else []
        self.status, self.failure = state["status"], state["failure"]
        self._patience.highest, self._patience.waited = float(state["highest"]), int(state["waited"])
        self.seconds, self._best = float(state["seconds"]), float(state["best"])

    def train(self, loss: float, finite: bool, failure: str | None) -> None:
        """Take in what came of the training since the last evaluation."""
        self.losses.append(loss)
        if failure is not None:
            self.fail(failure)
        elif not (finite and math.isfinite(loss)):
            self.status = "diverged"

    def fail(self, failure: str) -> None:
        """Take in that a world raised; there is no performance."""
        self.status, self.failure = "failed", failure

    def evaluated(self, score: float, last: bool) -> bool:
        """Take in an evaluation, the last one or not, and return whether its weights are the best so far."""
        self.scores.append(score)
        recent = self.scores[-self._window :]
        if len(recent) == self._window and self._patience.over(math.fsum(recent) / self._window):
            self.status = "converged"
        elif last:
            self.status = "finished"
        better = score >= self._best
        self._best = max(self._best, score)
        return better
