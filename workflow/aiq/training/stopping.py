"""When a policy's training ends: at the last epoch, at convergence, or when its numbers are no longer finite."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from aiq.config.training import Convergence
from aiq.records.trial import Status

Report = Callable[[float], None]
"""Told the finished share of the work, in [0, 1]."""


def part_of(progress: Report | None, before: int, part: int, total: int) -> Report | None:
    """Return a report of one population's share of the work as a share of the whole."""
    if progress is None:
        return None
    return lambda share: progress((before + share * part) / total)


class Progress:
    """Learning curve of one policy and the rule that ends its training.

    ``losses`` is the mean training loss of each epoch, ``validation`` the accuracy on the held-out part after
    each epoch (of numbers: 1 less the mean squared error); ``status`` is None while the policy goes on.
    """

    def __init__(self, epochs: int, convergence: Convergence | None) -> None:
        self._epochs = epochs
        self._convergence = convergence
        self._best = -math.inf
        self._waited = 0
        self.losses: list[float] = []
        self.validation: list[float] = []
        self.status: Status | None = None
        self.seconds = 0.0

    def epoch(self, loss: float, finite: bool, accuracy: float | None) -> Status | None:
        """Take in one epoch and return how the training ended, or None if it goes on.

        Args:
            loss: mean training loss of the epoch.
            finite: whether all weights are finite after the epoch.
            accuracy: accuracy on the held-out part after the epoch; None without convergence rule.
        """
        self.losses.append(loss)
        if not (finite and math.isfinite(loss)):
            self.status = "diverged"
            return self.status
        if accuracy is not None:
            self.validation.append(accuracy)
        if self._converged(accuracy):
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
            "best": float(self._best),
            "waited": self._waited,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a state."""
        self.losses = [float(loss) for loss in state["losses"]]
        self.validation = [float(accuracy) for accuracy in state["validation"]]
        self.status = state["status"]
        self.seconds = float(state["seconds"])
        self._best, self._waited = float(state["best"]), int(state["waited"])

    def _converged(self, accuracy: float | None) -> bool:
        """Whether the accuracy has not risen enough for as many epochs as the rule allows."""
        if self._convergence is None or accuracy is None:
            return False
        if accuracy > self._best and accuracy - self._best >= self._convergence.improvement:
            self._best = accuracy
            self._waited = 0
        else:
            self._waited += 1
        return self._waited >= self._convergence.patience
