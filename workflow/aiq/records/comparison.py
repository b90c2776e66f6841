"""Records of our numbers beside others: agents scored by every measure, and baselines that people know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from aiq.records.estimate import Estimate, Floats, freeze, jsonable, plain
from aiq.records.table import Cell, Table, bounds

# ---- Agents scored by every measure that can take them -------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Apti:
    """APTI of one agent (3.4.2): P / (P + P_baseline) on each domain, and its mean over the domains.

    ``replicates`` (resamples, domains) are the bootstrap values over repetitions.
    """

    domains: tuple[Estimate, ...]
    mean: Estimate
    replicates: Floats

    def __post_init__(self) -> None:
        freeze(self)
        for estimate in (*self.domains, self.mean):
            if not 0 <= estimate.value <= 1:
                raise ValueError(f"APTI {estimate.value} is outside [0, 1]")


@dataclass(frozen=True, slots=True)
class AgentScore:
    """One cell of the table: the score of an agent by a measure.

    ``estimate`` is None where the measure cannot take the agent, ``why`` then says so in words that go on after
    "cannot:". ``seconds``: processor time. ``performances``: of each repetition on each test, where the score is made
    of such.
    """

    agent: str
    measure: str
    estimate: Estimate | None
    why: str = ""
    seconds: float = 0.0
    performances: tuple[tuple[str, tuple[float, ...]], ...] = ()

    def __post_init__(self) -> None:
        if (self.estimate is None) != bool(self.why):
            raise ValueError(f"the cell of {self.agent} and {self.measure} needs a score or a reason, not both")

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        numbers = {"score": jsonable(self.estimate), "performances": jsonable(dict(self.performances))}
        return plain(self, "agent", "measure", "seconds") | numbers | {"cannot": self.why or None}


@dataclass(frozen=True, slots=True)
class AgentRank:
    """Rank of an agent among those that a measure can take (1: best), and the ranks that the noise leaves open."""

    agent: str
    measure: str
    rank: int
    interval: tuple[int, int]
    of: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """How two measures order the pairs of agents that both can take.

    ``alike``: pairs that both order in the same way, told apart by both; ``opposite``: in opposite ways; ``undecided``:
    those that at least one of them cannot tell apart.
    """

    measures: tuple[str, str]
    alike: int
    opposite: int
    undecided: int


@dataclass(frozen=True, slots=True)
class AgentTable:
    """Agents by measures; ``root`` is the root seed."""

    agents: tuple[str, ...]
    measures: tuple[str, ...]
    cells: tuple[AgentScore, ...]
    ranks: tuple[AgentRank, ...]
    agreements: tuple[Agreement, ...]
    root: int

    def __post_init__(self) -> None:
        if {(cell.agent, cell.measure) for cell in self.cells} != {(a, m) for a in self.agents for m in self.measures}:
            raise ValueError("the table of agents lacks cells")

    def cell(self, agent: str, measure: str) -> AgentScore:
        """Return one cell."""
        return next(cell for cell in self.cells if (cell.agent, cell.measure) == (agent, measure))

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        tables = plain(self, "agents", "measures", "ranks", "agreements")
        return tables | {"scores": jsonable(self.cells), "seed": self.root}


# ---- Baselines that people know: what they say of domains and pairs, and how they rank them beside ours


COLUMNS = ("of", "ours", "baseline", *bounds("spearman", "kendall"), "domains", "ranked", "meaning", "note")
"""Columns of a comparison."""


@dataclass(frozen=True, eq=False)
class KnownBaselines:
    """What baselines say of the domains of a suite, and of its pairs.

    ``of_domains``: baseline -> (n,) values, NaN where it is not known; ``low`` and ``high``: ends of its intervals, for
    baselines that have any. ``a``, ``b``: (m,) names of the domains of each pair, different ones, and each domain with
    itself: its training against its test samples; ``of_pairs``: baseline -> (m,) values. ``samples``: most samples of a
    split that were used, 0 for control domains; ``episodes``: of random actions per domain, 0 for labelled domains.
    ``pairs`` of different domains that the suite measures, of which at most some were compared. ``reasons``: sentences
    on what is missing, and why. ``confidence``: of the intervals.
    """

    domains: tuple[str, ...]
    of_domains: Mapping[str, Floats]
    low: Mapping[str, Floats]
    high: Mapping[str, Floats]
    a: tuple[str, ...]
    b: tuple[str, ...]
    of_pairs: Mapping[str, Floats]
    samples: int
    episodes: int
    pairs: int
    reasons: tuple[str, ...] = ()
    confidence: float = 0.95

    def domain_table(self) -> Table:
        """Return one row per domain: every baseline, with the ends of its interval where it has one."""
        columns: dict[str, Floats] = {}
        for name, values in self.of_domains.items():
            columns[name] = values
            columns |= {f"{name}_{end}": of[name] for end, of in (("low", self.low), ("high", self.high)) if name in of}
        rows = [(name, *(_cell(of[i]) for of in columns.values()), self.note) for i, name in enumerate(self.domains)]
        return Table.of(("domain", *columns, "note"), rows)

    def pair_table(self) -> Table:
        """Return one row per pair of domains: every baseline; a pair with itself is the floor of the distances."""
        rows = [
            (a, b, *(_cell(values[i]) for values in self.of_pairs.values()), self.note)
            for i, (a, b) in enumerate(zip(self.a, self.b, strict=True))
        ]
        return Table.of(("a", "b", *self.of_pairs, "note"), rows)

    @property
    def note(self) -> str:
        """What the numbers rest on and what is missing, for the tables."""
        if self.episodes:
            said = [f"{self.episodes} episodes of random actions per domain"]
        else:
            said = [f"from at most {self.samples} samples of each split"]
        compared = sum(a != b for a, b in zip(self.a, self.b, strict=True))
        if compared < self.pairs:
            said.append(f"{compared} of {self.pairs} pairs were compared, drawn at random")
        return "; ".join([*said, *self.reasons])


@dataclass(frozen=True, slots=True)
class RankCorrelation:
    """How alike two numbers rank the same domains or pairs.

    ``spearman`` and ``kendall``: ρ and τ_b in [−1, 1]; NaN where one of the numbers is the same everywhere, or of fewer
    than three. ``domains``: how many they rest on: what the intervals count, whatever the number of pairs;
    ``compared``: how many domains, or pairs, were ranked. ``note``: why there is no number or no interval; empty where
    there are both.
    """

    spearman: float
    spearman_interval: tuple[float, float] | None
    kendall: float
    kendall_interval: tuple[float, float] | None
    domains: int
    compared: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Ranked:
    """How one of our numbers (``ours``) ranks domains or pairs (``of``) beside a baseline."""

    of: str
    ours: str
    baseline: str
    meaning: str
    correlation: RankCorrelation

    def cells(self) -> tuple[Cell, ...]:
        """Return a row of the table."""
        ranks = self.correlation
        return (
            self.of, self.ours, self.baseline, _cell(ranks.spearman), *(ranks.spearman_interval or (None, None)),
            _cell(ranks.kendall), *(ranks.kendall_interval or (None, None)), ranks.domains, ranks.compared,
            self.meaning, ranks.note,
        )  # fmt: skip


@dataclass(frozen=True)
class BaselineComparison:
    """Our numbers beside all baselines of a suite, with what limits the comparison."""

    rows: tuple[Ranked, ...]
    confidence: float
    notes: tuple[str, ...] = ()

    def table(self) -> Table:
        """Return one row per number of ours and baseline; the note says what limits them."""
        noted = [(own, [str(note)] if note else []) for *own, note in (row.cells() for row in self.rows)]
        return Table.of(COLUMNS, [(*own, "; ".join([*said, *self.notes])) for own, said in noted])

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        rows = [dict(zip(COLUMNS, row.cells(), strict=True)) for row in self.rows]
        return {"confidence": self.confidence, "correlations": rows, "notes": list(self.notes)}


def _cell(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
