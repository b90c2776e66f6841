"""Records of a suite seen as an instrument: worth of tests, what can go, what to add, what moves which number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aiq.records.estimate import Estimate
from aiq.records.table import Cell, Table

RULES = ("per_dimension", "geometric_mean", "mean", "median", "interquartile_mean", "ability")
"""Numbers by which agents can be ordered: AIQ per dimension, four means over tests, ability by item response theory."""


@dataclass(frozen=True, slots=True)
class Worth:
    """What a test is worth to its suite.

    ``worth``: share of the suite's volume that goes with the test, in [0, 1]; replicates in their own number of
    dimensions. ``needed``: share of the replicates in which it is more than 0, None without replicates. ``without``:
    rank correlation (Spearman) of the agents by AIQ without this test and with all, None where it is undefined.
    """

    test: str
    worth: Estimate
    needed: float | None
    without: Estimate | None

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        return {
            "test": self.test,
            "worth": self.worth.value,
            "worth_interval": _pair(self.worth),
            "needed": self.needed,
            "rank_correlation_without": None if self.without is None else self.without.value,
            "rank_correlation_without_interval": _pair(self.without),
        }


@dataclass(frozen=True, slots=True)
class Step:
    """The order of agents on ``kept`` tests against that on all: mean and central range over splits and replicates.

    ``chosen``: tests dropped one by one so that the order is kept best; ``random``: in random order. None where the
    rank correlation is undefined (agents that are all alike).
    """

    kept: int
    chosen: Estimate | None
    random: Estimate | None

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        found: dict[str, Any] = {"kept": self.kept}
        for name in ("chosen", "random"):
            one = getattr(self, name)
            found |= {name: None if one is None else one.value, f"{name}_range": _pair(one)}
        return found


@dataclass(frozen=True, slots=True)
class Dropping:
    """Which tests can go.

    ``order``: the tests as they would be dropped when all agents choose, the last one is kept longest. ``left_out``:
    the judged agents are not those that chose; ``judged``: how many they are. ``smallest``: the fewest tests whose mean
    rank correlation is at least ``enough``, None where even one test fewer is too few.
    """

    steps: tuple[Step, ...]
    order: tuple[str, ...]
    left_out: bool
    judged: int
    splits: int
    enough: float
    smallest: int | None

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        return {
            "steps": [one.as_dict() for one in self.steps],
            "order": list(self.order),
            "left_out": self.left_out,
            "judged": self.judged,
            "splits": self.splits,
            "enough": self.enough,
            "smallest": self.smallest,
        }


@dataclass(frozen=True, slots=True)
class Addition:
    """A kind of test that would enlarge the suite.

    ``words``: which kind. ``gain``: share by which the suite's volume would grow, given the number of dimensions.
    ``from_complexity``: the complexity (as a part of the largest of the suite) above which such a test adds anything.
    ``best``: share of the replicates in which it adds most of those listed. ``likeness``: to each test, 1 in its
    direction, 0 at a right angle.
    """

    words: str
    gain: Estimate
    from_complexity: float
    best: float | None
    likeness: Mapping[str, float]

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        return {
            "kind": self.words,
            "gain": self.gain.value,
            "gain_interval": _pair(self.gain),
            "from_complexity": self.from_complexity,
            "best": self.best,
            "likeness": dict(self.likeness),
        }


@dataclass(frozen=True, slots=True)
class Moved:
    """How a number that orders agents moves with what should not count.

    ``copy``: largest change of any agent's number when one test stands twice (``copied``: that test), ``copy_pairs``:
    largest share of the pairs of agents that change order. ``agents`` and ``agent_pairs``: the same when a weaker agent
    or a copy of an agent joins, over the agents that were there before. None where the number is not defined.
    """

    rule: str
    copy: float | None
    copied: str | None
    copy_pairs: float | None
    agents: float | None
    agent_pairs: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Beside:
    """One agent by every rule; a rule that is not defined here is left out."""

    agent: str
    numbers: Mapping[str, Estimate]

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        found: dict[str, Any] = {"agent": self.agent}
        for rule in RULES:
            one = self.numbers.get(rule)
            found |= {rule: None if one is None else one.value, f"{rule}_interval": _pair(one)}
        return found


@dataclass(frozen=True, slots=True)
class Instrument:
    """A suite seen as an instrument.

    ``dropping`` is None where there is no order to keep or nothing to drop. Gains of ``additions`` are
    given the ``dimensions``. ``widest``: the largest gain over ``tried`` random directions, None where none is
    possible.
    """

    name: str
    dimensions: int
    simplex: bool
    tests: tuple[Worth, ...]
    dropping: Dropping | None
    additions: tuple[Addition, ...]
    widest: float | None
    tried: int
    moved: tuple[Moved, ...]
    agents: tuple[Beside, ...]
    replicates: int
    confidence: float
    seed: int
    warnings: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping."""
        return {
            "name": self.name,
            "dimensions": self.dimensions,
            "simplex": self.simplex,
            "tests": [one.as_dict() for one in self.tests],
            "dropping": None if self.dropping is None else self.dropping.as_dict(),
            "additions": [one.as_dict() for one in self.additions],
            "widest_gain": self.widest,
            "directions_tried": self.tried,
            "moved": [one.as_dict() for one in self.moved],
            "agents": [one.as_dict() for one in self.agents],
            "replicates": self.replicates,
            "confidence": self.confidence,
            "seed": self.seed,
            "warnings": list(self.warnings),
        }

    def table(self) -> Table:
        """Return one row per number (part, name, quantity, value, low and high end), and one per warning."""
        rows: list[tuple[Cell, ...]] = []
        for test in self.tests:
            rows.append(("test", test.test, "worth", *test.worth.cells()))
            rows.append(("test", test.test, "needed", test.needed, None, None))
            rows.append(("test", test.test, "order_without", *_cells(test.without)))
        for step in self.dropping.steps if self.dropping else ():
            rows.append(("tests_kept", str(step.kept), "dropped_by_choice", *_cells(step.chosen)))
            rows.append(("tests_kept", str(step.kept), "dropped_at_random", *_cells(step.random)))
        rows += [("new_test", one.words, "gain", *one.gain.cells()) for one in self.additions]
        for moved in self.moved:
            names = ("copy", "copy_pairs", "agents", "agent_pairs")
            rows += [("moved", moved.rule, name, getattr(moved, name), None, None) for name in names]
        for agent in self.agents:
            rows += [("agent", agent.agent, rule, *one.cells()) for rule, one in agent.numbers.items()]
        rows += [("warning", sentence, "said", None, None, None) for sentence in self.warnings]
        return Table.of(("part", "name", "quantity", "value", "low", "high"), rows)


def _cells(estimate: Estimate | None) -> tuple[Cell, ...]:
    return (None,) * 3 if estimate is None else estimate.cells()


def _pair(estimate: Estimate | None) -> list[float] | None:
    return None if estimate is None or estimate.interval is None else list(estimate.interval)
