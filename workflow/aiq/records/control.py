"""Records of control domains: what is known of one, and what an agent did in it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from aiq.records.arrays import Floats, freeze
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
    foreign: Literal["modulo", "noop", "clamp", "random"]
    noop: int | None

    def __post_init__(self) -> None:
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
        freeze(self)
        if math.isnan(self.performance) != (self.status in LOST):
            raise ValueError(f"performance {self.performance} does not go with status {self.status}")


@dataclass(frozen=True, slots=True, eq=False)
class BaselinePlay:
    """What the trained baseline does on a domain.

    ``scores`` (repetitions, episodes): the performance in [0, 1] of each fresh greedy episode; NaN where a training
    was lost. ``lengths`` (repetitions, episodes): steps. ``shown`` is the repetition whose episodes give the domain's
    entropy: the one that did best on the domain that it was trained on.
    """

    domain: str
    trained_on: str
    scores: Floats
    lengths: Floats
    shown: int
    lost: int

    def __post_init__(self) -> None:
        freeze(self)
        if self.scores.ndim != 2 or self.scores.shape != self.lengths.shape or not self.scores.size:
            raise ValueError("a play needs the score and the length of each episode of each repetition")
        known = self.scores[np.isfinite(self.scores).all(axis=1)]
        if not (0 <= self.shown < len(self.scores)) or not np.isfinite(self.scores[self.shown]).all():
            raise ValueError("a play shows one of its repetitions that was not lost")
        if len(known) != len(self.scores) - self.lost or not ((known >= 0) & (known <= 1)).all():
            raise ValueError("scores of a play lie in [0, 1], but for the lost repetitions")

    @property
    def kept(self) -> Floats:
        """Scores of the trainings that were not lost, shape (repetitions - lost, episodes)."""
        return np.asarray(self.scores[np.isfinite(self.scores).all(axis=1)])

    @property
    def repetitions(self) -> Floats:
        """Performances of the trainings that were not lost, shape (repetitions - lost,)."""
        return np.asarray(self.kept.mean(axis=1))
