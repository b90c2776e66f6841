"""When a policy's training ends: after its epochs or steps, at convergence, or when its numbers are not finite."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from aiq.config.reinforcement import Plateau
from aiq.config.training import Convergence
from aiq.records.trial import Status
from aiq.training.checkpoints import State, pack_tensors, unpack_tensors
from aiq.training.networks.flat import Weights

Report = Callable[[float], None]
"""Told the finished share of the work, in [0, 1]."""


def part_of(progress: Report | None, before: int, part: int, total: int) -> Report | None:
    """Return a report of one population's share of the work as a share of the whole."""
    if progress is None:
        return None
    return lambda share: progress((before + share * part) / total)


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
