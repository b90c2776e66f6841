"""Record of a measured number along a setting of a domain: the figures of variants in the paper of 2025."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from aiq.records.estimate import Estimate

Points = tuple[tuple[float, Estimate], ...]


@dataclass(frozen=True, slots=True)
class Variants:
    """A number of several variants of one domain, against the setting in which they differ.

    Attributes:
        setting: the setting, as an axis is labelled.
        quantity: the number, as an axis is labelled, with its unit.
        points: (value of the setting, number), at least two, values rising.
        degree: of the trend line: 1 straight, 2 a parabola.
        entropy: the same of the entropy, with its own label; empty where there is none.
        entropy_label: label of its axis.
        paper: what the paper reports, in words.
        apart: ends of the interval of each number's difference from the first, None where not known; empty: of none.
    """

    setting: str
    quantity: str
    points: Points
    degree: int = 1
    entropy: Points = ()
    entropy_label: str = ""
    paper: str = ""
    apart: tuple[tuple[float, float] | None, ...] = ()

    def __post_init__(self) -> None:
        for points in (self.points, self.entropy):
            values = [x for x, _ in points]
            if any(low >= high for low, high in pairwise(values)):
                raise ValueError(f"settings {values} do not rise")
        if self.apart and len(self.apart) != len(self.points):
            raise ValueError(f"{len(self.points)} variants have as many differences from the first")
        if len(self.points) < 2:
            raise ValueError(f"{len(self.points)} variants are no series; there must be at least two")
