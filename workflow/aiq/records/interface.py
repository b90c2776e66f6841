"""What all mixtures of a suite have in common: the shape of samples, the outputs, the number of samples."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any


@dataclass(frozen=True, slots=True)
class Interface:
    """The common ground of a suite of labelled domains.

    Attributes:
        shape: of every sample, (features,) or (channels, height, width).
        picture: shape in which pictures are centred before they are flattened, where the suite also holds vectors.
        outputs: of every network.
        samples: that every mixture draws.
        places: root of the places in which inputs of each declared space lie, other spaces in others; None: all centred
            or filled up behind, so that tests of different spaces meet in the same places.
    """

    shape: tuple[int, ...]
    picture: tuple[int, ...] | None
    outputs: int
    samples: int
    places: int | None = field(default=None, metadata={"younger": True})

    def __post_init__(self) -> None:
        if not self.shape or min(self.shape) < 1 or self.outputs < 1 or self.samples < 1:
            raise ValueError(
                f"no network has samples of shape {self.shape}, {self.outputs} outputs, {self.samples} samples"
            )
        if self.picture is not None and (len(self.shape) != 1 or prod(self.picture) > self.shape[0]):
            raise ValueError(f"pictures of shape {self.picture} do not fit in samples of shape {self.shape}")

    @property
    def words(self) -> list[Any]:
        """The numbers in plain form, for fingerprints."""
        return [*self.ground, self.samples]

    @property
    def ground(self) -> list[Any]:
        """What a network on one domain meets of it, in plain form: all but the number of samples."""
        laid = [] if self.places is None else [["places", self.places]]
        return [list(self.shape), None if self.picture is None else list(self.picture), self.outputs, *laid]


@dataclass(frozen=True, slots=True)
class ControlInterface:
    """The common ground of a suite of control domains.

    Attributes:
        observations: numbers in every observation.
        actions: of every network.
        spread: what can be earned in an episode of any domain, in units of pay.
        places: root of the places in which observations of each declared space lie, other spaces in others; None: all
            begin at the first place.
    """

    observations: int
    actions: int
    spread: float
    places: int | None = field(default=None, metadata={"younger": True})

    def __post_init__(self) -> None:
        if self.observations < 1 or self.actions < 1 or not self.spread > 0:
            raise ValueError(
                f"no agent has {self.observations} observations, {self.actions} actions and {self.spread} to earn"
            )

    @property
    def words(self) -> list[Any]:
        """The numbers in plain form, for fingerprints."""
        return [*self.ground, self.spread]

    @property
    def ground(self) -> list[Any]:
        """What a network on one domain meets of it, in plain form: all but the earnings."""
        return [self.observations, self.actions, *([] if self.places is None else [["places", self.places]])]
