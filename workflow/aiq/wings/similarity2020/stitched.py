"""The stitched merge of two labelled domains: samples side by side, two labels (2020 paper, "Merging Tests").

The 2020 paper compares it with the sampled merge (``training.data.mixed``) and rejects it, as it breaks sufficiency.
Stitching a domain to itself gives the paper's controls AA and BB.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from aiq import seeding
from aiq.domains.base import LabelledDomain
from aiq.errors import TrainingError
from aiq.training.data import LabelledData, common_shape, pad

Samples = npt.NDArray[np.generic]


@dataclass(frozen=True, eq=False)
class StitchedData:
    """Samples made of one of each domain, with both labels.

    ``train_x`` and ``test_x`` have shape (n, *shape), uint8 or float32; a network sees them times ``scale`` (1/255 for
    uint8, 1 for float32). ``train_y`` and ``test_y`` have shape (n, 2), int64: the label in the first domain, 0 ...
    outputs[0] - 1, and in the second, 0 ... outputs[1] - 1. A network has outputs[0] + outputs[1] outputs, those of
    the first domain first.
    """

    name: str
    train_x: torch.Tensor
    train_y: torch.Tensor
    test_x: torch.Tensor
    test_y: torch.Tensor
    outputs: tuple[int, int]
    scale: float

    def __post_init__(self) -> None:
        """Refuse samples without two labels each, and labels that no output stands for."""
        for x, y in ((self.train_x, self.train_y), (self.test_x, self.test_y)):
            if y.shape != (len(x), 2):
                raise TrainingError(
                    f"stitched data {self.name}: {len(x)} samples have labels of shape {tuple(y.shape)}"
                )
            if len(y) and (bool((y < 0).any()) or bool((y >= torch.tensor(self.outputs)).any())):
                raise TrainingError(f"stitched data {self.name}: labels lie outside the {self.outputs} outputs")

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one sample, (features,) or (channels, height, both widths)."""
        return tuple(self.train_x.shape[1:])


@dataclass(frozen=True, slots=True)
class StitchedAccuracy:
    """Shares of right answers, in [0, 1]: in each half, their mean (the performance), and where both are right."""

    first: float
    second: float
    both: float

    @property
    def performance(self) -> float:
        """The mean of both halves."""
        return (self.first + self.second) / 2


def stitched(first: LabelledDomain, second: LabelledDomain, *, seed: int, samples: int | None = None) -> StitchedData:
    """Stitch two domains, or one to itself.

    Pictures are zero-padded evenly to the larger height, width and number of channels and put side by side; vectors
    are joined end to end, and so is a flattened picture with a vector. Each split has as many samples as the smaller
    of the two; which samples meet is random, each is used at most once in a half. In a control (a domain with itself)
    both halves are shuffled on their own.

    Args:
        first: domain of the left half.
        second: domain of the right half.
        seed: root seed of the pairing.
        samples: training samples; None takes as many as the smaller training split has.

    Raises:
        TrainingError: fewer than 1 sample is asked for, or more than the smaller training split has.
    """
    left, right = LabelledData.of(first), LabelledData.of(second)
    fewest = min(len(first.train_y), len(second.train_y))
    count = fewest if samples is None else samples
    if not 1 <= count <= fewest:
        raise TrainingError(
            f"{count} stitched samples of {first.name} and {second.name} were asked for; there can be 1 to {fewest}"
        )
    parts: dict[str, torch.Tensor] = {}
    for split, number in (("train", count), ("test", min(len(first.test_y), len(second.test_y)))):
        rows = [
            torch.from_numpy(_order(len(data), number, seed, first.name, second.name, split, place))
            for place, data in enumerate((getattr(left, f"{split}_y"), getattr(right, f"{split}_y")))
        ]
        halves = [getattr(d, f"{split}_x")[r].numpy() for d, r in zip((left, right), rows, strict=True)]
        parts[f"{split}_x"] = torch.from_numpy(_joined(*halves))
        parts[f"{split}_y"] = torch.stack(
            [getattr(d, f"{split}_y")[r] for d, r in zip((left, right), rows, strict=True)], 1
        )
    scale = 1 / 255 if parts["train_x"].dtype == torch.uint8 else 1.0
    return StitchedData(f"{first.name}|{second.name}", outputs=(left.outputs, right.outputs), scale=scale, **parts)


def accuracy(data: StitchedData, logits: torch.Tensor) -> StitchedAccuracy:
    """Return the shares of right answers on the test split.

    Args:
        data: the stitched domains.
        logits: of every test sample, shape (n, outputs[0] + outputs[1]); the largest of each half is its answer.

    Raises:
        TrainingError: logits of another shape.
    """
    wanted = (len(data.test_y), sum(data.outputs))
    if tuple(logits.shape) != wanted:
        raise TrainingError(f"logits have shape {tuple(logits.shape)}; stitched data {data.name} need {wanted}")
    halves = logits.split(list(data.outputs), dim=1)
    right = torch.stack([half.argmax(dim=1) for half in halves], dim=1) == data.test_y
    shares = right.double().mean(dim=0)
    return StitchedAccuracy(float(shares[0]), float(shares[1]), float(right.all(dim=1).double().mean()))


def _order(count: int, number: int, seed: int, *key: str | int) -> npt.NDArray[np.int64]:
    """Return which samples stand in one half, in which order, (number,)."""
    return seeding.generator(seed, "stitched", *key).permutation(count)[:number].astype(np.int64)


def _joined(one: Samples, other: Samples) -> Samples:
    """Return samples side by side: pictures (n, C, H, W + W), else vectors (n, F + G)."""
    if one.ndim == other.ndim == 4:
        shape = common_shape(one.shape[1:], other.shape[1:])
        return np.concatenate([pad(one, shape), pad(other, shape)], axis=3)
    flat = [part.reshape(len(part), -1) for part in (one, other)]
    if flat[0].dtype != flat[1].dtype:
        flat = [part / np.float32(255) if part.dtype == np.uint8 else part for part in flat]
    return np.concatenate(flat, axis=1)
