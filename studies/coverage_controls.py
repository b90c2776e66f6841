"""What the intervals of starvation and transfer cover with fewer controls than mixtures, and how much wider they are.

The pairs of ``coverage_dissimilarity``, with ends of domains, and of their controls all or the first few: the same
trainings otherwise. Confusion has no control in it.
"""

from __future__ import annotations

import numpy as np

from aiq import seeding
from aiq.measures import dissimilarity
from aiq.records.dissimilarity import Alone
from studies.cells import Cells, Row
from studies.coverage_dissimilarity import NOISES, P, part_areas, part_trainings
from studies.tables import share

PARTS = ("starvation", "transfer")
PAIRS = ("two domains", "self-pair")
COUNTS = ((3, 2), (5, 3), (10, 6))
"""Trainings of a mixture, and those of a control among them that are kept."""


def tried(noise: str, kind: str, repetitions: int, kept: int, count: int) -> list[Row]:
    """Return a row a part: coverage with all controls and with some, and how many times as wide intervals get."""
    rng = seeding.generator(2026, "coverage", "controls", noise, repetitions, kind)
    truth = part_areas()
    held = {(part, number): 0 for part in PARTS for number in (repetitions, kept)}
    widths: dict[tuple[str, int], list[float]] = {key: [] for key in held}
    for _ in range(count):
        curves, trained = part_trainings(rng, noise, repetitions, "domain", kind)
        for number in (repetitions, kept):
            some = [Alone(one.shares, one.performance[:number]) for one in trained["alone"]]
            parts = dissimilarity.decompose(P, curves, **{**trained, "alone": some})
            for part in PARTS:
                low, high = getattr(parts, part).estimate.interval
                held[part, number] += int(low <= truth[part] <= high)
                widths[part, number].append(high - low)
    rows = []
    for part in PARTS:
        (full, full_error), (few, few_error) = (share(held[part, n], count) for n in (repetitions, kept))
        wider = float(np.mean(widths[part, kept]) / np.mean(widths[part, repetitions]))
        rows.append({"part": part, "repetitions": repetitions, "controls": kept, "noise": noise, "pair": kind,
                     "pairs": count, "all": full, "all_error": full_error, "covered": few, "covered_error": few_error,
                     "times as wide": wider})  # fmt: skip
    return rows


def run(quick: bool, cells: Cells | None = None) -> list[Row]:
    """Return the rows of every number of repetitions, noise and kind of pair.

    Args:
        quick: 3 of 5 controls and 60 pairs.
        cells: what was finished before.
    """
    cells = cells or Cells(None, "", lambda line: None)
    counts, pairs = (((5, 3),), 60) if quick else (COUNTS, 500)
    rows: list[Row] = []
    for repetitions, kept in counts:
        for noise in NOISES:
            for kind in PAIRS:
                key = {"repetitions": repetitions, "controls": kept, "noise": noise, "pair": kind, "pairs": pairs}
                rows += cells.of(key, lambda r=repetitions, k=kept, n=noise, d=kind: tried(n, d, r, k, pairs))
    return sorted(rows, key=lambda row: (row["part"], row["repetitions"]))


def NOTES(rows: list[Row]) -> str:  # noqa: N802
    """Return the means over all noises and kinds of pairs."""
    lines = [
        "`all`: coverage with as many controls as repetitions; `covered`: with those of the column `controls`.",
        "",
    ]
    for part in PARTS:
        for repetitions, kept in dict.fromkeys((row["repetitions"], row["controls"]) for row in rows):
            own = [row for row in rows if (row["part"], row["repetitions"]) == (part, repetitions)]
            covered, wider = (np.mean([row[name] for row in own]) for name in ("covered", "times as wide"))
            error = np.sqrt(np.sum([row["covered_error"] ** 2 for row in own])) / len(own)
            lines.append(
                f"- {part}, {kept} of {repetitions} controls: covered in {covered:.3f} ± {error:.3f} on average, "
                f"intervals {wider:.2f} times as wide."
            )
    return "\n".join(lines)
