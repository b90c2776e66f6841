"""How a printed number is judged beside ours: errors of differences, and how probable it is that a run sees one.

What the 2020 paper prints of pictures: Tables 1 to 3, and what a network that knows nothing scores.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import gammaincinv, ndtr, stdtrit

from aiq.config.load import read
from aiq.errors import InputError
from aiq.measures.similarity import Noise
from aiq.plans import workflow
from aiq.records.dissimilarity import Similarity
from aiq.records.estimate import Estimate

TRIES = 400
CLAIMED = 0.95
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)

# ---- What the 2020 paper prints of pictures ------------------------------------------------------


Pair = tuple[str, str]

_PRINTED = read(workflow.examples() / "similarity-paper.yaml")["published"]
ALONE: Mapping[str, float] = _PRINTED["performance"]
"""Table 1; CP is the balance time over 200 steps in the text of Table 3."""
CHANCE = {"MNIST": 0.1, "FMNIST": 0.1, "CIFAR10": 0.1, "CIFAR100": 0.01, "CP": 0.113}
"""Accuracy of a guess among classes; of CP the balance time of uniformly random actions, 22.6 of 200 steps."""
SIMILARITY = {(a, b): float(value) for (a, b), value in ((p.split("+"), v) for p, v in _PRINTED["similarity"].items())}
"""Tables 2 and 3: S, taken for the signed one."""
RANDOM_BALANCE = 0.063  # what a random agent is said to balance, in the text of Table 3


# ---- How a printed number is judged beside ours --------------------------------------------------


Interval = tuple[float, float]


def judged(paper: float, contrary: float, segments: Sequence[Interval]) -> Verdict:
    """Return the verdict on a printed number by our pieces; ``contrary``: were there nothing of what is reported."""
    if not segments:
        return "undecided"
    holds = [any(low <= value <= high for low, high in segments) for value in (paper, contrary)]
    return "not reproduced" if not holds[0] else "undecided" if holds[1] else "reproduced"


def signed(interval: Interval, sign: int) -> Verdict:
    """Return the verdict on a difference that should be above 0 (``sign`` 1), below 0 (-1), or either (0)."""
    low, high = interval
    if low <= 0 <= high:
        return "undecided"
    return "reproduced" if sign == 0 or (low > 0) == (sign > 0) else "not reproduced"


def overlap(first: Sequence[Interval], other: Sequence[Interval]) -> bool:
    """Return whether two sets, each of some pieces, have a number in common."""
    return any(a[0] <= b[1] and b[0] <= a[1] for a in first for b in other)


@dataclass(frozen=True, slots=True)
class Gap:
    """A difference with its 95 % interval, its standard error and its degrees of freedom."""

    value: float
    interval: Interval
    error: float
    freedom: float

    @classmethod
    def of(cls, value: float, error: float, freedom: float) -> Gap:
        """Return a difference with its t interval."""
        half = float(stdtrit(freedom, 0.975)) * error
        return cls(value, (value - half, value + half), error, freedom)

    def power(self, size: float) -> float:
        """Return the probability that the interval leaves out 0, were the difference of a size."""
        return of_difference(size, self.error, self.freedom)


def difference(first: Level, other: Level) -> Gap:
    """Return the difference of two means, with Welch's degrees of freedom."""
    parts = (first.error**2, other.error**2)
    total = sum(parts)
    spent = sum(part**2 / (level.count - 1) for part, level in zip(parts, (first, other), strict=True))
    freedom = total**2 / spent if spent > 0 else float(min(first.count, other.count) - 1)
    return Gap.of(first.mean - other.mean, math.sqrt(total), freedom)


def levels_of(pair: Similarity) -> tuple[Level, Level, Level]:
    """Return what the trainings behind a similarity gave, on the easier test, the harder one and the mixture."""
    return Level.from_estimate(pair.v_a), Level.from_estimate(pair.v_b), Level.from_estimate(pair.v_ab)


def similarity_difference(first: Similarity, other: Similarity) -> Gap | None:
    """Return S of one minus S of another by first-order errors, as if independent; None where one is undetermined."""
    if first.value is None or other.value is None:
        return None
    errors = []
    for pair, s in ((first, first.value), (other, other.value)):
        a, b, m = levels_of(pair)
        squares = ((1 - s) * a.error) ** 2 + ((1 + s) * b.error) ** 2 + 4 * m.error**2
        errors.append(math.sqrt(squares) / (a.mean - b.mean))
    return Gap.of(first.value - other.value, math.hypot(*errors), 3.0 * (min(first.n, other.n) - 1))


Verdict = Literal["reproduced", "not reproduced", "undecided", "not run here"]


@dataclass(frozen=True, slots=True)
class PublishedClaim:
    """One number or statement of a paper, and whether it came out here; None is what there is not.

    ``verdict``: ``reproduced``: our interval holds the printed number and would not hold its contrary; ``undecided``:
    it holds both; ``not reproduced``: it does not hold the printed number. ``interval``: of 95 %, or the range of 95 %
    of single runs where ``note`` says so, with ``freedom`` where it is a t interval. ``power``: probability that this
    run would have told a difference of the published size from none.
    """

    id: str
    statement: str
    source: str
    verdict: Verdict
    ours: float | None
    interval: Interval | None
    paper: float | None
    scale: str
    power: float | None
    note: str = ""
    freedom: float | None = None


def claim(
    key: str, statement: str, place: str, verdict: Verdict, ours: float | None, interval: Interval | None = None,
    paper: float | None = None, power: float | None = None, note: str = "", freedom: float | None = None,
    scale: str = "",
) -> PublishedClaim:  # fmt: skip
    """Return the record of a number or statement of the 2020 paper; without a scale, that of the run is added later."""
    source = f"Pereyda and Holder (2020), {place}"
    return PublishedClaim(f"2020-{key}", statement, source, verdict, ours, interval, paper, scale, power, note, freedom)


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
    def from_estimate(cls, mean: Estimate) -> Level:
        """Return the level behind a mean with its t interval."""
        if mean.interval is None or mean.n < 2:
            return cls(mean.value, 0.0, 0)  # refused
        half = (mean.interval[1] - mean.interval[0]) / 2
        return cls(mean.value, half * mean.n**0.5 / float(stdtrit(mean.n - 1, (1 + mean.confidence) / 2)), mean.n)

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return self.spread / math.sqrt(self.count)


def of_difference(difference: float, error: float, freedom: float) -> float:
    """Return the probability that the 95 % interval of a number with this true value and error does not hold 0."""
    if error == 0:
        return float(difference != 0)
    critical = float(stdtrit(freedom, 0.975))
    shift = abs(difference) / error
    ratio = np.sqrt(2 * gammaincinv(freedom / 2, (1 + _NODES) / 2) / freedom)  # estimated over true error
    seen = ndtr(shift - critical * ratio) + ndtr(-shift - critical * ratio)
    return float(np.clip(_WEIGHTS @ seen / 2, 0.0, 1.0))


def of_similarity(levels: Sequence[Level], similarity: float) -> float:
    """Return the probability that Fieller's set would leave out 0 (the straight line), were S what is given.

    Noise and numbers of trainings are those measured (``levels`` of the easier test, the harder one and the mixture),
    and so are V_A and V_B. Fieller's set holds 0 exactly where the interval of V_A + V_B - 2 V_AB does; its degrees of
    freedom are Welch and Satterthwaite's.
    """
    a, b, m = levels
    parts = np.array([a.error, b.error, 2 * m.error]) ** 2
    total = float(parts.sum())
    counts = np.array([level.count - 1.0 for level in levels])
    freedom = total**2 / float((parts**2 / counts).sum()) if total > 0 else float(counts.min())
    return of_difference(similarity * abs(a.mean - b.mean), math.sqrt(total), freedom)


def of_sufficiency(levels: Sequence[Level], v_ab: float, *, tries: int = TRIES) -> tuple[float, float]:
    """Return how probable "sufficient" and "not sufficient" would be, were V_AB what is given.

    Trainings are simulated as normal ones with the measured V_A, V_B, spreads and numbers; 400 tries have a standard
    error of at most .025.
    """
    rng = np.random.default_rng(0)
    means = (levels[0].mean, levels[1].mean, v_ab)
    probabilities = np.empty(tries)
    for place in range(tries):
        drawn = [rng.normal(mean, level.spread, level.count) for mean, level in zip(means, levels, strict=True)]
        probabilities[place] = Noise(drawn, False).between(*(float(values.mean()) for values in drawn))
    return float(np.mean(probabilities >= CLAIMED)), float(np.mean(probabilities <= 1 - CLAIMED))
