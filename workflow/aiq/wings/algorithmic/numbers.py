"""The algorithmic quotient from files that a person has at hand: a text of programs, tables of pairs."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from aiq import storage
from aiq.errors import InputError
from aiq.records.table import Table
from aiq.storage.files import replacing
from aiq.wings.algorithmic.equations.estimation import by_length, difference, quotient
from aiq.wings.algorithmic.equations.programs import Population
from aiq.wings.algorithmic.records import PairOutcomes
from aiq.wings.algorithmic.work import compare, read_programs

COLUMNS = ("stratum", "draw", "program", "length", "plus", "minus")


def write_text(path: str, text: str) -> None:
    """Write a text file atomically; ``-`` is standard output."""
    if path == "-":
        sys.stdout.write(text)
        return
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def pairs_table(outcomes: PairOutcomes) -> str:
    """Return the pairs as CSV; the scores of a failed pair are empty."""
    columns = [getattr(outcomes, name).tolist() for name in COLUMNS]
    rows = [[None if cell != cell else cell for cell in row] for row in zip(*columns, strict=True)]
    return storage.render(Table.of(COLUMNS, rows))


def _pairs(path: str, table: Table, population: Population) -> PairOutcomes:
    """Return the pairs of a table that ran on a sample."""
    if not {"plus", "minus"} <= set(table.columns):
        raise InputError(f"{path} lacks the columns plus and minus; give a table that aiq algorithmic run wrote")
    whole = {name: _whole(path, name, table.column(name)) for name in COLUMNS[:4]}
    scores = [np.array([_score(path, cell) for cell in table.column(name)]) for name in COLUMNS[4:]]
    try:
        outcomes = PairOutcomes(*whole.values(), *scores)
    except ValueError as error:
        raise InputError(
            f"{path} holds no pairs of trials: {error}; give a table that aiq algorithmic run wrote"
        ) from None
    for stratum in np.unique(outcomes.stratum):
        rows = outcomes.stratum == stratum
        if not np.array_equal(population.drawn(int(stratum), outcomes.draw[rows]), outcomes.program[rows]):
            raise InputError(
                f"{path} ran on other programs (stratum {stratum} differs); give the sample that it ran on"
            )
    if not np.array_equal(population.lengths[outcomes.program], outcomes.length):
        raise InputError(f"{path} ran on other programs (their lengths differ); give the sample that it ran on")
    return outcomes


def _whole(path: str, name: str, cells: Sequence[Any]) -> Any:
    values = np.array(cells, dtype=np.float64)
    if np.any(values < 0) or np.any(values != np.floor(values)):
        raise InputError(f"{path}: the column {name} must hold whole numbers from 0")
    return values.astype(np.int64)


def _score(path: str, cell: Any) -> float:
    if cell in ("", None):
        return math.nan
    try:
        value = float(cell)
    except ValueError:
        value = math.inf
    if not abs(value) <= 100 + 1e-9:
        raise InputError(f"{path}: the score {cell!r} must be a number from -100 to 100, or empty for a failed pair")
    return value


def estimates_of(paths: Sequence[str], programs: str, interval: str) -> dict[str, Any]:
    """Return quotients of tables of pairs, by stratum and program length, and all paired differences, for JSON."""
    for path in paths:
        if paths.count(path) > 1:
            raise InputError(f"{path} is given twice; give every table of pairs once")
    listed = read_programs(programs)
    whole, scores = COLUMNS[:4], COLUMNS[4:]
    tables = {path: storage.read_table(path, whole, scores, whole, blank=scores) for path in paths}
    plain = 0.0 in tables[paths[0]].column("stratum")
    population = Population(listed, stratified=not plain)  # stratum 0 is plain Monte Carlo
    outcomes = {path: _pairs(path, table, population) for path, table in tables.items()}
    agents = []
    for path, pairs in outcomes.items():
        record = quotient(pairs, population, interval)
        lengths = by_length(pairs, population)
        agents.append(
            {
                "agent": path,
                "quotient": record.estimate.value,
                "interval": record.estimate.interval,
                "runs": record.runs,
                "failures": record.failures,
                "dropped_strata": record.dropped,
                "strata": [{"stratum": v.stratum, **v.estimate.as_dict()} for v in record.strata],
                "lengths": [{"shortest": v.shortest, "longest": v.longest, **v.estimate.as_dict()} for v in lengths],
            }
        )
    differences = []
    for a, b in itertools.combinations(paths, 2):
        d = compare(a, b, 0, difference(outcomes[a], outcomes[b], population))
        differences.append(
            {
                "first": a, "second": b, "difference": d.estimate.value, "interval": d.estimate.interval,
                "probability": d.probability, "pairs": d.estimate.n,
            }
        )  # fmt: skip
    return {"agents": agents, "differences": differences, "programs": population.size}
