"""Records of a pair of tests: its dissimilarity with what that is made of, and its similarity of 2020."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from aiq.records.estimate import Estimate, Floats, StandardError, freeze, jsonable, plain

# ---- Dissimilarity -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AreaError:
    """The standard error of a signed area and where it comes from, in units of performance.

    ``se`` with ``df`` degrees of freedom (infinite where the standard errors were given); ``se_inner`` (``df_inner``)
    is the part of the pair's own inner points, ``end_a`` and ``end_b`` are those of the two ends, weight times
    standard error of a domain alone. ``shared`` says that the ends belong to the domains: their errors are then
    the same in every pair of a domain. A shared end of a pair of a domain with itself is all in ``end_a``.
    """

    se: float
    df: float
    se_inner: float
    df_inner: float
    end_a: float
    end_b: float
    df_a: float
    df_b: float
    shared: bool


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a signed area with its error.

    ``error`` has the standard error and its degrees of freedom; ``own`` is what the pair's own trainings put into
    it (the rest comes from trainings of single domains). Both are None where repetitions are missing.
    """

    estimate: Estimate
    error: StandardError | None
    own: StandardError | None

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        return plain(self.estimate, "value", "interval") | {"se": None if self.error is None else self.error.se}


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """What a signed area is made of; all parts are positive where they make mixtures do worse than the line.

    ``starvation`` is the line minus the control (each domain alone at the numbers of samples that it has in the
    mixtures: learning curves, nothing else), ``confusion`` told minus observed (samples taken for samples of the
    other domain; told: scored over a domain's own outputs only), ``transfer`` control minus told (negative where
    domains help each other). Their sum is the signed area. ``interference`` is confusion + transfer. What was not
    measured is None. ``control`` and ``told`` (P,) are the mean curves.
    """

    control: Floats | None = None
    told: Floats | None = None
    starvation: Part | None = None
    confusion: Part | None = None
    transfer: Part | None = None
    interference: Part | None = None

    def __post_init__(self) -> None:
        freeze(self)

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping of the parts that are known."""
        return plain(self, "starvation", "confusion", "transfer", "interference")


@dataclass(frozen=True, slots=True, eq=False)
class Alone:
    """Performances of one domain trained alone with shares of the samples: the control of its mixtures.

    ``shares`` (S,) in (0, 1], distinct; ``performance`` (R, S), NaN where a training failed.
    """

    shares: Floats
    performance: Floats

    def __post_init__(self) -> None:
        freeze(self)
        if self.shares.ndim != 1 or self.performance.ndim != 2 or self.performance.shape[1] != self.shares.size:
            raise ValueError(f"performances {self.performance.shape} do not fit shares {self.shares.shape}")


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


# ---- Similarity of 2020 --------------------------------------------------------------------------


PRINTED_SELF = 1.0  # what Tables 2 and 3 of the 2020 paper print for a test with itself, where Eq. 3 is 0/0

SURE = 0.95

Segment = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Similarity:
    """S(A, B, p) of Pereyda and Holder (2020), Eq. 3, A being the easier test: a number in [-1, 1] without unit.

    ``v_a``, ``v_b`` and ``v_ab`` are the performances on the easier test, the harder one and their mixture with the
    share ``at`` of A. ``value`` is None for a self-pair (0/0) and where ``v_a`` and ``v_b`` cannot be told apart.
    ``segments`` is the confidence set of the value: one or two closed segments in [-1, 1], both ends at most, empty
    where there is no repetition; it exists where the value is undetermined too. ``separation`` is V_A - V_B in
    standard errors. ``sufficient`` is the probability that V_A ≥ V_AB ≥ V_B; None without repetitions. ``swapped``:
    the easier test is the one that was given as the second.
    """

    value: float | None
    segments: tuple[Segment, ...]
    at: float
    v_a: Estimate
    v_b: Estimate
    v_ab: Estimate
    sufficient: float | None
    separation: float | None
    swapped: bool
    self_pair: bool
    n: int
    n_failed: int
    method: str
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if not 0 < self.at < 1:
            raise ValueError(f"a similarity at the proportion {self.at} has no meaning")
        if self.value is not None and not -1 <= self.value <= 1:
            raise ValueError(f"a similarity of {self.value} is outside [-1, 1]")
        ends = [end for segment in self.segments for end in segment]
        if ends != sorted(ends) or any(not -1 <= end <= 1 for end in ends):
            raise ValueError(f"the set {self.segments} is not made of rising segments in [-1, 1]")
        if self.sufficient is not None and not 0 <= self.sufficient <= 1:
            raise ValueError(f"a probability of {self.sufficient} is outside [0, 1]")

    @property
    def interval(self) -> Segment | None:
        """The smallest interval that holds the confidence set; None without repetitions."""
        return (self.segments[0][0], self.segments[-1][1]) if self.segments else None

    @property
    def absolute(self) -> float | None:
        """|S|, which the authors' program writes."""
        return None if self.value is None else abs(self.value)

    @property
    def absolute_interval(self) -> Segment | None:
        """The smallest interval that holds |S| for every S of the set."""
        if not self.segments:
            return None
        holds_zero = any(low <= 0 <= high for low, high in self.segments)
        sizes = [abs(end) for segment in self.segments for end in segment]
        return (0.0 if holds_zero else min(sizes), max(sizes))

    @property
    def on_the_line(self) -> float:
        """S of a mixture whose performance is the weighted mean of both: 1 - 2p, 0 at p = 1/2."""
        return 1 - 2 * self.at

    @property
    def estimate(self) -> Estimate:
        """Value and interval as every public number has them; the value is NaN where it is undetermined."""
        value = math.nan if self.value is None else self.value
        return Estimate(value, self.interval, self.n, self.method, None, self.confidence)

    @property
    def verdict(self) -> str:
        """Whether the agent is sufficient: ``yes``, ``no`` or ``undecided``, by a probability of .95."""
        if self.sufficient is None:
            return "undecided"
        return "yes" if self.sufficient >= SURE else "no" if self.sufficient <= 1 - SURE else "undecided"

    @property
    def note(self) -> str:
        """What limits the value, in words; empty where nothing does."""
        if self.self_pair:
            return f"self pair: 0/0, undefined (the paper prints {PRINTED_SELF:g})"
        if self.value is None:
            return "undetermined: V_A and V_B cannot be told apart"
        if not self.segments:
            return "no interval: fewer than 2 repetitions"
        return "not sufficient: V_AB lies outside" if self.verdict == "no" else ""

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        separated = ("separation", "self_pair", "note", "n", "n_failed", "method", "confidence")
        return {
            "similarity": self.value,
            **plain(self, "absolute", "interval", "absolute_interval", "sufficient", "verdict", "at", "on_the_line"),
            "set": jsonable(self.segments),
            **{name: getattr(self, name).value for name in ("v_a", "v_b", "v_ab")},
            "intervals": {name: jsonable(getattr(self, name).interval) for name in ("v_a", "v_b", "v_ab")},
            "easier": "second" if self.swapped else "first",
            "printed": PRINTED_SELF if self.self_pair else None,
            **plain(self, *separated),
        }
