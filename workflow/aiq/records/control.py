"""Records of control domains: what is known of one, and what an agent did in it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from aiq.records.arrays import Floats, read_only
from aiq.records.trial import LOST, Status


@dataclass(frozen=True, slots=True)
class ControlFacts:
    """What a prepared control domain is: sizes, declared bounds of the return, rules of its actions.

    ``observations``: numbers in an observation; ``actions``: number of actions; ``horizon``: longest episode in
    steps; ``training_reward``, ``foreign`` and ``noop`` as in the configuration.
    """

    name: str
    observations: int
    actions: int
    bounds: tuple[float, float]
    horizon: int
    training_reward: Literal["own", "tick"]
    foreign: Literal["modulo", "noop"]
    noop: int | None

    def __post_init__(self) -> None:
        """Refuse a domain in which nothing can be seen or done."""
        if min(self.observations, self.actions, self.horizon) < 1:
            raise ValueError(f"domain {self.name} needs at least one observation, one action and one step")
        if not self.bounds[0] < self.bounds[1]:
            raise ValueError(f"bounds {self.bounds} of domain {self.name} do not rise")


@dataclass(frozen=True, slots=True, eq=False)
class OutsidePlay:
    """One repetition of an agent from outside on a domain.

    ``performance`` in [0, 1] is NaN where the agent ``failed``; ``returns`` (episodes,) are empty then and ``reason``
    is the sentence that says why. ``seconds``: time of the episodes.
    """

    performance: float
    returns: Floats
    seconds: float
    status: Status
    reason: str = ""

    def __post_init__(self) -> None:
        """A performance goes with the status."""
        object.__setattr__(self, "returns", read_only(self.returns))
        if math.isnan(self.performance) != (self.status in LOST):
            raise ValueError(f"performance {self.performance} does not go with status {self.status}")


@dataclass(frozen=True, slots=True, eq=False)
class BaselinePlay:
    """What the trained baseline does on a domain.

    ``returns`` (repetitions, episodes) of fresh greedy episodes, ``performance`` (repetitions,) their means on
    [0, 1]; NaN where a training was lost. ``shown`` is the repetition whose episodes give the domain's entropy: the
    one that did best on the domain that it was trained on. ``lengths`` (repetitions, episodes): steps.
    """

    domain: str
    trained_on: str
    returns: Floats
    lengths: Floats
    performance: Floats
    shown: int
    lost: int

    def __post_init__(self) -> None:
        """One performance a repetition."""
        for name in ("returns", "lengths", "performance"):
            object.__setattr__(self, name, read_only(getattr(self, name)))
        if self.returns.shape[:1] != self.performance.shape or not 0 <= self.shown < self.performance.size:
            raise ValueError("a play needs one performance a repetition, and shows one of them")

    @property
    def repetitions(self) -> Floats:
        """Performances of the trainings that were not lost, shape (repetitions - lost,)."""
        return np.asarray(self.performance[np.isfinite(self.performance)])
