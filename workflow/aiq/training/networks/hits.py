"""For which samples the largest of some numbers is the label's, as ``argmax`` tells; faster on a processor."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import torch

from aiq.training.device import accelerated


def counts(logits: torch.Tensor, labels: torch.Tensor, own: Sequence[int] | None = None) -> torch.Tensor:
    """Return how many samples are hits, (networks,), int64; with ``own`` (2, networks), among all and among those."""
    every = hits(logits, labels).sum(1)
    return every if own is None else torch.stack([every, hits(logits, labels, own).sum(1)])


def hits(logits: torch.Tensor, labels: torch.Tensor, own: Sequence[int] | None = None) -> torch.Tensor:
    """Return whether the first of the largest outputs is the label, (networks, samples), bool.

    Args:
        logits: (networks, outputs, samples).
        labels: (networks or 1, samples).
        own: outputs that count, which hold all labels; None: all of them.
    """
    if own is not None:
        chosen = torch.tensor(own, device=logits.device)
        places = torch.zeros(logits.shape[1], dtype=torch.int64, device=logits.device)
        places[chosen] = torch.arange(len(own), device=logits.device)
        return hits(logits.index_select(1, chosen), places[labels])
    if logits.device.type != "cpu" or accelerated(logits.device):
        return logits.argmax(1) == labels
    at = labels.expand(len(logits), -1)[:, None]
    label = logits.gather(1, at)
    others = logits.scatter(1, at, -inf).amax(1, keepdim=True)
    above = label > others
    told = above | (label < others)
    return above[:, 0] if bool(told.all()) else logits.argmax(1) == labels  # neither: equal numbers, or NaN
