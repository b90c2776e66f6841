"""Records of where the uncertainty of scores comes from, and of more trainings until a goal is met."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite, nan
from typing import Any, cast

from aiq.records.estimate import Estimate, cells, plain
from aiq.records.quotient import THE_HEADLINE
from aiq.records.table import Cell, Table, bounds

SOURCES = ("pool", "ends", "mixtures", "agents", "dimensions")
"""The trials of the pool; the domains trained alone, at the ends of the mixture curves; the mixtures; the trainings of
the agents; and the number of dimensions, which is itself an estimate."""

ALL = "all agents"

MEANING = (
    "a share is what goes of the variance of {value} when a source is known exactly, the mean over all orders in "
    "which the sources can become known; the shares of an agent add up to 1"
)
"""What the shares are, wherever they are shown."""

CANNOT = {
    "skills": "how well few repetitions tell the noise is in no share; controls (a domain alone on fewer samples) "
    "enter no score and have none",
    "volume": "one below 0: scores vary more once it is known; intervals tell how well the replicates settle a share, "
    "not how well few repetitions tell the noise; how many dimensions more repetitions would show is in no share; "
    "controls (a domain alone on fewer samples) enter no score and have none",
}
"""What the shares cannot tell, wherever they are shown, by whose they are."""

NO_ENDS = "the ends of the mixture curves have no share of their own: what they add is counted with the mixtures"
"""Where the errors of ends and mixtures are not known apart."""

NONE = "no share is known: nothing was repeated, or the suite gives none in most replicates"

COLUMNS = {"skills": "value", "volume": "per_dimension"}
"""What the column of the agents' values is called, by whose shares a table holds."""


@dataclass(frozen=True, slots=True)
class AgentVariance:
    """How wide an agent's interval is, and by which sources.

    ``half`` is half the interval of ``value``; ``shares`` by source, empty where none is known; ``without``:
    what ``half`` would be were one source known exactly, empty where that was not asked for.
    """

    agent: str
    value: float
    half: float
    shares: Mapping[str, Estimate] = field(default_factory=dict)
    without: Mapping[str, float] = field(default_factory=dict)

    def gone(self, source: str) -> float:
        """Return the share of the squared half-width that goes when one source alone is known; NaN without interval."""
        return 1 - (self.without[source] / self.half) ** 2 if self.half > 0 else float("nan")

    def share(self, source: str) -> float:
        """Return the share of a source, within 0 and 1; 0 where none is known."""
        return min(1.0, max(0.0, self.shares[source].value)) if source in self.shares else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        without = {"without": dict(self.without)} if self.without else {}
        shares = {source: plain(share, "value", "interval") for source, share in self.shares.items()}
        return {"agent": self.agent, "value": self.value, "half_width": self.half, "shares": shares, **without}


@dataclass(frozen=True, slots=True)
class Advice:
    """What doubling one number would buy.

    ``key`` is set from ``now`` to ``then``; ``half`` is the predicted mean half-width over agents (it was ``before``);
    ``core_hours`` by the cost model; ``also`` says in words what has to grow with it.
    """

    source: str
    key: str
    now: int
    then: int
    before: float
    half: float
    core_hours: float
    also: str = ""

    @property
    def gain(self) -> float:
        """Return by how much the mean half-width falls per core-hour."""
        return (self.before - self.half) / self.core_hours if self.core_hours > 0 else float("inf")

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        names = ("source", "key", "now", "then", "before", "core_hours", "also")
        return plain(self, *names) | {"half_width": self.half}


@dataclass(frozen=True, slots=True)
class Variances:
    """The uncertainty of a run's scores by source, and advice, the best per core-hour first.

    ``together``: shares of the variances of all agents, added. ``replicates`` behind the shares; 0 where none was
    needed or no share is known. ``value``: whose uncertainty this is, ``skills`` or ``volume``.
    """

    run: str
    confidence: float
    sources: tuple[str, ...]
    agents: tuple[AgentVariance, ...]
    together: Mapping[str, Estimate]
    replicates: int
    advice: tuple[Advice, ...] = ()
    value: str = "skills"

    @classmethod
    def of(cls, run: str, confidence: float, shares: Table, advised: Table) -> Variances:
        """Return the split that two tables hold: those of ``table`` and ``advised``."""
        rows: list[Any] = shares.dicts
        value = next(name for name, column in COLUMNS.items() if column in shares.columns)
        splits = [{s: share for s in SOURCES if (share := _share(row, s)) is not None} for row in rows]
        agents = []
        for row, of_agent in zip(rows[:-1], splits[:-1], strict=True):
            number = nan if row[COLUMNS[value]] is None else float(row[COLUMNS[value]])
            agents.append(AgentVariance(str(row["agent"]), number, float(row["half_width"] or 0), of_agent))
        advice = []
        for row in cast(list[Any], advised.dicts):
            before, half, core_hours = (float(row[name] or 0) for name in ("half_width", "predicted", "core_hours"))
            now, then, also = int(row["now"] or 0), int(row["then"] or 0), str(row.get("also") or "")
            advice.append(Advice(row["source"], row["key"], now, then, before, half, core_hours, also))
        together = splits[-1]
        replicates = int(rows[-1]["replicates"] or 0)
        sources = tuple(together) or SOURCES
        return cls(run, confidence, sources, tuple(agents), together, replicates, tuple(advice), value)

    def gone(self, source: str) -> float:
        """Return the share of all agents' squared half-widths that goes when one source alone is known."""
        whole = sum(agent.half**2 for agent in self.agents)
        left = sum(agent.without[source] ** 2 for agent in self.agents)
        return 1 - left / whole if whole > 0 else float("nan")

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the shares are and what they cannot tell."""
        name = THE_HEADLINE[self.value]
        if not self.together:
            return (NONE.format(value=name),)
        said = (MEANING.format(value=name), CANNOT[self.value])
        return said if "ends" in self.together else (*said, NO_ENDS)

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        return {
            **plain(self, "run", "confidence", "replicates", "agents", "advice"),
            "headline": self.value,
            "sources": {source: share.value for source, share in self.together.items()},
            "shares": {source: plain(share, "value", "interval") for source, share in self.together.items()},
            "notes": list(self.sentences),
        }

    def table(self) -> Table:
        """Return one row per agent, and one of all together; shares with their intervals, empty where unknown."""
        without = [f"without_{source}" for source in self.sources if any(agent.without for agent in self.agents)]
        columns = ("agent", COLUMNS[self.value], "half_width", *bounds(*SOURCES), "replicates", *without)
        rows: list[tuple[Cell, ...]] = []
        for agent in self.agents:
            value = agent.value if isfinite(agent.value) else None
            rows.append((agent.agent, value, agent.half, *self._cells(agent.shares), *agent.without.values()))
        empty = (None,) * len(without)
        rows.append((ALL, None, mean_half(self.agents), *self._cells(self.together), *empty))
        return Table.of(columns, rows)

    def advised(self) -> Table:
        """Return one row per number that can be doubled."""
        columns = ("source", "key", "now", "then", "half_width", "predicted", "core_hours", "also")
        rows = [
            (step.source, step.key, step.now, step.then, step.before, step.half, step.core_hours, step.also or None)
            for step in self.advice
        ]
        return Table.of(columns, rows)

    def _cells(self, shares: Mapping[str, Estimate]) -> list[Cell]:
        return [*cells(*map(shares.get, SOURCES)), self.replicates]


def mean_half(agents: Sequence[AgentVariance]) -> float:
    """Return the mean half-width of the agents."""
    return sum(agent.half for agent in agents) / len(agents)


def _share(row: Mapping[str, Cell], source: str) -> Estimate | None:
    """Return a share of a row of the table, None where it is not known."""
    value, low, high = (row[column] for column in bounds(source))
    if value is None:
        return None
    interval = None if low is None or high is None else (float(low), float(high))
    return Estimate(float(value), interval, int(row["replicates"] or 0), "read from a table")


# ---- More trainings, in rounds -------------------------------------------------------------------

GROWN = {
    "pool": "pool.size",
    "ends": "dissimilarity.end_repetitions",
    "mixtures": "dissimilarity.repetitions",
    "agents": "agents.repetitions",
}
"""Source of uncertainty -> the key that grows it, in the order of tables."""


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

    ``stop``: goal (reached), budget (does not pay for another round), nothing (that can grow is enough), rounds (as
    many as allowed), or empty; ``says`` is the sentence in words.
    """

    numbers: Mapping[str, int]
    half: float
    core_hours: float
    stop: str = ""
    says: str = ""


@dataclass(frozen=True, slots=True)
class Round:
    """One round; the first, number 0, is the suite as it was configured.

    ``numbers``: repetitions by source while it runs. ``begun``: when, in seconds by the clock of the results' file
    system; 0 counts all that lies there. ``expected`` core-hours and ``predicted`` half-width are None for the start.
    ``spent``: core-hours that its jobs held, by stage, empty until it is finished; ``half``: the half-width that was
    seen, and ``dimensions`` of the space, None until then. ``parts``: what share of the squared half-width each source
    was found to add, and ``rest``; empty until known.
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
