"""Runs side by side, as tables."""

from __future__ import annotations

from collections.abc import Sequence

from aiq.records.comparison import Compared, Comparison
from aiq.records.estimate import Estimate
from aiq.records.table import Shown, warned

PAIRED = "paired: over the same policies; independent: over policies of their own; identical: the same trainings"


def comparison(found: Comparison) -> list[Shown]:
    """Return a table of settings, complexities, dissimilarities, dimensions and agents each; sentences with the last.

    Every number stands beside those of the other runs, then how far the later runs are from the first.
    """
    tables = [_settings(found)] if found.settings else []
    tables.append(_numbers("complexity", "domain", found, found.complexity))
    tables.append(_numbers("dissimilarity, signed", "pair", found, found.dissimilarity))
    tables.append(_dimensions(found))
    if found.agents:
        tables.append(_numbers("AIQ per dimension", "agent", found, found.agents))
    last = tables[-1]
    tables[-1] = Shown(last.title, last.columns, last.rows, (*last.sentences, *_sentences(found)))
    return tables


def _settings(found: Comparison) -> Shown:
    rows = tuple((name, *(_told(value) for value in values)) for name, values in found.settings.items())
    return Shown("settings that differ", ("setting", *found.runs), rows)


def _told(value: object) -> str | None:
    """Return a setting as text."""
    return None if value is None else str(value)


def _numbers(title: str, what: str, found: Comparison, compared: Sequence[Compared]) -> Shown:
    """Return one row per quantity."""
    percent, later = f"{found.confidence:.0%}", found.runs[1:]
    columns = [what, *found.runs]
    for run in later:
        columns += [f"{run} − {found.runs[0]}" if len(later) > 1 else "difference", percent, "how"]
    rows = []
    for one in compared:
        cells: list[object] = [" – ".join(one.name), *(_value(one, place) for place in range(len(found.runs)))]
        for difference in one.differences:
            estimate = difference.estimate
            cells += [*_cells(estimate), difference.pairing or None]
        rows.append(tuple(cells))
    return Shown(title, tuple(columns), tuple(rows))


def _value(one: Compared, place: int) -> object:
    """Return a number of a run; of an agent with its rank."""
    estimate = one.values[place]
    if estimate is None:
        return None
    rank = one.ranks[place] if one.ranks else None
    return estimate.value if rank is None else f"{estimate.value:.4g} ({rank}.)"


def _cells(estimate: Estimate | None) -> tuple[object, object]:
    """Return a difference and its interval."""
    return (None, None) if estimate is None else (estimate.value, estimate.interval)


def _dimensions(found: Comparison) -> Shown:
    """Return the number of dimensions of each run."""
    cells = []
    for one in found.dimensions:
        likely = one.probabilities.get(one.kept)
        cells.append(str(one.kept) if likely is None else f"{one.kept} (probability {likely:.2f})")
    return Shown("", ("", *found.runs), (("dimensions", *cells),))


def _sentences(found: Comparison) -> tuple[str, ...]:
    """Return the order of the agents of each run, what the columns mean, and the warnings."""
    orders = [f"{run}: {' > '.join(order)}" for run, order in zip(found.runs, found.orders, strict=True) if order]
    many = sum(
        1
        for one in (*found.complexity, *found.dissimilarity, *found.agents)
        for d in one.differences
        if d.estimate is not None and d.estimate.interval is not None
    )
    missed = many * (1 - found.confidence)
    chance = f"{many} intervals are shown; were nothing different, about {missed:.0f} of them would still miss 0"
    return (*orders, PAIRED, *([chance] if many >= 20 else []), *warned(found.warnings))
