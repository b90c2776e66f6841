"""What a policy is and what came of training it once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

Status = Literal["finished", "converged", "diverged", "failed"]
"""How a training ended; ``failed``: the environment, or a learner made elsewhere, raised an exception."""

LOST: tuple[Status, ...] = ("diverged", "failed")
"""Endings without a performance."""


def _check_outcome(status: str, performance: float) -> None:
    """A performance lies in [0, 1], or is NaN exactly where the training diverged or failed."""
    if status not in get_args(Status):
        raise ValueError(f"status {status!r} is none of {', '.join(get_args(Status))}")
    if math.isnan(performance) != (status in LOST):
        raise ValueError(f"performance {performance} does not go with status {status}")
    if not math.isnan(performance) and not 0 <= performance <= 1:
        raise ValueError(f"performance {performance} is outside [0, 1]")


def _check_least(least: float, **numbers: float) -> None:
    """Refuse numbers below what they can be, and NaN."""
    for name, number in numbers.items():
        if not number >= least:
            raise ValueError(f"{name} cannot be {number}, the least is {least:g}")


@dataclass(frozen=True, slots=True)
class Architecture:
    """The layers of a network, or the name of a learner made elsewhere.

    ``widths`` are the nodes of the hidden dense layers (empty: a linear classifier), or, for the
    convolutional family, the filters of the 3x3 convolutions, after which follows one dense layer of
    ``dense_nodes`` nodes. ``reduction`` says how a convolution reduces the picture: ``pooling`` (2x2 max
    pooling, 3.1.5 of Pereyda and Holder 2025) or ``stride`` (a stride of 3, 2.4.3).
    """

    family: Literal["dense", "convolutional", "own"]
    widths: tuple[int, ...]
    dense_nodes: int = 0
    reduction: Literal["pooling", "stride"] = "pooling"
    learner: str = ""

    def __post_init__(self) -> None:
        if any(width < 1 for width in self.widths):
            raise ValueError(f"widths {self.widths} hold an empty layer")
        if self.family == "convolutional" and (not self.widths or self.dense_nodes < 1):
            raise ValueError("a convolutional network needs a convolution and a dense layer")
        if (self.family == "own") != bool(self.learner):
            raise ValueError("a learner made elsewhere has a name, and a network none")


@dataclass(frozen=True, slots=True)
class Policy:
    """One member of a chunk: an architecture and the seed of its initial weights (in [0, 2**63))."""

    architecture: Architecture
    seed: int

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**63:
            raise ValueError(f"seed {self.seed} of a policy is outside [0, 2**63)")


@dataclass(frozen=True, slots=True)
class Trial:
    """One policy, trained and evaluated once.

    ``performance`` is the mean categorical accuracy on the test split in [0, 1], or NaN where the
    training diverged or failed. ``parameters`` counts all trainable numbers; ``compressed`` is the number
    of bytes of the trained float32 weights after zlib at level 9. ``losses`` is the mean training loss of
    each epoch, ``validation`` the accuracy on the held-out part after each epoch (empty without convergence
    rule); both end where the policy stopped. ``seconds`` is the policy's share of its chunk's time.

    On a control domain, ``performance`` is the mean return of fresh greedy episodes of the best checkpoint,
    put on [0, 1] by the domain's bounds; an epoch is the time between two evaluations, ``losses`` is the mean
    loss of the temporal difference in each and ``validation`` the performance of each evaluation. A training
    ``failed`` if its environment raised.

    Of a learner made elsewhere, ``parameters`` is the size that is stated of it, ``compressed`` the bytes of its
    pickle after zlib at level 9 (0 where it cannot be pickled), and ``reason`` says why it failed. Where a number is
    learned, ``performance`` is R² on the test split clipped to [0, 1], ``losses`` are mean squared errors and
    ``validation`` is 1 less the mean squared error of the held-out part.
    """

    policy: Policy
    performance: float
    parameters: int
    compressed: int
    epochs: int
    seconds: float
    status: Status
    losses: tuple[float, ...]
    validation: tuple[float, ...] = ()
    reason: str = ""

    def __post_init__(self) -> None:
        _check_outcome(self.status, self.performance)
        _check_least(1, parameters=self.parameters)
        _check_least(0, compressed=self.compressed, epochs=self.epochs, seconds=self.seconds)

    @property
    def bytes(self) -> int:
        """Bytes of the float32 weights."""
        return 4 * self.parameters


@dataclass(frozen=True, slots=True)
class MixtureResult:
    """A policy trained on one mixture of two domains and evaluated on both test splits.

    ``proportion`` is the probability of drawing from the first domain; ``first`` and ``second`` are the
    accuracies on the two full test splits, or the performances on the two control domains (NaN where the
    training diverged or failed). ``first_told`` and ``second_told`` are the accuracies of the same network where it
    is told which test a sample belongs to: the largest logit among the outputs of the test's own classes alone
    (None on control domains, and in files from before they were stored).
    """

    proportion: float
    repetition: int
    first: float
    second: float
    parameters: int
    seconds: float
    status: Status
    first_told: float | None = None
    second_told: float | None = None

    def __post_init__(self) -> None:
        for performance in (self.first, self.second, self.first_told, self.second_told):
            if performance is not None:
                _check_outcome(self.status, performance)
        if not 0 <= self.proportion <= 1:
            raise ValueError(f"proportion {self.proportion} is outside [0, 1]")
        _check_least(1, parameters=self.parameters)
        _check_least(0, repetition=self.repetition, seconds=self.seconds)

    @property
    def performance(self) -> float:
        """Expected performance on the mixed test, p V_a + (1 - p) V_b (Eq. 8)."""
        return self.proportion * self.first + (1 - self.proportion) * self.second

    @property
    def told(self) -> float | None:
        """Expected accuracy on the mixed test where the network is told which test a sample belongs to."""
        if self.first_told is None or self.second_told is None:
            return None
        return self.proportion * self.first_told + (1 - self.proportion) * self.second_told


@dataclass(frozen=True, slots=True)
class AloneResult:
    """A policy trained on one domain alone with the samples that it has in mixtures at a proportion.

    ``proportion`` lies in (0, 1]; at 1 it is an end of every mixture with the domain. ``samples`` is the number of
    samples drawn (the number of steps on a control domain). ``performance`` is the accuracy on the full test split
    over all outputs, ``told`` over those of the domain's own classes alone (None on control domains); both are NaN
    where the training diverged or failed.
    """

    proportion: float
    repetition: int
    samples: int
    performance: float
    told: float | None
    parameters: int
    seconds: float
    status: Status

    def __post_init__(self) -> None:
        for performance in (self.performance, self.told):
            if performance is not None:
                _check_outcome(self.status, performance)
        if not 0 < self.proportion <= 1:
            raise ValueError(f"proportion {self.proportion} of a domain alone is outside (0, 1]")
        _check_least(1, samples=self.samples, parameters=self.parameters)
        _check_least(0, repetition=self.repetition, seconds=self.seconds)
