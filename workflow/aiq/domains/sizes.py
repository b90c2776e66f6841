"""What a domain holds: counts and shape, as far as they are known before anything is read."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod


@dataclass(frozen=True, slots=True)
class Sizes:
    """Samples, classes and shape of a domain; ``certain`` is False where they are assumptions.

    ``shape`` is (features,) or (channels, height, width); a control domain has 0 samples, its classes are actions,
    ``world`` is the memory in megabytes of one of its worlds, and ``pace`` the seconds of a step of it over those of
    the calibration.
    """

    train: int
    test: int
    classes: int
    shape: tuple[int, ...]
    certain: bool = True
    world: float = 0.0
    pace: float = 1.0

    @property
    def inputs(self) -> int:
        """Numbers in a sample."""
        return prod(self.shape)

    @property
    def item_bytes(self) -> int:
        """Bytes of a stored number: pictures are uint8, vectors float32."""
        return 1 if len(self.shape) == 3 else 4

    @property
    def megabytes(self) -> float:
        """Megabytes of both splits, each held once."""
        return (self.train + self.test) * self.inputs * self.item_bytes / 1e6


UNKNOWN = Sizes(60_000, 10_000, 10, (3, 32, 32), certain=False)
"""What archives and folders are taken to hold until they are read: as much as the usual image data sets."""

PLAYED = Sizes(0, 0, 2, (8,))
"""Control domains whose observations the configuration does not tell."""
