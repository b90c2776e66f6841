"""The tables of complexities and of pairs: runs and data frames write these columns, the verbs read them.

A column ``x_se`` holds the standard error of the column ``x``; ``x_df`` its degrees of freedom. A plain ``se`` belongs
to the one value of a table that a person made.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from aiq import storage
from aiq.errors import InputError
from aiq.measures import complexity
from aiq.records.complexity import QUANTITIES, Complexity
from aiq.records.dissimilarity import Dissimilarity, Part, Similarity
from aiq.records.domains import Entropy
from aiq.records.estimate import Floats, cells
from aiq.records.table import Cell, Table, bounds
from aiq.stats import jackknife
from aiq.storage import Source

LENGTHS = ("relative_excess", "complexity")
"""Columns that hold how far tests lie from the origin, the usual one first."""

CHUNK = "relative_excess_chunk_"
"""Columns of what each chunk of the pool, the same for all domains, puts into the error of the relative excess."""

PARTS = ("starvation", "confusion", "transfer", "interference")
_BEST_OF_K = ("k", *bounds(*QUANTITIES))
_COMPLEXITY = (
    *("domain", "estimator", *bounds("complexity"), "complexity_se", *bounds("normalised"), *_BEST_OF_K),
    *("relative_excess_se", "relative_excess_df", "minimum", "trials", "failed_trials", "extrapolated_share"),
    *("mostly_extrapolated", *bounds("entropy")),
)
_PAIRS = (
    *("a", "b", *bounds("dissimilarity"), *bounds("signed"), "signed_se", "signed_df"),
    *("signed_se_own", "signed_df_own", "signed_end_a", "signed_end_b", "paired", "square", "crosses"),
    *bounds("corrected", *PARTS),
    *("transfer_se", "transfer_df", "repetitions", "failed", "note"),
)


def of_complexity(column: str) -> bool:
    """Whether a table of complexities may have a column."""
    return column in (*_COMPLEXITY, "se") or column.startswith(CHUNK)


def of_pairs(column: str) -> bool:
    """Whether a table of pairs may have a column."""
    return column in (*_PAIRS, "se")


def floats(table: Table, column: str) -> Floats:
    """Return a column as numbers, NaN where a cell is empty or the table has no such column."""
    cells_ = table.column(column) if column in table.columns else [None] * len(table.rows)
    return np.array([np.nan if cell is None else cell for cell in cells_], dtype=np.float64)


def check_shares(path: Source, table: Table, column: str) -> None:
    """Refuse a number outside [0, 1]."""
    for row, value in enumerate(floats(table, column)):
        if not 0 <= value <= 1:
            words = column.replace("_", " ")
            raise InputError(f"{storage.place(path, table, row)}: {words} is {value:g}, it must lie in [0, 1]")


def complexity_table(
    records: Mapping[str, Complexity], entropy: Mapping[str, Entropy] | None = None, *, shared: bool = False
) -> Table:
    """Return one row per domain: the complexity asked for, MCCP@k with its parts, the paper's minimum.

    ``entropy``: of the samples of some domains. ``shared``: the domains share one pool, so that their errors go
    together; the table then says how.
    """
    # of complexities that are all 0 none is a share of another
    whole = any(record.value > 0 for record in records.values())
    normalised = complexity.normalised(records) if whole else [None] * len(records)
    parts = chunk_parts(list(records.values())) if shared else None
    rows = []
    for i, ((name, record), share) in enumerate(zip(records.items(), normalised, strict=True)):
        asked = (record.estimator, *record.estimate.cells(), complexity_error(record), *cells(share))
        at_k: tuple[Cell, ...] = (None,) * (len(_BEST_OF_K) + 2)  # of a pool with too few policies
        if (best := record.best_of_k) is not None:
            numbers = cells(best.estimate, best.base, best.excess, best.relative_excess)
            error = complexity.standard_error(best, "relative_excess")
            at_k = (best.k, *numbers, *((None, None) if error is None else (error.se, error.df)))
        counts = (record.n_trials, record.n_failed, record.extrapolated_share, record.mostly_extrapolated)
        measured = (entropy or {}).get(name)
        inputs = cells(None if measured is None else measured.mean)
        chunks = () if parts is None else parts[:, i].tolist()
        rows.append((name, *asked, *at_k, record.minimum, *counts, *inputs, *chunks))
    count = 0 if parts is None else len(parts)
    return Table.of((*_COMPLEXITY, *(f"{CHUNK}{g + 1}" for g in range(count))), rows)


def chunk_parts(records: list[Complexity]) -> Floats | None:
    """Return what each chunk of a pool that all domains share puts into the errors of relative excess, (G, n).

    None where a domain has no values without each chunk, or other chunks.
    """
    at_k = [record.best_of_k for record in records]
    chunks = [np.zeros(0) if best is None or len(best.deleted) < 2 else best.members for best in at_k]
    if chunks[0].size < 2 or not all(np.array_equal(chunk, chunks[0]) for chunk in chunks):
        return None
    named = {str(i): record for i, record in enumerate(records)}
    parts = jackknife.influences(*complexity.shared(named, "relative_excess"))
    return parts if np.isfinite(parts).all() else None


def complexity_error(record: Complexity) -> float | None:
    """Return the standard error of a complexity; None where it has no interval."""
    if record.estimate.interval is None:
        return None
    if record.best_of_k is None or record.estimator == "minimum":
        return float(record.replicates.std())
    error = complexity.standard_error(record.best_of_k, "mccp_k")
    return None if error is None else error.se


def pair_table(records: Mapping[tuple[str, ...], Dissimilarity], note: str = "") -> Table:
    """Return one row per pair: its areas, the signed one's error, and what it is made of where that was measured."""
    rows = []
    for names, record in records.items():
        parts: list[Part | None] = [None if record.parts is None else getattr(record.parts, name) for name in PARTS]
        own = None if parts[2] is None else parts[2].own
        error = (None, None) if own is None else (own.se, _finite(own.df))
        areas = (*(names or (None, None)), *cells(record.plain, record.signed), *_area_error(record))
        made_of = cells(record.corrected, *(None if part is None else part.estimate for part in parts))
        about = (record.paired, record.square, record.crosses, *made_of, *error)
        rows.append((*areas, *about, record.n, record.n_failed, note))
    return Table.of(_PAIRS, rows)


def _area_error(record: Dissimilarity) -> tuple[Cell, ...]:
    """Return the error of a signed area: whole, of the pair's own trainings, of the ends that its domains share."""
    e = record.error
    if e is None:
        return (None,) * 6
    own = (e.se_inner, e.df_inner, e.end_a, e.end_b) if e.shared else (e.se, e.df, 0.0, 0.0)
    return (e.se, _finite(e.df), own[0], _finite(own[1]), *own[2:])


def _finite(df: float) -> float | None:
    """Return degrees of freedom; nothing where the error is known."""
    return df if np.isfinite(df) else None


SIMILARITIES = (
    *("a", "b", "similarity", "low", "high", "pieces", "absolute", "sufficient", "verdict", "at"),
    *("v_a", "v_b", "v_ab", "easier", "separation", "repetitions", "failed", "note"),
)


def similarity_table(pairs: Mapping[tuple[str, ...], Similarity]) -> Table:
    """Return one row per pair; S is empty where it is undetermined or undefined, ``note`` says why."""
    return Table.of(SIMILARITIES, [similarity_row(pair, record) for pair, record in pairs.items()])


def similarity_row(names: tuple[str, ...], pair: Similarity) -> tuple[Cell, ...]:
    """Return the cells of a pair; one without names has the easier test by its place, a or b."""
    low, high = pair.interval or (None, None)
    apart = pair.separation if pair.separation is not None and np.isfinite(pair.separation) else None
    easier = None if pair.self_pair else (names or "ab")[pair.swapped]
    return (
        *(names or (None, None)),
        *(pair.value, low, high, len(pair.segments), pair.absolute, pair.sufficient, pair.verdict, pair.at),
        *(pair.v_a.value, pair.v_b.value, pair.v_ab.value, easier, apart, pair.n, pair.n_failed),
        pair.note or None,
    )
