"""What agents reached on tests: one long table, from any reader to any measure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError, choice
from aiq.records.estimate import Floats, plain
from aiq.records.table import Table

LABELS = ("agent", "domain", "repetition", "item", "cluster", "epoch")
"""Columns of names; they are held as codes, so that ten million rows fit in half a gigabyte."""
COLUMNS = ("agent", "domain", "performance", "se", "repetition", "item", "cluster", "epoch", "weight")
"""All columns in their order; the first three are needed."""
_KEY = ("agent", "domain", "item", "repetition", "epoch")

Codes = npt.NDArray[np.int64]

MISSING = ("keep", "refuse", "agents", "domains", "zero")
"""What may be done with missing cells."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was found and is not among the results, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Agents that may be one: under one name and told apart, or under several names and equal in every score."""

    agents: tuple[str, ...]
    reason: str


@dataclass(frozen=True, eq=False)
class Observations:
    """Results of agents on tests, one row each.

    Attributes:
        frame: a pandas data frame, one row a result. ``agent`` and ``domain`` (the test) are names; ``performance``
            lies in [0, 1], 1 is best. Where they were read: ``se``, the standard error of the performance;
            ``repetition``, which run of the test; ``item``, which question of the test, ``cluster``, what the item
            shares with others (a passage, a repository), ``epoch``, which try at the item, and ``weight``, the number
            of tries behind it. Names are categorical, in the order in which they came. A cell without a row is missing.
        skipped: what was found and not taken.
        decisions: sentences on what was done to the numbers.
        duplicates: agents that may be one.
        format: name of the format that was read.
    """

    frame: Any
    skipped: tuple[Skipped, ...] = ()
    decisions: tuple[str, ...] = ()
    duplicates: tuple[Duplicate, ...] = ()
    format: str = "table"

    @classmethod
    def of(cls, data: Any, **rest: Any) -> Observations:
        """Return observations of a data frame or a mapping of columns, those in ``COLUMNS``; ``rest``: the attributes.

        Rows without performance are missing cells.

        Raises:
            InputError: unknown or missing columns, a name that is empty, a performance outside [0, 1], a standard
                error or weight below 0, one agent, test, item, repetition and epoch twice, or no row.
        """
        return cls(_checked(data), **rest)

    @property
    def agents(self) -> tuple[str, ...]:
        """Names of the agents."""
        return self.names("agent")

    @property
    def domains(self) -> tuple[str, ...]:
        """Names of the tests."""
        return self.names("domain")

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.frame)

    @property
    def has_items(self) -> bool:
        """Whether rows are results on items."""
        return "item" in self.frame.columns

    def names(self, column: str) -> tuple[str, ...]:
        """Return the names in a column of names, in the order of their codes; none where there is no such column."""
        return tuple(self.frame[column].cat.categories) if column in self.frame.columns else ()

    def codes(self, column: str) -> Codes:
        """Return the code of the name in each row, (n,): its place among ``names``, -1 where there is none."""
        return np.asarray(self.frame[column].cat.codes, dtype=np.int64)

    @property
    def missing(self) -> tuple[tuple[str, str], ...]:
        """Agents and tests without a result between them."""
        agents, domains = self.agents, self.domains
        return tuple((agents[i], domains[j]) for i, j in np.argwhere(self.counts() == 0))

    def counts(self) -> npt.NDArray[np.int64]:
        """Return the number of rows, (agents, tests)."""
        shape = (len(self.agents), len(self.domains))
        return np.asarray(np.bincount(self._cell, minlength=shape[0] * shape[1]).reshape(shape))

    def wide(self, by: str = "domain") -> Any:
        """Return the means of the rows as a data frame of agents × tests; NaN where a cell is missing.

        The mean of an item over its tries is taken first, so that every item counts alike however often it was tried.
        ``by``: ``domain``, or ``item``: agents × items, the columns being pairs of test and item.
        """
        import pandas

        agents = pandas.Index(self.agents, name="agent")
        if by == "item":
            _, mean, first = self._items()
            item = self.codes("domain")[first] * len(self.names("item")) + self.codes("item")[first]
            place, kept = pandas.factorize(item)
            means = np.full((len(agents), len(kept)), np.nan)
            means[self.codes("agent")[first], place] = mean
            domain, name = np.divmod(kept, len(self.names("item")))
            pairs = [np.array(self.names(n), dtype=object)[c] for n, c in (("domain", domain), ("item", name))]
            return pandas.DataFrame(means, agents, pandas.MultiIndex.from_arrays(pairs, names=("domain", "item")))
        means = self.tests()._mean("performance") if self.has_items else self._mean("performance")
        return pandas.DataFrame(means, agents, pandas.Index(self.domains, name="domain"))

    def errors(self) -> Floats:
        """Return standard errors of the means of ``wide`` from the results' own, (agents, tests); NaN where unknown."""
        if self.has_items:
            return self.tests().errors()
        if "se" not in self.frame.columns:
            return np.full((len(self.agents), len(self.domains)), np.nan)
        return np.asarray(np.sqrt(self._mean("se", 2) / np.maximum(self.counts(), 1)))

    def variances(self) -> Floats:
        """Return variances of the means of ``wide``, (agents, tests): between repetitions, else of the stated error."""
        if self.has_items:
            return self.tests().variances()
        counts, variances = self.counts(), self.errors() ** 2
        apart = np.asarray(self.frame["performance"]) - self._mean("performance").ravel()[self._cell]
        squares = np.bincount(self._cell, apart**2, counts.size).reshape(counts.shape)
        repeated = counts > 1
        variances[repeated] = (squares / np.maximum(counts - 1, 1) / np.maximum(counts, 1))[repeated]
        return variances

    def repetitions(self, agent: str, domain: str) -> Floats:
        """Return the performances of an agent on a test, (repetitions,)."""
        cell = self.agents.index(agent) * len(self.domains) + self.domains.index(domain)
        order, starts = self._sorted
        return np.asarray(self.frame["performance"])[order[starts[cell] : starts[cell + 1]]]

    def tests(self) -> Observations:
        """Return one row an agent and test: the mean over items, and its standard error over items like these.

        The mean of an item over its tries comes first. With clusters the error is that of Miller 2024 (Adding error
        bars to evals, Eq. 4): deviations are added within each cluster before they are squared. One item gives none.
        """
        if not self.has_items:
            return self
        import pandas

        item, mean, first = self._items()
        cell, cells = pandas.factorize(self._cell[first])
        count = np.bincount(cell)
        average = np.bincount(cell, mean) / count
        apart, groups = mean - average[cell], item
        of_group = cell
        if "cluster" in self.frame.columns:
            cluster = self.codes("cluster")[first]
            alone = np.where(cluster < 0, cluster.max() + 1 + np.arange(cluster.size), cluster)
            groups, _ = pandas.factorize(cell * (alone.max() + 1) + alone)
            of_group = cell[np.unique(groups, return_index=True)[1]]
            apart = np.bincount(groups, apart)
        squares, sizes = np.bincount(of_group, apart**2), np.bincount(of_group)
        with np.errstate(invalid="ignore", divide="ignore"):
            se = np.sqrt(squares * sizes / (sizes - 1)) / count  # as ddof = 1: n / (n - 1) of the sum of squares
        codes = {"agent": cells // len(self.domains), "domain": cells % len(self.domains)}
        columns: dict[str, Any] = {
            name: pandas.Categorical.from_codes(codes[name], self.names(name)) for name in ("agent", "domain")
        }
        se[sizes < 2] = np.nan
        return replace(self, frame=pandas.DataFrame({**columns, "performance": average, "se": se}))

    def only(self, domains: Sequence[str]) -> Observations:
        """Return the results on some tests, in that order; the others are listed among the skipped.

        Raises:
            InputError: a test is not among the results.
        """
        for name in domains:
            if name not in self.domains:
                raise InputError(choice("the domain", name, self.domains))
        frame = self.frame[self.frame["domain"].isin(list(domains))]
        frame = frame.assign(
            agent=frame["agent"].cat.remove_unused_categories(), domain=frame["domain"].cat.set_categories(domains)
        )
        left = tuple(Skipped(name, "not among the domains asked for") for name in self.domains if name not in domains)
        agents = set(frame["agent"].cat.categories)
        lost = tuple(Skipped(a, "no result on the domains asked for") for a in self.agents if a not in agents)
        return replace(self, frame=frame.reset_index(drop=True), skipped=(*self.skipped, *left, *lost))

    def complete(self, rule: str) -> Observations:
        """Return results in which missing cells were handled by a rule.

        ``keep`` leaves the gaps; ``refuse`` raises; ``agents`` and ``domains`` leave out agents or domains with a gap;
        ``zero`` counts a gap as performance 0.

        Raises:
            InputError: an unknown rule, a gap under ``refuse``, or nothing left.
        """
        if rule not in MISSING:
            raise InputError(choice("the rule for missing cells", rule, MISSING))
        gaps = np.argwhere(self.counts() == 0)
        if not len(gaps) or rule == "keep":
            return self
        total = len(self.agents) * len(self.domains)
        if rule == "refuse":
            agent, domain = self.agents[gaps[0][0]], self.domains[gaps[0][1]]
            raise InputError(
                f"{len(gaps)} of {total} cells are missing, the first that of agent {agent} on {domain}; say what to "
                f"do with --missing: {', '.join(word for word in MISSING[2:])}"
            )
        if rule == "zero":
            return self._filled(gaps, total)
        names = self.agents if rule == "agents" else self.domains
        lost = sorted(names[k] for k in np.unique(gaps[:, 0 if rule == "agents" else 1]))
        frame = self.frame[~self.frame[rule[:-1]].isin(lost)]
        if not len(frame):
            raise InputError(
                f"every one of the {rule} has a missing cell, so nothing is left; choose another rule for missing cells"
            )
        said = f"{len(gaps)} cells were missing: {len(lost)} {rule if len(lost) > 1 else rule[:-1]} left out"
        skipped = (*self.skipped, *(Skipped(name, "has missing cells") for name in lost))
        frame = _checked(frame.reset_index(drop=True))
        return replace(self, frame=frame, skipped=skipped, decisions=(*self.decisions, said))

    def table(self) -> Table:
        """Return the long table that ``aiq score`` and ``aiq suite`` read."""
        frame = self.frame.astype(object).where(self.frame.notna(), None)
        return Table.of(list(frame.columns), list(frame.itertuples(index=False, name=None)))

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        return {
            **plain(self, "format", "agents", "domains"),
            "cells": [{"se": None, "repetition": None, **row} for row in self.table().dicts],
            "missing": [{"agent": agent, "domain": domain} for agent, domain in self.missing],
            **plain(self, "skipped", "decisions", "duplicates"),
            "notes": list(self.decisions),
        }

    @cached_property
    def _cell(self) -> Codes:
        """The cell of each row, counted through the table of agents × tests."""
        return self.codes("agent") * len(self.domains) + self.codes("domain")

    @cached_property
    def _sorted(self) -> tuple[Codes, Codes]:
        """The rows in the order of their cells, and where each cell begins among them."""
        return np.argsort(self._cell, kind="stable"), np.concatenate([[0], np.cumsum(self.counts())])

    def _mean(self, column: str, power: int = 1) -> Floats:
        """Return the mean of a column (to a power) by agent and test; NaN without a row or with an unknown."""
        counts = self.counts()
        total = np.bincount(self._cell, np.asarray(self.frame[column]) ** power, counts.size).reshape(counts.shape)
        return np.asarray(np.divide(total, counts, out=np.full(counts.shape, np.nan), where=counts > 0))

    def _items(self) -> tuple[Codes, Floats, Codes]:
        """Return a number for each item of each cell, its mean performance, and its first row."""
        import pandas

        key = self._cell * len(self.names("item")) + self.codes("item")
        group, _ = pandas.factorize(key)
        weight = np.asarray(self.frame["weight"]) if "weight" in self.frame.columns else np.ones(self.n)
        total, tries = np.bincount(group, weight * np.asarray(self.frame["performance"])), np.bincount(group, weight)
        first = np.unique(group, return_index=True)[1]
        return np.arange(first.size), total / tries, first

    def _filled(self, gaps: Codes, total: int) -> Observations:
        """Return the results with performance 0 in the gaps."""
        import pandas

        if self.has_items:
            raise InputError("missing results on items cannot count as zero, as their number is not known")
        names = (np.array(of, dtype=object)[gaps[:, i]] for i, of in enumerate((self.agents, self.domains)))
        added: dict[str, Any] = dict(zip(("agent", "domain"), names, strict=True), performance=0.0)
        added |= {"repetition": "1"} if "repetition" in self.frame.columns else {}
        named = [name for name in LABELS if name in self.frame.columns]
        whole = pandas.concat([self.frame.astype(dict.fromkeys(named, object)), pandas.DataFrame(added)])
        said = f"{len(gaps)} of {total} cells were missing and count as performance 0"
        return replace(self, frame=_checked(whole.reset_index(drop=True)), decisions=(*self.decisions, said))


def _checked(data: Any) -> Any:
    import pandas

    given = data if isinstance(data, pandas.DataFrame) else pandas.DataFrame(data)
    for name in COLUMNS[:3]:
        if name not in given.columns:
            raise InputError(f"the results lack the column {name!r}; they have {', '.join(map(str, given.columns))}")
    for name in given.columns:
        if name not in COLUMNS:
            raise InputError(choice("a column of the results", name, COLUMNS))
    there = ~np.isnan(_numbers(given["performance"], "performance"))
    whole = bool(there.all())
    columns: dict[str, Any] = {}
    for name in (name for name in COLUMNS if name in given.columns):
        column = given[name] if whole else given[name][there]
        columns[name] = _labelled(column, name) if name in LABELS else _numbers(column, name)
    frame = pandas.DataFrame(columns)
    if not len(frame):
        raise InputError("the results hold no score; give at least one")
    for name in (name for name in ("performance", "se", "weight") if name in frame.columns):
        high, words = (1.0, "in [0, 1]") if name == "performance" else (math.inf, "a number of at least 0")
        wrong = (frame[name] < 0) | (frame[name] > high) | np.isinf(frame[name])
        if wrong.any():
            row = frame.loc[wrong.idxmax()]
            what = f"the {name} of {row['agent']} on {row['domain']}"
            raise InputError(f"{what} is {row[name]:g}, it must be {words}")
    key = [name for name in _KEY if name in frame.columns]
    again = frame.duplicated(key)
    if again.any():
        row = frame.loc[again.idxmax()]
        rest = "".join(f", {name} {row[name]}" for name in key[2:])
        raise InputError(f"agent {row['agent']} has domain {row['domain']}{rest} twice; keep one of them")
    return frame


def _labelled(column: Any, name: str) -> Any:
    """Return a column of names as codes, in the order of first appearance."""
    import pandas

    codes, names = pandas.factorize(column)
    if name in ("agent", "domain", "item") and (codes < 0).any():
        raise InputError(f"row {int(np.argmax(codes < 0))} of the results (counted from 0): {name} is empty")
    texts = [str(label) for label in names]
    if len(set(texts)) < len(texts):
        again, words = pandas.factorize(np.array(texts, dtype=object))
        codes, texts = np.where(codes < 0, -1, again[codes]), list(words)
    return pandas.Categorical.from_codes(codes, pandas.Index(texts, dtype=object))


def _numbers(column: Any, name: str) -> Floats:
    try:
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"the column {name} of the results must hold numbers: {error}") from error
