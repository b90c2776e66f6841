"""From an optimiser's settings to torch's own optimiser (for the reference trainer)."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from aiq.config.training import Adadelta, Adam, AdamW, Optimizer, Sgd


def build(settings: Optimizer, tensors: Iterable[torch.Tensor]) -> torch.optim.Optimizer:
    """Return the named optimiser over tensors, torch's ordinary one."""
    match settings:
        case Adam():
            return torch.optim.Adam(tensors, lr=settings.learning_rate, betas=settings.betas, eps=settings.epsilon)
        case AdamW():
            return torch.optim.AdamW(
                tensors,
                lr=settings.learning_rate,
                betas=settings.betas,
                eps=settings.epsilon,
                weight_decay=settings.weight_decay,
            )
        case Sgd():
            return torch.optim.SGD(tensors, lr=settings.learning_rate, momentum=settings.momentum)
        case Adadelta():
            return torch.optim.Adadelta(tensors, lr=settings.learning_rate, rho=settings.rho, eps=settings.epsilon)
