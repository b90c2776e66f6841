"""How probable it is that a run of so many trainings sees a similarity, a difference, or a sufficient agent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincinv, ndtr, stdtrit

from aiq.errors import InputError
from aiq.measures.similarity.sufficiency import Noise
from aiq.records.arrays import Floats
from aiq.records.estimate import Estimate

TRIES = 400
CLAIMED = 0.95
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)


@dataclass(frozen=True)
class Level:
    """What the repetitions of one training gave: mean, standard deviation of one repetition, number of them."""

    mean: float
    spread: float
    count: int

    def __post_init__(self) -> None:
        if self.count < 2 or not self.spread >= 0:
            raise InputError(
                f"power needs 2 or more trainings of each kind; there are {self.count}, spread {self.spread:g}"
            )

    @classmethod
    def of(cls, values: Floats) -> Level:
        """Return the level of some performances, (R,)."""
        return cls(float(values.mean()), float(values.std(ddof=1)) if values.size > 1 else 0.0, values.size)

    @classmethod
    def from_estimate(cls, found: Estimate) -> Level:
        """Return the level behind a mean with its t interval."""
        if found.interval is None or found.n < 2:
            return cls(found.value, 0.0, 0)  # refused
        half = (found.interval[1] - found.interval[0]) / 2
        return cls(found.value, half * found.n**0.5 / float(stdtrit(found.n - 1, (1 + found.confidence) / 2)), found.n)

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return self.spread / math.sqrt(self.count)


def of_difference(difference: float, error: float, freedom: float, confidence: float = 0.95) -> float:
    """Return the probability that a t interval of a number with this true value does not hold 0.

    Args:
        difference: the true value, in any unit.
        error: standard error of its estimate, in the same unit, 0 or more.
        freedom: degrees of freedom of that error, above 0.
        confidence: of the interval.

    Raises:
        InputError: a negative error, no degree of freedom, or a confidence outside (0, 1).
    """
    if not (error >= 0 and freedom > 0 and 0 < confidence < 1):
        raise InputError(
            f"the power of a difference with an error of {error:g}, {freedom:g} degrees of freedom and a confidence of "
            f"{confidence:g} was asked for; the error is 0 or more, the others above 0, the confidence below 1"
        )
    if error == 0:
        return float(difference != 0)
    critical = float(stdtrit(freedom, (1 + confidence) / 2))
    shift = abs(difference) / error
    ratio = np.sqrt(2 * gammaincinv(freedom / 2, (1 + _NODES) / 2) / freedom)  # estimated over true error
    seen = ndtr(shift - critical * ratio) + ndtr(-shift - critical * ratio)
    return float(np.clip(_WEIGHTS @ seen / 2, 0.0, 1.0))


def of_similarity(levels: Sequence[Level], similarity: float, confidence: float = 0.95) -> float:
    """Return the probability that Fieller's set would leave out 0 (the straight line), were S what is given.

    Noise and numbers of trainings are those measured, and so are V_A and V_B. Fieller's set holds 0 exactly where the
    interval of V_A + V_B - 2 V_AB does; its degrees of freedom are Welch and Satterthwaite's.

    Args:
        levels: of the repetitions on the easier test, the harder one and the mixture.
        similarity: the signed S that is supposed to be true.
        confidence: of the set.
    """
    a, b, m = levels
    parts = np.array([a.error, b.error, 2 * m.error]) ** 2
    total = float(parts.sum())
    counts = np.array([level.count - 1.0 for level in levels])
    freedom = total**2 / float((parts**2 / counts).sum()) if total > 0 else float(counts.min())
    return of_difference(similarity * abs(a.mean - b.mean), math.sqrt(total), freedom, confidence)


def of_sufficiency(
    levels: Sequence[Level], v_ab: float, *, claimed: float = CLAIMED, tries: int = TRIES, seed: int = 0
) -> tuple[float, float]:
    """Return how probable "sufficient" and "not sufficient" would be, were V_AB what is given.

    Trainings are simulated as normal ones with the measured V_A, V_B, spreads and numbers; 400 tries have a standard
    error of at most .025.

    Args:
        levels: as in :func:`of_similarity`.
        v_ab: the supposed mean performance on the mixture.
        claimed: probability from which on the agent counts as sufficient; not below one minus it.
        tries: simulated runs.
        seed: of the simulation.
    """
    rng = np.random.default_rng(seed)
    means = (levels[0].mean, levels[1].mean, v_ab)
    found = np.empty(tries)
    for place in range(tries):
        drawn = [rng.normal(mean, one.spread, one.count) for mean, one in zip(means, levels, strict=True)]
        found[place] = Noise(drawn, False).between(*(float(values.mean()) for values in drawn))
    return float(np.mean(found >= claimed)), float(np.mean(found <= 1 - claimed))
