"""A seeded subsample of a labelled domain, in the scale in which networks see it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.domains.base import LabelledDomain

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sample:
    """Samples of a domain: x (n, F) as networks see them, y (n,) labels; of the training and of the test split."""

    name: str
    train_x: Floats
    train_y: Labels
    test_x: Floats
    test_y: Labels


def subsample(domain: LabelledDomain, samples: int, seed: int) -> LabelledDomain:
    """Return at most so many samples of each split, drawn without replacement, in their old order.

    The draw holds at least one sample of every class of the split, so that no class is lost. The same seed, domain
    name and split always give the same draw.

    Args:
        domain: with classes (no numbers).
        samples: most samples per split, at least the number of classes.
        seed: root seed.
    """
    parts = {}
    for split in ("train", "test"):
        x, y = getattr(domain, f"{split}_x"), getattr(domain, f"{split}_y")
        rows = _drawn(y, samples, seeding.generator(seed, "known baselines", domain.name, split))
        parts[f"{split}_x"], parts[f"{split}_y"] = x[rows], y[rows]
    return LabelledDomain(
        name=domain.name, label_space=domain.label_space, labels=domain.labels, sheet=domain.sheet, **parts
    )


def _drawn(y: Labels, samples: int, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return the rows of a draw: one of every class, then any others."""
    if len(y) <= samples:
        return np.arange(len(y), dtype=np.int64)
    order = random.permutation(len(y))
    _, first = np.unique(y[order], return_index=True)
    rest = np.delete(order, first)
    return np.sort(np.concatenate([order[first], rest[: max(0, samples - len(first))]])).astype(np.int64)


def flat(x: npt.NDArray[np.generic]) -> Floats:
    """Return samples as rows (n, F): pictures from [0, 255] to [0, 1], vectors as they are."""
    scale = 255.0 if x.dtype == np.uint8 else 1.0
    return np.asarray(x.reshape(len(x), -1), dtype=np.float64) / scale
