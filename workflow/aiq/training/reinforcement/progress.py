"""Learning curve of one agent: when its training ends, and which checkpoint counts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from aiq.config.reinforcement import Plateau
from aiq.records.trial import Status
from aiq.training.checkpoints import State, pack_tensors, unpack_tensors
from aiq.training.reinforcement.networks import Weights


class Curve:
    """What the evaluations of one agent gave, and the rule that ends its training.

    ``losses`` is the mean loss of the temporal difference between evaluations, ``scores`` the performance of each
    evaluation, ``weights`` those of the best evaluation (of equals the latest, which has trained longest), ``last``
    those with which the training ended, ``status`` None while the agent goes on.
    """

    def __init__(self, convergence: Plateau | None) -> None:
        self._convergence = convergence
        self._waited, self._highest, self._best = 0, -math.inf, -math.inf
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
            "waited": self._waited,
            "highest": float(self._highest),
            "best": float(self._best),
        }

    def restore(self, state: Mapping[str, Any], like: Weights) -> None:
        """Go on from a state; ``like`` are weights of the same network."""
        self.losses, self.scores = (np.array(state[name], np.float64).tolist() for name in ("losses", "scores"))
        best, last = state["best_weights"], state["last_weights"]
        self.weights = unpack_tensors(best, like) if best else None
        self.last = unpack_tensors(last, like) if last else []
        self.status, self.failure = state["status"], state["failure"]
        self.seconds, self._waited = float(state["seconds"]), int(state["waited"])
        self._highest, self._best = float(state["highest"]), float(state["best"])

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
        """Take in an evaluation and return whether its weights are the best so far.

        Args:
            score: performance in [0, 1].
            last: whether the steps are used up.
        """
        self.scores.append(score)
        if self._converged():
            self.status = "converged"
        elif last:
            self.status = "finished"
        better = score >= self._best
        self._best = max(self._best, score)
        return better

    def _converged(self) -> bool:
        """Whether the mean of the last evaluations has not risen enough for as long as the rule allows."""
        rule = self._convergence
        if rule is None or len(self.scores) < rule.window:
            return False
        mean = math.fsum(self.scores[-rule.window :]) / rule.window
        if mean > self._highest and mean - self._highest >= rule.improvement:
            self._highest, self._waited = mean, 0
        else:
            self._waited += 1
        return self._waited >= rule.patience
