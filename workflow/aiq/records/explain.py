"""Records of what moves a run's numbers: its choices, one changed at a time, and more trainings until a goal is met."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from aiq.records.arrays import plain
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
KINDS = ("reduced", "trained", "refused", "untrained")
"""What became of a choice: reduced again from the same trainings; read from a run that was trained for it; refused,
with the reason; or not trained yet, with what it would cost."""

LEARNERS = "pool.learners"
"""The choice of who is in the pool: its values count the sizes behind a complexity in numbers of another kind."""


@dataclass(frozen=True, slots=True)
class Change:
    """The largest change of one quantity, and how far its order is kept.

    Attributes:
        largest: largest absolute change; of complexities and dissimilarities after division by the largest of the run.
        name: the domain, pair or agent that changes most.
        rank: Spearman's rank correlation with the run; None for fewer than three values or equal ones.
        outside: how many values lie outside the run's interval, and of how many; None where there are no intervals.
    """

    largest: float
    name: str
    rank: float | None
    outside: tuple[int, int] | None

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        outside, of = (None, None) if self.outside is None else self.outside
        return plain(self, "largest", "name", "rank") | {"outside": outside, "of": of}


@dataclass(frozen=True, slots=True)
class Tried:
    """One choice at another value.

    Attributes:
        choice: its key by dots, as in the configuration.
        value: what it was set to.
        usual: what it is in the run.
        kind: one of ``KINDS``.
        complexity: change of the complexities; None where nothing was computed.
        dissimilarity: change of the dissimilarities between domains.
        dimensions: of the space.
        agents: change of the headline; None where nobody is scored.
        order: the agents, best first.
        same_order: whether this is the order of the run.
        values: headline by agent.
        core_hours: of the trainings that the choice needs, by the cost model; 0 where it needs none.
        reason: why it was refused.
        volume: change of AIQ per dimension.
    """

    choice: str
    value: str
    usual: str
    kind: str
    complexity: Change | None = None
    dissimilarity: Change | None = None
    dimensions: int | None = None
    agents: Change | None = None
    order: tuple[str, ...] = ()
    same_order: bool | None = None
    values: Mapping[str, float] | None = None
    core_hours: float = 0.0
    reason: str = ""
    volume: Change | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"unknown kind {self.kind!r}")

    @property
    def computed(self) -> bool:
        """Whether there are numbers."""
        return self.complexity is not None


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How a run's numbers move with its choices.

    Attributes:
        run: its name.
        dimensions: of its space.
        order: its agents, best first.
        values: headline by agent.
        intervals: intervals of these; None where there is none.
        confidence: of the intervals.
        tried: one record per choice and value, in the order of the pipeline.
    """

    run: str
    dimensions: int
    order: tuple[str, ...]
    values: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float] | None]
    confidence: float
    tried: tuple[Tried, ...]

    @property
    def computed(self) -> tuple[Tried, ...]:
        """The choices with numbers."""
        return tuple(tried for tried in self.tried if tried.computed)

    @property
    def incomparable(self) -> str:
        """What cannot be compared among the numbers, in one sentence; empty where all can."""
        if not any(tried.choice == LEARNERS for tried in self.computed):
            return ""
        return (
            f"{LEARNERS}: learners that are no networks are sized by other numbers than parameters; compare the order "
            "of the complexities and the agents' scores, not complexities in bits"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        numbers = plain(self, "run", "dimensions", "order", "values", "intervals", "confidence")
        return numbers | {"choices": [plain(tried) for tried in self.tried]}

    def table(self) -> Table:
        """Return one row per choice and value."""
        columns = ["choice", "value", "usual", "kind"]
        for quantity in ("complexity", "dissimilarity", "agents", "volume"):
            columns += [f"{quantity}_change", f"{quantity}_of", f"{quantity}_rank", f"{quantity}_outside"]
        columns += ["dimensions", "order", "same_order", "core_hours", "reason"]
        rows = []
        for tried in self.tried:
            cells: list[Any] = [tried.choice, tried.value, tried.usual, tried.kind]
            for change in (tried.complexity, tried.dissimilarity, tried.agents, tried.volume):
                outside = None if change is None or change.outside is None else change.outside[0]
                cells += [None] * 4 if change is None else [change.largest, change.name, change.rank, outside]
            order = " > ".join(tried.order) or None
            rows.append([*cells, tried.dimensions, order, tried.same_order, tried.core_hours, tried.reason or None])
        return Table.of(columns, rows)


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

    @property
    def seen(self) -> tuple[float | None, ...]:
        """Core-hours and half-width, each predicted and as they came, and the dimensions; None where not known yet."""
        spent = None if self.half is None else self.core_hours
        return self.expected, spent, self.predicted, self.half, self.dimensions


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
        return sum(round_.core_hours for round_ in self.rounds)

    @property
    def grown(self) -> list[str]:
        """The sources that have a number in some round, in the order of tables."""
        return [name for name in GROWN if any(name in round_.numbers for round_ in self.rounds)]

    @property
    def finished(self) -> tuple[Round, ...]:
        """The rounds that are done."""
        return tuple(round_ for round_ in self.rounds if round_.half is not None)

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping, from which ``of`` makes the record again."""
        return {**asdict(self), "rounds": [asdict(round_) for round_ in self.rounds]}

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Rounds:
        """Return the record of a mapping.

        Raises:
            KeyError, TypeError, ValueError: it is none.
        """
        record = cls(**{**raw, "rounds": tuple(Round(**round_) for round_ in raw["rounds"])})
        numbers: list[Any] = [n for round_ in record.rounds for n in round_.numbers.values()]
        if not all(isinstance(n, int) and n >= 1 for n in numbers):
            raise ValueError("a number of repetitions is no whole number above 0")
        return record

    def table(self) -> Table:
        """Return one row per round: numbers, core-hours and half-widths, predicted and seen."""
        names = self.grown
        seen = ("core_hours_predicted", "core_hours", "half_width_predicted", "half_width", "dimensions")
        columns = ("round", *(GROWN[name] for name in names), *seen, *(f"share_{name}" for name in names))
        rows = []
        for place, round_ in enumerate(self.rounds):
            numbers, shares = (map(of.get, names) for of in (round_.numbers, round_.parts))
            rows.append((place, *numbers, *round_.seen, *shares))
        return Table.of(columns, rows)
