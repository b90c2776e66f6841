"""Records of dissimilarities: one pair, the noise floor of a suite, the consistency of its matrix."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from aiq.records.arrays import Floats, freeze, jsonable, plain
from aiq.records.dissimilarity_parts import AreaError, Parts
from aiq.records.estimate import Estimate

_ROUNDING = 1e-12
KINDS = ("plain", "signed", "corrected", "unbiased")


@dataclass(frozen=True, slots=True, eq=False)
class Dissimilarity:
    """The dissimilarity of a pair of domains (Eqs. 7-9 of the 2025 paper), in units of performance.

    ``proportions`` (P,) rise from 0 to 1; ``observed`` (P,) is V_O averaged over the repetitions and
    ``line`` (P,) the straight line between its ends. ``plain`` is the paper's area between them;
    ``signed`` the area of line minus observed, positive where mixing costs performance; ``corrected``
    is plain without the bias that noise gives an absolute value, None where one repetition says nothing
    about noise. ``chosen`` names the one that enters the space, ``replicates`` (resamples,) are parametric
    draws of it. ``n_failed`` repetitions held a NaN and were left out. ``error`` is that of ``signed`` (None
    with one repetition, and in files of earlier versions), ``point_errors`` (P,) that of ``observed`` at each
    proportion (empty where unknown), ``parts`` what the signed area is made of, where that was measured. ``paired``:
    the error is that of whole repetitions, whose points may go together; else points are taken as independent.

    The interval of ``plain`` means: where the curve does not cross the line, that of the absolute signed area,
    which is the same number there; where it does, a cautious one that noise of any shape is allowed for.
    """

    proportions: Floats
    observed: Floats
    line: Floats
    plain: Estimate
    signed: Estimate
    corrected: Estimate | None
    chosen: str
    replicates: Floats
    n: int
    n_failed: int
    error: AreaError | None = None
    parts: Parts | None = None
    point_errors: Floats = field(default_factory=lambda: np.zeros(0))
    paired: bool = False

    def __post_init__(self) -> None:
        freeze(self)
        if not self.proportions.shape == self.observed.shape == self.line.shape:
            raise ValueError("a dissimilarity needs one observed performance and one of the line a proportion")
        if self.chosen not in KINDS or (self.chosen == "corrected" and self.corrected is None):
            raise ValueError(f"{self.chosen!r} is not among the values of this dissimilarity")
        if self.n < 1 or self.n_failed < 0:
            raise ValueError(f"a dissimilarity cannot rest on {self.n} repetitions with {self.n_failed} failed")
        if not 0 <= self.plain.value <= 1 or not -1 <= self.signed.value <= 1:
            raise ValueError("an area between performances in [0, 1] cannot exceed 1")

    @property
    def estimate(self) -> Estimate:
        """The chosen value with its interval."""
        if self.chosen == "corrected" and self.corrected is not None:
            return self.corrected
        return {"signed": self.signed, "unbiased": self.unbiased}.get(self.chosen, self.plain)

    @property
    def unbiased(self) -> Estimate:
        """The root of the unbiased square, 0 where that is negative, with the interval of the absolute signed area."""
        around = self.signed.interval
        return replace(
            self.signed,
            value=math.sqrt(max(0.0, self.square)),
            interval=None if around is None else absolute_interval(around),
            method=f"root of signed² − se²; interval of the absolute signed area ({self.signed.method})",
        )

    @property
    def square(self) -> float:
        """The unbiased square of the signed area, signed² − se²; negative where noise is larger than the area."""
        return float(self.signed.value**2 - (self.error.se**2 if self.error is not None else 0.0))

    @property
    def crosses(self) -> bool:
        """Whether the mean curve lies on both sides of the line, so that plain and |signed| are different areas."""
        departure = self.observed - self.line
        return bool(departure.min() < -_ROUNDING and departure.max() > _ROUNDING)

    @property
    def value(self) -> float:
        """The chosen value."""
        return self.estimate.value

    @property
    def distance(self) -> float:
        """The chosen value as it enters the space: never below 0 (only a signed area can be)."""
        return max(0.0, self.value)

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping; ``interval`` is that of ``signed``, ``interval_plain`` of the plain area."""
        curves = zip(self.proportions, self.observed, self.line, strict=True)
        return {
            "dissimilarity": self.plain.value,
            "signed": self.signed.value,
            "se": None if self.error is None else self.error.se,
            "interval": jsonable(self.signed.interval),
            "interval_plain": jsonable(self.plain.interval),
            **({} if self.parts is None else self.parts.as_dict()),
            **plain(self, "crosses", "paired", "n", "n_failed", "chosen", "value"),
            "method": self.signed.method,
            "plain": jsonable(self.plain),
            "corrected": jsonable(self.corrected),
            "curve": [{"p": float(p), "observed": float(seen), "line": float(line)} for p, seen, line in curves],
        }


def absolute_interval(interval: tuple[float, float]) -> tuple[float, float]:
    """Return the interval of an absolute value: from 0 where the signed one holds 0."""
    low, high = interval
    if low <= 0 <= high:
        return 0.0, max(-low, high)
    return min(abs(low), abs(high)), max(abs(low), abs(high))


@dataclass(frozen=True, slots=True, eq=False)
class NoiseFloor:
    """The values of DS(a, a) of a suite: what the measure shows where nothing differs.

    ``values`` (pairs,) and ``replicates`` (resamples, pairs) as measured; ``mean`` with its interval over
    the self-pairs; ``largest`` of the values, the threshold below which a difference says nothing. ``signed``
    (pairs,) are the signed areas, which are 0 on average where samples of one domain neither help nor harm each
    other, with standard errors ``se`` (NaN where unknown; both empty in files of earlier versions).
    """

    values: Floats
    replicates: Floats
    mean: Estimate
    chosen: str
    signed: Floats = field(default_factory=lambda: np.zeros(0))
    se: Floats = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        freeze(self)
        if self.values.ndim != 1 or self.values.size < 1 or self.replicates.shape[1:] != self.values.shape:
            raise ValueError("a noise floor needs at least one self-pair and one column of replicates each")

    @property
    def largest(self) -> float:
        """The largest dissimilarity of a domain with itself."""
        return float(self.values.max())

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        return self.mean.as_dict() | plain(self, "largest", "values", "chosen", "signed", "se")


@dataclass(frozen=True, slots=True)
class SymmetryReport:
    """How far the two orders of the pairs differ, where both were measured apart.

    ``mean`` and ``largest`` absolute difference, ``above_floor`` the number of pairs that differ by more
    than the noise floor (None without one), ``correlation`` between the two orders (None with fewer than
    three pairs or without variation).
    """

    pairs: int
    mean: float
    largest: float
    above_floor: int | None
    correlation: float | None


@dataclass(frozen=True, slots=True)
class TriangleReport:
    """How many triples of domains have one side longer than the other two together, and by how much.

    ``triples`` counts those with all three sides measured, ``incomplete`` the others; ``mean_excess`` and
    ``largest_excess`` are over the violations (0 without any); ``above_floor`` counts the violations by
    more than the noise floor (None without one); ``worst`` are the indices (i, j, k) of the largest
    violation, its long side between i and k.
    """

    triples: int
    incomplete: int
    violations: int
    mean_excess: float
    largest_excess: float
    above_floor: int | None
    worst: tuple[int, int, int] | None


@dataclass(frozen=True, slots=True)
class MatrixReport:
    """Consistency of a suite's dissimilarities; ``symmetry`` is None where no pair was measured in both orders."""

    symmetry: SymmetryReport | None
    triangle: TriangleReport
    noise_floor: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Completion:
    """A matrix of dissimilarities completed from landmarks.

    ``matrix`` (n, n) holds the measured values where a landmark takes part and the embedding's elsewhere;
    ``low`` and ``high`` (n, n) bound the completed ones as far as the landmarks can tell; ``measured``
    (n, n) is 1 where measured; ``coordinates`` (n, dimensions) are those of the landmark embedding and
    ``residual`` (n,) each domain's distance from the space of the landmarks; ``negative_share`` is the
    share of the landmarks' spectrum that no Euclidean space can hold.
    """

    matrix: Floats
    low: Floats
    high: Floats
    measured: Floats
    landmarks: tuple[int, ...]
    coordinates: Floats
    residual: Floats
    negative_share: float

    def __post_init__(self) -> None:
        freeze(self)
        if not self.matrix.shape == self.low.shape == self.high.shape == self.measured.shape:
            raise ValueError("a completed matrix, its bounds and its mask must have one shape")
        if (self.matrix < 0).any() or not np.array_equal(self.matrix, self.matrix.T):
            raise ValueError("a completed matrix must be symmetric and without negative distances")


@dataclass(frozen=True, slots=True)
class CompletionError:
    """Completed against measured dissimilarities, over the ``pairs`` without a landmark.

    Root mean square and largest absolute error in units of performance, ``relative`` the root mean
    square error over the root mean square of the measured values, and the correlation between the two
    (None with fewer than three pairs or without variation).
    """

    pairs: int
    root_mean_square: float
    largest: float
    relative: float
    correlation: float | None
