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
from aiq.policies import networks
from aiq.records.trial import Policy, Status, Trial
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

    def __init__(self, states: Mapping[str, State] | None = None, save: Save | None = None) -> None:
        self.interrupted, self._save = dict(states or {}), save
        self._reached: dict[str, State] = {}

    def population(self) -> str:
        """Return the name of the next population; where an earlier call was interrupted in it, there is its state."""
        name = f"{len(self._reached):06d}"
        self._reached[name] = self.interrupted.get(name) or {}
        return name

    def take(self, name: str) -> State | None:
        """Return a population's state and let go of it; whoever takes it offers its own, at its end too."""
        self._reached[name] = {}
        return self.interrupted.pop(name, None)

    def keep(self, name: str, make: Callable[[], State], finished: bool) -> None:
        """Keep a finished population's state, offer an unfinished one's."""
        if self._save is None:
            return
        if finished:
            self._reached[name] = make()
        self._save(lambda: {**self._reached, name: self._reached[name] if finished else make()}, finished)


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
    digest = hashlib.sha256()
    for index in range(len(nets.architectures)):
        for tensor in nets.weights(index):
            digest.update(_shared(tensor).tobytes())
    return digest.hexdigest()


def _shared(tensor: torch.Tensor) -> np.ndarray:
    return np.asarray(tensor.detach().cpu().numpy())


# ---- When a training ends: after its epochs or steps, at convergence, or when its numbers are not finite ----


class _Course:
    """How a training goes: ``losses`` and ``validation`` so far, how it ended (``status``; None while it goes on)."""

    def __init__(self, rule: Convergence | Plateau | None) -> None:
        self._rule, self._highest, self._waited = rule, -math.inf, 0
        self.losses: list[float] = []
        self.validation: list[float] = []
        self.status: Status | None = None
        self.seconds = 0.0

    def _settled(self, value: float) -> bool:
        """Whether values have not risen by the rule's improvement for as many looks as it has patience."""
        if self._rule is None:
            return False
        if value > self._highest and value - self._highest >= self._rule.improvement:
            self._highest, self._waited = value, 0
        else:
            self._waited += 1
        return self._waited >= self._rule.patience

    @property
    def ended(self) -> Status:
        """How the training ended; it must have."""
        if self.status is None:
            raise ValueError("the result of a training was asked for before its end")
        return self.status

    def trial(
        self, policy: Policy, performance: float, weights: Weights, shape: tuple[int, ...], outputs: int
    ) -> Trial:
        """Return the record of a trained policy that reads samples of a shape and has so many outputs."""
        return Trial(
            policy=policy,
            performance=performance,
            parameters=networks.parameters(policy.architecture, shape, outputs),
            compressed=networks.compressed(weights),
            epochs=len(self.losses),
            seconds=self.seconds,
            status=self.ended,
            losses=tuple(self.losses),
            validation=tuple(self.validation),
        )


class Progress(_Course):
    """Learning curve of one policy and the rule that ends its training.

    ``losses`` is the mean training loss of each epoch, ``validation`` the accuracy on the held-out part after
    each epoch (of numbers: 1 less the mean squared error).
    """

    def __init__(self, epochs: int, convergence: Convergence | None) -> None:
        super().__init__(convergence)
        self._epochs = epochs

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
        if accuracy is not None and self._settled(accuracy):
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
            "best": float(self._highest),
            "waited": self._waited,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a state."""
        self.losses = [float(loss) for loss in state["losses"]]
        self.validation = [float(accuracy) for accuracy in state["validation"]]
        self.status = state["status"]
        self.seconds = float(state["seconds"])
        self._highest, self._waited = float(state["best"]), int(state["waited"])


# ---- By reward -----------------------------------------------------------------------------------


class Curve(_Course):
    """What the evaluations of one agent gave, and the rule that ends its training.

    ``losses`` is the mean loss of the temporal difference between evaluations, ``validation`` the performance of each
    evaluation, ``weights`` those of the best evaluation (of equals the latest, which has trained longest), ``last``
    those with which the training ended, ``failure`` what a world raised.
    """

    def __init__(self, convergence: Plateau | None) -> None:
        super().__init__(convergence)
        self._best = -math.inf
        self._window = 1 if convergence is None else convergence.window
        self.weights: Weights | None = None
        self.last: Weights = []
        self.failure: str | None = None

    def state(self) -> State:
        """Return all that was taken in so far."""
        return {
            "losses": np.array(self.losses, np.float64),
            "scores": np.array(self.validation, np.float64),
            "best_weights": {} if self.weights is None else pack_tensors(self.weights),
            "last_weights": pack_tensors(self.last),
            "status": self.status,
            "failure": self.failure,
            "seconds": float(self.seconds),
            "waited": self._waited,
            "highest": float(self._highest),
            "best": float(self._best),
        }

    def restore(self, state: Mapping[str, Any], like: Weights) -> None:
        """Go on from a state; ``like`` are weights of the same network."""
        self.losses, self.validation = (np.array(state[name], np.float64).tolist() for name in ("losses", "scores"))
        best, last = state["best_weights"], state["last_weights"]
        self.weights = unpack_tensors(best, like) if best else None
        self.last = unpack_tensors(last, like) if last else []
        self.status, self.failure = state["status"], state["failure"]
        self._highest, self._waited = float(state["highest"]), int(state["waited"])
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
        self.validation.append(score)
        recent = self.validation[-self._window :]
        if len(recent) == self._window and self._settled(math.fsum(recent) / self._window):
            self.status = "converged"
        elif last:
            self.status = "finished"
        better = score >= self._best
        self._best = max(self._best, score)
        return better
