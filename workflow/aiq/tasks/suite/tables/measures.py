"""The measures from tables of numbers that a person already has: no training needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import seeding, storage
from aiq.errors import InputError, choice, did_you_mean
from aiq.measures import complexity, dissimilarity, space
from aiq.measures.complexity import excess
from aiq.measures.dissimilarity import completing, landmarks
from aiq.measures.space import draws as space_draws
from aiq.records.best_of_k import affordable_k
from aiq.records.complexity import Complexity
from aiq.records.space import Space
from aiq.records.table import Table
from aiq.storage import Source
from aiq.tasks.suite.tables import own as own_tables

Floats = npt.NDArray[np.float64]

UNITS = {"log2": "log2", "linear": "parameters"}
"""How the sizes of a table count, and what that unit is called by the measure and in figures."""

LINEAR = 1e50
"""The largest size that counts as it is: fourth powers of it are taken."""

_TOO_LARGE = f"; a size that counts linearly may be at most {LINEAR:g}, count sizes as log2"

DRAWS = 1000  # replicates of tables that landmarks complete


@dataclass(frozen=True, slots=True, eq=False)
class TableTrials:
    """The complexity of a domain of a table, with its trials: sizes as they count (n,), and performances (n,)."""

    complexity: Complexity
    size: Floats
    performance: Floats


def trials_from_table(
    path: Source, *, size: str, k: int | None = None, largest: float | None = None, **how: Any
) -> dict[str, TableTrials]:
    """Return the complexity of each domain of a table ``size,performance[,chunk][,domain]``, with its trials.

    A table without the column ``domain`` gives one entry under the empty name.

    Args:
        path: the table; ``-`` reads standard input.
        size: how the sizes count, ``log2`` or ``linear``.
        k: of how many policies the smallest counts; None takes 16, or as many as every domain has without its
            largest chunk (so that there are intervals), the same for every domain.
        largest: size of the largest policy of the pool's design, counted as the table's sizes; None takes each
            domain's largest.
        **how: options of ``measures.complexity.measure``.

    Raises:
        InputError: for a table or an option that cannot be used.
    """
    if size not in UNITS:
        raise InputError(choice("how sizes count", size, UNITS))
    table = storage.read_table(path, ("size", "performance"), ("chunk", "domain"), ("size", "performance"))
    _check_performances(path, table)
    _check_sizes(path, table, size)
    groups = _groups(table, ["domain"])
    chunks = {name: _chunks(table, rows) for name, rows in groups.items()}
    how["k"] = min(_affordable_k(rows, chunks[name]) for name, rows in groups.items()) if k is None else k
    if largest is not None:
        _check_largest(largest, _floats(table, "size"), size)
        how["largest"] = float(complexity.sizes([largest], None, unit=UNITS[size])[0])
    found = {}
    for name, rows in groups.items():
        sizes = complexity.sizes(_floats(table, "size", rows), None, unit=UNITS[size])
        performance = _floats(table, "performance", rows)
        called = name[0] if name else ""
        if called:
            excess.check_k(how["k"], len(rows), called)
        measured = complexity.measure(performance, sizes, chunk=chunks[name], **how)
        found[called] = TableTrials(measured, sizes, performance)
    return found


def complexity_from_table(path: Source, **how: Any) -> dict[str, Complexity]:
    """Return the complexity of each domain of a table, as ``trials_from_table`` without the trials."""
    return {name: found.complexity for name, found in trials_from_table(path, **how).items()}


def _affordable_k(rows: Sequence[int], chunk: npt.NDArray[np.int64] | None) -> int:
    """Return the k that the trials of a domain afford."""
    return affordable_k(len(rows), 1 if chunk is None else int(np.bincount(chunk).max()))


def _chunks(table: Table, rows: Sequence[int]) -> npt.NDArray[np.int64] | None:
    """Return the chunks of some trials, None where the table has none, so that every trial is one of its own."""
    return _codes(table, "chunk", rows) if "chunk" in table.columns else None


def space_from_tables(complexities: Source, dissimilarities: Source, *, complete: bool = False, **how: Any) -> Space:
    """Return the intelligence space of tables ``domain,complexity[,se]`` and ``a,b,dissimilarity[,se]``.

    With the option ``distance="transfer"`` the second table holds transfer areas, ``a,b,transfer[,se]``, self-pairs
    included.

    Args:
        complexities: one row per domain; the column may be called ``relative_excess`` where that is the length.
        dissimilarities: one row per pair; the order of a and b is free, the diagonal may be left out. With ``se`` the
            values are signed areas, which may lie below 0; a self-pair may be without one.
        complete: fill in missing pairs from the domains that were measured against all others.
        **how: options of ``measures.space.build``.

    Raises:
        InputError: for tables that cannot be used, naming a missing pair.
    """
    column = how.get("length", "complexity")
    c = storage.read_renamed(complexities, {column: "complexity"}, ("domain", "complexity"), ("se",))
    names = [str(name) for name in c.column("domain")]
    for name in names:
        if names.count(name) > 1:
            raise InputError(
                f"{storage.called(complexities)} names the domain {name!r} twice; every domain may occur once"
            )
    if column == "relative_excess":
        _check_relative(complexities, c)
    if "se" in c.columns:
        how["complexity_se"] = _checked_errors(complexities, c)
    by_transfer = how.get("distance") == "transfer"
    matrix, error = _matrices(dissimilarities, names, by_transfer)
    if by_transfer:
        if complete:
            raise InputError("distances by transfer need every pair, so there is nothing to complete from landmarks")
        how |= _by_transfer(dissimilarities, names, matrix, error, int(how.get("seed", 0)))
        return space.build(names, _floats(c, "complexity"), **how)
    missing = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if np.isnan(_at(matrix, names, a, b))]
    if missing:
        a, b = missing[0]
        full = [n for i, n in enumerate(names) if not np.isnan(np.delete(matrix[i], i)).any()]
        if not complete or not full:
            more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise InputError(
                f"{storage.called(dissimilarities)} lacks the pair {a}, {b}{more}; measure it, "
                "or measure some domains against all others and pass --landmarks (landmarks=True in Python)"
            )
        at = landmarks.named(names, full)
        return space.build(
            names, _floats(c, "complexity"), **_completed(matrix, error, at, int(how.get("seed", 0))), **how
        )
    if error is not None:
        how["dissimilarity_se"] = error
    return space.build(names, _floats(c, "complexity"), matrix, **how)


def _by_transfer(
    path: Source, names: Sequence[str], area: Floats, error: Floats | None, seed: int
) -> dict[str, Floats]:
    """Return distances by transfer, and replicates where errors are known."""
    for i, j in zip(*np.nonzero(np.triu(np.isnan(area))), strict=True):
        itself = "; distances by transfer need every domain with itself" if i == j else "; measure it"
        raise InputError(f"{storage.called(path)} lacks the pair {names[i]}, {names[j]}{itself}")
    unknown = np.full_like(area, np.nan)
    found = {"dissimilarity": dissimilarity.transfer_geometry(area, unknown if error is None else error).distances}
    if error is None:
        return found
    drawn = dissimilarity.transfer_replicates(area, error, resamples=DRAWS, seed=seed)
    return {**found, "dissimilarity_replicates": drawn}


def _completed(matrix: Floats, error: Floats | None, at: Sequence[int], seed: int) -> dict[str, Floats]:
    """Return the matrix, and replicates where errors are known, completed from the landmarks ``at``."""

    def filled(one: Floats, count: int | None) -> Floats:
        whole = np.array(landmarks.complete(one[list(at)], at, dimensions=count).matrix)
        np.fill_diagonal(whole, np.diag(matrix))
        return whole

    if error is None:
        return {"dissimilarity": filled(matrix, completing.left_out_dimensions(matrix[list(at)], at))}
    measured = ~np.isnan(matrix) & ~np.eye(len(matrix), dtype=bool)
    errors = space_draws.Errors(np.where(measured, error, 0.0), np.zeros(len(matrix)), np.inf)
    root = space_draws.debiased(np.where(measured, matrix, 0.0), errors.variance)
    drawn = space_draws.dissimilarities(root, errors, DRAWS, seeding.generator(seed, "space", "landmark draws"))
    rng = seeding.generator(seed, "space", "landmark directions")
    count = completing.left_out_dimensions(root[list(at)], at)
    completed = completing.replicates(root, drawn, at, rng, count)
    return {"dissimilarity": filled(root, count), "dissimilarity_replicates": completed}


def _matrices(path: Source, names: Sequence[str], by_transfer: bool) -> tuple[Floats, Floats | None]:
    """Return the symmetric matrix of a table of pairs, and that of the standard errors if it has them.

    NaN where a pair is not given. The standard error of a self-pair is read of transfer areas only, and may be empty
    else.
    """
    renamed, required = {"transfer": "dissimilarity"} if by_transfer else {}, ("a", "b", "dissimilarity")
    if own_tables.is_own(path):
        table = own_tables.pairs(path, by_transfer)
    else:
        table = storage.read_renamed(path, renamed, required, ("se",), texts=2, blank=("se",))
    errors = _checked_errors(path, table) if "se" in table.columns else None
    matrix = np.full((len(names), len(names)), np.nan)
    error = None if errors is None else np.zeros_like(matrix)
    for row, (a, b, value) in enumerate(_columns(table, "a", "b", "dissimilarity")):
        for name in (str(a), str(b)):
            if name not in names:
                hint = did_you_mean(name, names)
                raise InputError(
                    f"{storage.called(path)} names the domain {name!r}{hint}, which has no complexity; add it there"
                )
        i, j = names.index(str(a)), names.index(str(b))
        if not np.isnan(matrix[i, j]):
            raise InputError(
                f"{storage.called(path)} has the pair {a}, {b} twice; every pair may occur once, in either order"
            )
        if error is None and float(value) < 0 and not by_transfer:
            raise InputError(
                f"{storage.called(path)}: the dissimilarity of {a} and {b} is {value}, it must be 0 or more; "
                "signed areas need their standard errors in a column se"
            )
        if not by_transfer and abs(float(value)) > 1:
            raise InputError(
                f"{storage.called(path)}: the dissimilarity of {a} and {b} is {value}, it must lie in [-1, 1], as an "
                "area between performances in [0, 1]; divide what is in per cent by 100"
            )
        matrix[i, j] = matrix[j, i] = float(value)
        if error is not None and errors is not None and (i != j or by_transfer):
            if np.isnan(errors[row]):
                only = "" if by_transfer else "; only a domain with itself may be without one"
                raise InputError(f"{storage.place(path, table, row)}: se of {a} and {b} is empty{only}")
            error[i, j] = error[j, i] = errors[row]
    return matrix, error


def _checked_errors(path: Source, table: Table) -> Floats:
    """Return a column of standard errors, NaN where a cell is empty; refused below 0."""
    values = np.array([np.nan if cell is None else cell for cell in table.column("se")], dtype=np.float64)
    for row, value in enumerate(values):
        if value < 0:
            raise InputError(f"{storage.place(path, table, row)}: se is {value:g}, a standard error is at least 0")
    return values


def _at(matrix: Floats, names: Sequence[str], a: str, b: str) -> float:
    """Return one entry by names."""
    return float(matrix[names.index(a), names.index(b)])


def performances_from_table(path: Source, domains: Sequence[str]) -> dict[str, Floats]:
    """Return agent -> performances (repetitions, domains) of a table ``agent,domain,performance[,repetition]``.

    A wide table, ``agent[,repetition]`` and one column per domain, is read too.

    Raises:
        InputError: for unknown or missing domains, repeated rows, values outside [0, 1].
    """
    table = storage.read_melted(path, "agent", domains, ("domain", "performance"), ("repetition",))
    _check_performances(path, table)
    repetition = table.column("repetition") if "repetition" in table.columns else [""] * len(table.rows)
    cells: dict[tuple[str, str, str], float] = {}
    for (agent, domain, value), r in zip(_columns(table, "agent", "domain", "performance"), repetition, strict=True):
        if domain not in domains:
            hint = did_you_mean(str(domain), domains)
            raise InputError(
                f"{storage.called(path)}: agent {agent} has the unknown domain {domain!r}{hint}; "
                f"the space has {', '.join(domains)}"
            )
        key = (str(agent), str(domain), str(r))
        if key in cells:
            extra = "" if key[2] else "; add a column repetition if it was measured again"
            raise InputError(f"{storage.called(path)}: agent {agent} has domain {domain} twice{extra}")
        cells[key] = float(value or 0.0)
    return {agent: _agent(path, agent, cells, domains) for agent in dict.fromkeys(key[0] for key in cells)}


def _agent(path: Source, agent: str, cells: Mapping[tuple[str, str, str], float], domains: Sequence[str]) -> Floats:
    """Return one agent's performances (repetitions, domains)."""
    repetitions = list(dict.fromkeys(r for a, _, r in cells if a == agent))
    for domain in domains:
        for r in repetitions:
            if (agent, domain, r) not in cells:
                where = f" in repetition {r}" if r else ""
                raise InputError(
                    f"{storage.called(path)}: agent {agent} has no performance on domain {domain}{where}; "
                    "every agent needs all"
                )
    return np.array([[cells[agent, domain, r] for domain in domains] for r in repetitions])


# ---- cells ---------------------------------------------------------------------------------------


def _columns(table: Table, *names: str) -> list[tuple[Any, ...]]:
    """Return rows of some columns."""
    return list(zip(*(table.column(name) for name in names), strict=True))


def _floats(table: Table, column: str, rows: Sequence[int] | None = None) -> Floats:
    """Return a column of numbers."""
    values = np.array(table.column(column), dtype=np.float64)
    return values if rows is None else values[list(rows)]


def _codes(table: Table, column: str, rows: Sequence[int]) -> npt.NDArray[np.int64]:
    """Return a column of labels as integers."""
    cells = table.column(column)
    return np.unique([str(cells[row]) for row in rows], return_inverse=True)[1].astype(np.int64)


def _groups(table: Table, columns: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    """Return rows by the values of some columns (those that the table has), in order of first occurrence."""
    present = [table.column(column) for column in columns if column in table.columns]
    groups: dict[tuple[str, ...], list[int]] = {}
    for row in range(len(table.rows)):
        groups.setdefault(tuple(str(column[row]) for column in present), []).append(row)
    return groups


def _check_relative(path: Source, table: Table) -> None:
    """Refuse relative excesses outside [0, 1]."""
    for row, value in enumerate(_floats(table, "complexity")):
        if not 0 <= value <= 1:
            raise InputError(f"{storage.place(path, table, row)}: relative excess is {value:g}, it must lie in [0, 1]")


def _check_performances(path: Source, table: Table) -> None:
    """Refuse performances outside [0, 1]."""
    for row, value in enumerate(_floats(table, "performance")):
        if not 0 <= value <= 1:
            raise InputError(f"{storage.place(path, table, row)}: performance is {value:g}, it must lie in [0, 1]")


def _check_largest(largest: float, sizes: Floats, size: str) -> None:
    """Refuse a largest policy that is smaller than one of the table, or too large to calculate with."""
    if not sizes.max() <= largest < np.inf:
        raise InputError(
            f"the largest policy that could be drawn is given as {largest:g}, but the table has one of "
            f"{sizes.max():g}; give a finite size at least as large"
        )
    if size == "linear" and largest > LINEAR:
        raise InputError(f"the largest policy that could be drawn is given as {largest:g}{_TOO_LARGE}")


def _check_sizes(path: Source, table: Table, size: str) -> None:
    """Refuse sizes below 1, and those too large to calculate with."""
    for row, value in enumerate(_floats(table, "size")):
        if value < 1:
            where = f"{storage.place(path, table, row)}"
            raise InputError(f"{where}: size is {value:g}, a policy has at least 1 parameter")
        if size == "linear" and value > LINEAR:
            raise InputError(f"{storage.place(path, table, row)}: size is {value:g}{_TOO_LARGE}")
