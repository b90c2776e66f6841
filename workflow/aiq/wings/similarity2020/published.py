"""Every published number beside the run's, with an interval."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from aiq.measures import similarity
from aiq.records.estimate import Estimate
from aiq.records.table import Cell, Table
from aiq.wings.similarity2020.records import MergedPair
from aiq.wings.similarity2020.reduction import Run, SimilarityResult
from aiq.wings.similarity2020.settings import PublishedValues

Pair = tuple[str, str]
COLUMNS = ("quantity", "test", "published", "ours", "low", "high", "inside", "trainings", "note")


def published_similarity(values: PublishedValues | None) -> dict[Pair, float]:
    """Return the printed similarities by pair."""
    found: dict[Pair, float] = {}
    for pair, value in (values.similarity if values is not None else {}).items():
        a, b = pair.split("+")
        found[a, b] = value
    return found


def published_table(run: Run, found: SimilarityResult) -> Table:
    """Return one row a published number: V of tests alone, S of pairs, and V_AB that both imply.

    ``inside``: whether the published number lies in our interval; where numbers come from single runs (the published
    recipe), whether it lies in the range of 95 % of such runs. It says that the numbers agree, not why.
    """
    c = run.configuration
    if c.published is None:
        return Table.of(COLUMNS, [])
    first = c.halvings[0]
    alone = {p.a: p.performance for p in found.performances if p.kind == "alone" and p.halvings == first}
    rows = [_row("V alone", name, value, alone[name]) for name, value in c.published.performance.items()]
    pairs = {frozenset((p.a, p.b)): p for p in found.pairs if p.halvings == first and p.merge == c.merges[0]}
    for pair, value in published_similarity(c.published).items():
        ours = pairs.get(frozenset(pair))
        name = " – ".join(pair)
        if ours is None:
            note = "self-pair: 0/0, undefined" if pair[0] == pair[1] else "not measured"
            rows.append(("S", name, value, None, None, None, None, None, note))
            continue
        rows.append(_similarity(name, value, ours, c.published.absolute))
        rows += _implied(name, pair, value, ours, c.published)
    return Table.of(COLUMNS, rows)


def _row(quantity: str, name: str, value: float, ours: Estimate) -> tuple[Cell, ...]:
    low, high = ours.interval or (None, None)
    inside = None if low is None or high is None else bool(low <= value <= high)
    note = "" if low is not None else "no interval: fewer than 2 trainings"
    return (quantity, name, value, ours.value, low, high, inside, ours.n, note or None)


def _similarity(name: str, value: float, ours: MergedPair, absolute: bool) -> tuple[Cell, ...]:
    """Return the cells of a similarity; |S| of single runs, where the printed number is one run of a program."""
    found, single = ours.similarity, ours.single[np.isfinite(ours.single)]
    if absolute and single.size > 1:
        low, high = (float(end) for end in np.quantile(single, [0.025, 0.975]))
        inside = bool(low - 0.005 <= value <= high + 0.005)
        note = "mean and range of 95 % of single runs" + (f"; {found.note}" if found.note else "")
        return ("|S| of one run", name, value, float(single.mean()), low, high, inside, int(single.size), note)
    low, high = found.interval or (None, None)  # type: ignore[assignment]
    covered = any(start <= value <= end for start, end in found.segments) if found.segments else None
    pieces = "; the set has two pieces" if len(found.segments) > 1 else ""
    note = (found.note + pieces).strip("; ") or f"sufficient: {found.verdict}"
    return ("S", name, value, found.value, low, high, covered, found.n, note)


def _implied(
    name: str, pair: Pair, value: float, ours: MergedPair, published: PublishedValues
) -> list[tuple[Cell, ...]]:
    """Return the row of V_AB that a published S and both published V imply, where they do."""
    known: Mapping[str, float] = published.performance
    if published.absolute or any(one not in known for one in pair):
        return []
    implied = float(similarity.implied(known[pair[0]], known[pair[1]], value))
    return [_row("V_AB implied by S", name, implied, ours.similarity.v_ab)]
