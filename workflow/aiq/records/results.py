"""Results of agents on tests, as they were read from what other programs wrote."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError, choice
from aiq.records.arrays import Floats
from aiq.records.table import Table

MISSING = ("keep", "refuse", "agents", "domains", "zero")
"""What may be done with missing cells."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one agent reached on one domain in one repetition.

    ``performance`` lies in [0, 1], 1 is best; ``se`` is its standard error on the same scale, None where none was
    given; ``repetition`` is empty where there is one result for the agent and domain.
    """

    agent: str
    domain: str
    performance: float
    se: float | None = None
    repetition: str = ""

    def __post_init__(self) -> None:
        """Refuse what is no performance."""
        if not 0 <= self.performance <= 1:
            raise ValueError(f"performance {self.performance} of {self.agent} on {self.domain} is outside [0, 1]")
        if self.se is not None and not (self.se >= 0 and math.isfinite(self.se)):
            raise ValueError(f"standard error {self.se} of {self.agent} on {self.domain} is not a number of at least 0")


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was found and is not among the results, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Results:
    """A table of results: agents × domains, with repetitions, standard errors and gaps.

    ``agents`` and ``domains`` are in the order in which they were found. ``skipped`` lists what was found and not
    taken; ``notes`` are sentences about what was done to the numbers; ``format`` is the name of the format.
    """

    agents: tuple[str, ...]
    domains: tuple[str, ...]
    cells: tuple[Result, ...]
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()
    format: str = "table"

    @classmethod
    def of(cls, cells: Iterable[Result], **rest: Any) -> Results:
        """Return results with the agents and domains of their cells."""
        kept = tuple(cells)
        agents = tuple(dict.fromkeys(cell.agent for cell in kept))
        return cls(agents, tuple(dict.fromkeys(cell.domain for cell in kept)), kept, **rest)

    def __post_init__(self) -> None:
        """Refuse two results for one agent, domain and repetition, and cells of unknown agents or domains."""
        seen = set()
        for cell in self.cells:
            key = (cell.agent, cell.domain, cell.repetition)
            if key in seen:
                raise ValueError(f"agent {cell.agent} has domain {cell.domain} twice")
            if cell.agent not in self.agents or cell.domain not in self.domains:
                raise ValueError(f"the cell of {cell.agent} on {cell.domain} is not in the table")
            seen.add(key)

    @property
    def missing(self) -> tuple[tuple[str, str], ...]:
        """Agents and domains without a result between them."""
        there = {(cell.agent, cell.domain) for cell in self.cells}
        return tuple((a, d) for a in self.agents for d in self.domains if (a, d) not in there)

    @property
    def n(self) -> int:
        """Number of results."""
        return len(self.cells)

    def repetitions(self, agent: str, domain: str) -> Floats:
        """Return the performances of an agent on a domain, shape (repetitions,)."""
        found = [cell.performance for cell in self.cells if (cell.agent, cell.domain) == (agent, domain)]
        return np.array(found, dtype=np.float64)

    def matrix(self) -> Floats:
        """Return means over repetitions, (agents, domains); NaN where a cell is missing."""
        return self._mean([cell.performance for cell in self.cells])

    def errors(self) -> Floats:
        """Return standard errors of these means from the results' own, (agents, domains); NaN where unknown."""
        squares = [math.nan if cell.se is None else cell.se**2 for cell in self.cells]
        return np.asarray(np.sqrt(self._mean(squares) / np.maximum(self.counts(), 1)))

    def counts(self) -> npt.NDArray[np.int64]:
        """Return the number of repetitions, (agents, domains)."""
        out = np.zeros((len(self.agents), len(self.domains)), dtype=np.int64)
        for i, j in self._places():
            out[i, j] += 1
        return out

    def _places(self) -> list[tuple[int, int]]:
        """Return row and column of every cell."""
        row, column = ({name: i for i, name in enumerate(names)} for names in (self.agents, self.domains))
        return [(row[cell.agent], column[cell.domain]) for cell in self.cells]

    def _mean(self, values: Sequence[float]) -> Floats:
        """Return the mean of values, one a cell, by agent and domain."""
        total = np.zeros((len(self.agents), len(self.domains)))
        for (i, j), value in zip(self._places(), values, strict=True):
            total[i, j] += value
        counts = self.counts()
        return np.asarray(np.divide(total, counts, out=np.full_like(total, np.nan), where=counts > 0))

    def only(self, domains: Sequence[str]) -> Results:
        """Return the results on some domains, in that order; the others are listed among the skipped.

        Raises:
            InputError: a domain is not among the results.
        """
        for name in domains:
            if name not in self.domains:
                raise InputError(choice("the domain", name, self.domains))
        kept = [cell for cell in self.cells if cell.domain in set(domains)]
        left = tuple(Skipped(name, "not among the domains asked for") for name in self.domains if name not in domains)
        agents = tuple(a for a in self.agents if any(cell.agent == a for cell in kept))
        lost = tuple(Skipped(a, "no result on the domains asked for") for a in self.agents if a not in agents)
        skipped = (*self.skipped, *left, *lost)
        return replace(self, agents=agents, domains=tuple(domains), cells=tuple(kept), skipped=skipped)

    def complete(self, rule: str) -> Results:
        """Return results in which missing cells were handled by a rule.

        Args:
            rule: ``keep`` leaves the gaps; ``refuse`` raises; ``agents`` and ``domains`` leave out agents or domains
                with a gap; ``zero`` counts a gap as performance 0.

        Raises:
            InputError: an unknown rule, a gap under ``refuse``, or nothing left.
        """
        if rule not in MISSING:
            raise InputError(choice("the rule for missing cells", rule, MISSING))
        gaps = self.missing
        if not gaps or rule == "keep":
            return self
        total = len(self.agents) * len(self.domains)
        if rule == "refuse":
            agent, domain = gaps[0]
            raise InputError(
                f"{len(gaps)} of {total} cells are missing, the first that of agent {agent} on {domain}; say what to "
                f"do with --missing: {', '.join(word for word in MISSING[2:])}"
            )
        if rule == "zero":
            filled = tuple(Result(agent, domain, 0.0) for agent, domain in gaps)
            note = f"{len(gaps)} of {total} cells were missing and count as performance 0"
            return replace(self, cells=(*self.cells, *filled), notes=(*self.notes, note))
        return self._without({gap[0 if rule == "agents" else 1] for gap in gaps}, rule, len(gaps))

    def _without(self, names: set[str], what: str, count: int) -> Results:
        """Return the results without some agents or domains that had gaps."""
        kept = [cell for cell in self.cells if (cell.agent if what == "agents" else cell.domain) not in names]
        if not kept:
            raise InputError(
                f"every one of the {what} has a missing cell, so nothing is left; choose another rule for missing cells"
            )
        words = what if len(names) > 1 else what[:-1]
        note = f"{count} cells were missing: {len(names)} {words} left out"
        gone = tuple(Skipped(name, "has missing cells") for name in sorted(names))
        return Results.of(kept, skipped=(*self.skipped, *gone), notes=(*self.notes, note), format=self.format)

    def table(self) -> Table:
        """Return the long table ``agent, domain, performance[, se][, repetition]`` that ``aiq score`` reads."""
        with_se = any(cell.se is not None for cell in self.cells)
        repeated = any(cell.repetition for cell in self.cells)
        columns = ("agent", "domain", "performance", *(("se",) * with_se), *(("repetition",) * repeated))
        rows = [
            (c.agent, c.domain, c.performance, *((c.se,) * with_se), *((c.repetition or "1",) * repeated))
            for c in self.cells
        ]
        return Table.of(columns, rows)

    def to_frame(self) -> Any:
        """Return the long table as a pandas data frame.

        Raises:
            InputError: pandas is not installed.
        """
        try:
            import pandas
        except ImportError as error:
            raise InputError("data frames need pandas; install it with: pip install pandas") from error
        table = self.table()
        return pandas.DataFrame(list(table.rows), columns=list(table.columns))

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        return {
            "format": self.format,
            "agents": list(self.agents),
            "domains": list(self.domains),
            "cells": [
                {
                    "agent": c.agent,
                    "domain": c.domain,
                    "performance": c.performance,
                    "se": c.se,
                    "repetition": c.repetition or None,
                }
                for c in self.cells
            ],
            "missing": [{"agent": agent, "domain": domain} for agent, domain in self.missing],
            "skipped": [{"name": one.name, "reason": one.reason} for one in self.skipped],
            "notes": list(self.notes),
        }
