"""Record of the 2020 similarity of two tests at one proportion of their mixture."""

from __future__ import annotations

import math
from dataclasses import dataclass

from aiq.records.arrays import jsonable, plain
from aiq.records.estimate import Estimate

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
