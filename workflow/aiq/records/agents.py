"""Records of the table of agents: every agent scored by every measure that can take it."""

from __future__ import annotations

from dataclasses import dataclass

from aiq.records.arrays import Floats, freeze, jsonable, plain
from aiq.records.estimate import Estimate

# ---- Record of an agent's performance relative to a baseline's -----------------------------------


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


# ---- Records of the table of agents --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AgentScore:
    """One cell of the table.

    Attributes:
        agent: name of the agent.
        measure: name of the measure.
        estimate: the score; None where the measure cannot take the agent.
        why: why it cannot, in words that go on after "cannot:"; empty where it can.
        seconds: processor time that the cell took.
        performances: performance of each repetition on each test, where the score is made of such.
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
        return {
            **plain(self, "agent", "measure", "seconds"),
            "score": jsonable(self.estimate),
            "cannot": self.why or None,
            "performances": {name: list(values) for name, values in self.performances},
        }


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

    Attributes:
        measures: the two.
        alike: pairs that both order in the same way, told apart by both.
        opposite: pairs that they order in opposite ways, told apart by both.
        undecided: pairs that at least one of them cannot tell apart.
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
