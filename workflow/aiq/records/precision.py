"""Records of precision as a goal: what a round grows, what it was for, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from aiq.records.table import Table

GROWN = {
    "pool": "pool.size",
    "ends": "dissimilarity.end_repetitions",
    "mixtures": "dissimilarity.repetitions",
    "agents": "agents.repetitions",
}
"""Source of uncertainty -> the key that grows it, in the order of tables."""

STOPS = ("goal", "budget", "nothing", "rounds")
"""Why rounds stop: the goal is reached; the budget does not pay for another round; nothing that can grow is enough;
there have been as many rounds as allowed."""


@dataclass(frozen=True, slots=True)
class Source:
    """A source of uncertainty that more repetitions make smaller.

    ``now`` repetitions add ``part`` to the squared half-width; one more costs ``price`` core-hours; numbers are
    multiples of ``step``.
    """

    name: str
    now: int
    step: int
    part: float
    price: float

    def __post_init__(self) -> None:
        if self.now < 1 or self.step < 1 or self.part < 0 or self.price <= 0:
            raise ValueError(f"{self} needs positive numbers and price, and a part of 0 or more")


@dataclass(frozen=True, slots=True)
class Growth:
    """What the next round is: numbers by source, the predicted half-width, core-hours; or why there is none.

    ``stop`` is one of ``STOPS`` or empty; ``says`` is the sentence in words.
    """

    numbers: Mapping[str, int]
    half: float
    core_hours: float
    stop: str = ""
    says: str = ""


@dataclass(frozen=True, slots=True)
class Round:
    """One round; the first, number 0, is the suite as it was configured.

    Attributes:
        numbers: repetitions by source while it runs.
        begun: when it began, in seconds by the clock of the results' file system; 0 counts all that lies there.
        expected: core-hours that were predicted; None for the start.
        predicted: the half-width that was predicted; None for the start.
        spent: core-hours that its jobs held, by stage; empty until it is finished.
        half: the half-width that was seen; None until it is finished.
        dimensions: the dimensions that the space then had.
        parts: what share of the squared half-width each source was found to add, and ``rest``; empty until known.
    """

    numbers: Mapping[str, int]
    begun: float
    expected: float | None = None
    predicted: float | None = None
    spent: Mapping[str, float] = field(default_factory=dict)
    half: float | None = None
    dimensions: int | None = None
    parts: Mapping[str, float] = field(default_factory=dict)

    @property
    def core_hours(self) -> float:
        """Core-hours of all stages."""
        return sum(self.spent.values())


@dataclass(frozen=True, slots=True)
class Rounds:
    """All rounds of a suite: which suite (a fingerprint of it as configured), the rounds, and why they stopped."""

    suite: str
    goal: float
    budget: float
    rounds: tuple[Round, ...]
    stop: str = ""
    says: str = ""

    @property
    def spent(self) -> float:
        """Core-hours of all rounds."""
        return sum(one.core_hours for one in self.rounds)

    @property
    def finished(self) -> tuple[Round, ...]:
        """The rounds that are done."""
        return tuple(one for one in self.rounds if one.half is not None)

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping, from which ``of`` makes the record again."""
        return {**asdict(self), "rounds": [asdict(one) for one in self.rounds]}

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Rounds:
        """Return the record of a mapping.

        Raises:
            KeyError, TypeError, ValueError: it is none.
        """
        found = cls(**{**raw, "rounds": tuple(Round(**one) for one in raw["rounds"])})
        numbers: list[Any] = [n for one in found.rounds for n in one.numbers.values()]
        if not all(isinstance(n, int) and n >= 1 for n in numbers):
            raise ValueError("a number of repetitions is no whole number above 0")
        return found

    def table(self) -> Table:
        """Return one row per round: numbers, core-hours and half-widths, predicted and seen."""
        names = [name for name in GROWN if any(name in one.numbers for one in self.rounds)]
        told = ("core_hours_predicted", "core_hours", "half_width_predicted", "half_width", "dimensions")
        columns = ("round", *(GROWN[name] for name in names), *told, *(f"share_{name}" for name in names))
        rows = []
        for place, one in enumerate(self.rounds):
            done = one.half is not None
            seen = (one.expected, one.core_hours if done else None, one.predicted, one.half, one.dimensions)
            shares = (one.parts.get(name) for name in names)
            rows.append((place, *(one.numbers.get(name) for name in names), *seen, *shares))
        return Table.of(columns, rows)
