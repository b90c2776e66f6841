"""Records of domains: their entropy, what a suite of them has in common, what agents did in control domains."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from math import prod
from typing import Any, Literal

import numpy as np

from aiq.records.estimate import Estimate, Floats, freeze
from aiq.records.trial import LOST, Status


@dataclass(frozen=True, slots=True)
class Interface:
    """The common ground of a suite of labelled domains.

    ``shape``: of every sample, (features,) or (channels, height, width); ``picture``: shape in which pictures are
    centred before they are flattened, where the suite also holds vectors; ``outputs`` of every network; ``samples``
    that every mixture draws. ``places``: root of the places in which inputs of each declared space lie, other spaces in
    others; None: all centred or filled up behind, so that tests of different spaces meet in the same places.
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

    Numbers in every observation, actions of every network, and ``spread``: what can be earned in an episode of any
    domain, in units of pay. ``places``: root of the places in which observations of each declared space lie, other
    spaces in others; None: all begin at the first place.
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


@dataclass(frozen=True, slots=True, eq=False)
class Entropy:
    """Shannon entropy of a domain in bits (Eq. 4 of the 2025 paper), labels included.

    ``mean`` is the entropy of one sample (image, vector, observation); ``total`` is the number that the
    paper plots: summed over the images, and for vectors and observations, where the paper sums over the
    variables only, equal to ``mean``. ``label_bits`` is the part of ``mean`` that the labels contribute.
    ``parts`` holds what was averaged or summed, without labels: the entropy of each image, or of each
    variable. ``replicates`` (resamples,) are the bootstrap values of ``mean``.
    """

    mean: Estimate
    total: Estimate
    label_bits: float
    parts: Floats
    replicates: Floats

    def __post_init__(self) -> None:
        freeze(self)
        if self.label_bits < 0 or self.mean.value < 0 or (self.parts < 0).any():
            raise ValueError("an entropy cannot be negative")


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
        kept = self.scores[np.isfinite(self.scores).all(axis=1)]
        if not (0 <= self.shown < len(self.scores)) or not np.isfinite(self.scores[self.shown]).all():
            raise ValueError("a play shows one of its repetitions that was not lost")
        if len(kept) != len(self.scores) - self.lost or not ((kept >= 0) & (kept <= 1)).all():
            raise ValueError("scores of a play lie in [0, 1], but for the lost repetitions")

    @property
    def kept(self) -> Floats:
        """Scores of the trainings that were not lost, shape (repetitions - lost, episodes)."""
        return np.asarray(self.scores[np.isfinite(self.scores).all(axis=1)])

    @property
    def repetitions(self) -> Floats:
        """Performances of the trainings that were not lost, shape (repetitions - lost,)."""
        return np.asarray(self.kept.mean(axis=1))
