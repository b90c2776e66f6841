"""Numbers as what is learned: how well they are predicted, and dense networks that learn them together."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from aiq.config.training import Training
from aiq.training.networks.dense import DenseNets, Work


def determination(squared_error: float, y: torch.Tensor) -> float:
    """Return R² = 1 - squared error / squared error of the mean of ``y``, clipped to [0, 1].

    Args:
        squared_error: summed over the samples of a test split.
        y: its numbers, (n,), not all the same.
    """
    numbers = y.double()
    total = float((numbers - numbers.mean()).square().sum())
    return min(1.0, max(0.0, 1 - squared_error / total))


def one_by_one(settings: Training, numeric: bool, family: str) -> bool:
    """Whether networks are trained one at a time: as asked for, and convolutional ones that learn numbers."""
    return settings.trainer == "reference" or (numeric and family == "convolutional")


class DenseRegression(DenseNets):
    """Dense networks of one output each that learn numbers by mean squared error (``population.Nets``)."""

    numeric = True

    def right(self, x: torch.Tensor, y: torch.Tensor, own: Sequence[int] | None = None) -> torch.Tensor:
        """Return for each network the squared error summed over the samples (float64)."""
        work = self._workspace(x.shape[-2], keep=False)
        self._forward(x, work)
        return (work.logits[:, 0] - self._own(y)).double().square().sum(1)[self._slots]

    def partial_step(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """Refuse: no number can stand for a missing sample; streams of unequal length train apart."""
        raise TypeError("numbers are not learned on batches that some networks see in part only")

    def _lose(self, y: torch.Tensor, work: Work, scale: torch.Tensor | None) -> torch.Tensor:
        """Add the losses to the sums and return the gradients of the outputs."""
        error = work.logits - self._own(y).to(work.logits.dtype)[:, None]
        work.losses.addcmul_(error, error, value=1 / work.batch)
        return error.mul_(2 / work.batch)
