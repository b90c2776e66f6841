"""A table of complexities: the numbers, and what they cannot tell."""

from __future__ import annotations

from collections.abc import Mapping

from aiq.records.best_of_k import USUAL_K
from aiq.records.complexity import Complexity
from aiq.records.table import Shown


def complexities(found: Mapping[str, Complexity], *, usual: bool = False) -> Shown:
    """Return one row per domain and the notes; ``usual`` where no k was asked for."""
    first = next(iter(found.values()))
    k = next((c.best_of_k.k for c in found.values() if c.best_of_k), None)
    percent = f"{first.estimate.confidence:.0%}"
    columns = ["domain", "minimum", "trials"]
    if k is not None:
        columns = ["domain", f"MCCP@{k}", percent, "base", "excess", percent, "relative", percent, *columns[1:]]
    if first.estimator == "minimum":
        columns.insert(columns.index("minimum") + 1, percent)
    rows = tuple(_row(name, c, first.estimator, k is not None) for name, c in found.items())
    notes = [*_general(first, k, usual), *(s for item in found.items() for s in _notes(*item))]
    return Shown("complexity", tuple(columns), rows, tuple(notes))


def _row(name: str, c: Complexity, estimator: str, with_k: bool) -> tuple[object, ...]:
    """Return one domain's cells."""
    cells: list[object] = [name or "–"]
    b = c.best_of_k
    if with_k and b is not None:
        cells += [b.estimate.value, b.estimate.interval, b.base.value, b.excess.value, b.excess.interval]
        cells += [b.relative_excess.value, b.relative_excess.interval]
    elif with_k:
        cells += [None] * 7
    cells.append(c.minimum)
    cells += [c.estimate.interval] if estimator == "minimum" else []
    return (*cells, c.n_trials + c.n_failed)


def _general(c: Complexity, k: int | None, usual: bool) -> list[str]:
    """Return the notes that hold for all rows."""
    notes = []
    if c.estimator == "minimum":
        notes.append(
            "the minimum falls as trials are added, whatever the domain; its interval does not cover what more trials "
            "would give"
        )
    elif usual and k is not None and k < USUAL_K:
        notes.append(f"k is {k} instead of {USUAL_K}, as there are few trials; compare with values at the same k alone")
    if c.best_of_k is not None and c.best_of_k.caution:
        notes.append(c.best_of_k.caution)
    return notes


def _notes(name: str, c: Complexity) -> list[str]:
    """Return what the numbers of one domain cannot tell."""
    called, b = f"{name}: " if name else "", c.best_of_k
    notes = []
    if c.mostly_extrapolated:
        what = "a straight line" if c.estimator == "minimum" or (b and b.fill == "linear") else "the largest policy"
        notes.append(f"{called}more than half of the complexity is filled with {what}: no policy was found there")
    method = c.estimate.method.partition("; ")[2]
    if c.estimate.interval is None:
        notes.append(f"{called}{method}")
    elif b is not None and c.estimator == "best_of_k":
        missing = [word for word, e in (("excess", b.excess), ("relative", b.relative_excess)) if e.interval is None]
        if missing:
            notes.append(f"{called}no interval of {' and '.join(missing)}: leaving out any trial changes nothing")
    return notes
