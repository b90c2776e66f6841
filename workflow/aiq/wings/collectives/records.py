"""Records of the measure of agent collectives: blocks of episodes, estimates and a drawn episode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.records.estimate import Estimate, Floats

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class EpisodeBlock:
    """Scores of one kind of group in consecutive episodes of one test.

    ``test`` is the text of the settings, ``root`` the root seed; together with the number of an episode
    they decide its world. ``scores`` (n,): mean reward over agents and iterations, in [−1, 1].
    ``complexities`` (n,): K of the episode's pattern. ``stratified``: K was assigned in turn, not found.
    """

    kind: str
    test: str
    rows: int
    columns: int
    root: int
    first: int
    scores: Floats
    complexities: Integers
    stratified: bool

    def __post_init__(self) -> None:
        if self.scores.ndim != 1 or self.scores.size == 0 or self.scores.shape != self.complexities.shape:
            raise ValueError(f"a block needs as many scores {self.scores.shape} as complexities, and at least one")
        if not np.all(np.abs(self.scores) <= 1):
            raise ValueError("a score is outside [−1, 1] or not a number")
        if self.first < 0:
            raise ValueError(f"a block cannot begin at episode {self.first}")


@dataclass(frozen=True, slots=True)
class GroupIntelligence:
    """Υ of one kind at one size: ``uncertainty`` H in bits, ``variation`` = standard error / |Υ|."""

    kind: str
    rows: int
    columns: int
    uncertainty: float
    estimate: Estimate
    variation: float

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping of all fields."""
        names = ("kind", "rows", "columns", "uncertainty", "variation")
        return {name: getattr(self, name) for name in names} | self.estimate.as_dict()


@dataclass(frozen=True, slots=True)
class ComplexityScore:
    """Mean score of one kind in the episodes of complexities ``lowest`` … ``highest``, both included."""

    kind: str
    lowest: int
    highest: int
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class EpisodeTrace:
    """One episode to draw: cells (row × columns + column) over time, index 0 before the first move.

    ``good``, ``evil`` (ϑ + 1,); ``agents`` (ϑ + 1, agents); ``rewards`` (ϑ, agents) of each iteration;
    ``guide`` (ϑ + 1,) the unscored oracle of imitation, or None.
    """

    kind: str
    rows: int
    columns: int
    complexity: int
    good: Integers
    evil: Integers
    agents: Integers
    rewards: Floats
    guide: npt.NDArray[Any] | None

    def __post_init__(self) -> None:
        if np.any(self.good == self.evil):
            raise ValueError("Good and Evil share a cell")
