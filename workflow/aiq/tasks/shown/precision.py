"""The rounds of a suite as a table."""

from __future__ import annotations

from aiq.records.precision import GROWN, Rounds
from aiq.records.table import Shown

WARNING = (
    "rounds stop when a half-width happens to be small, so one at which they stop is on average somewhat too small; "
    "coverage was kept in a study of simulated suites (studies/results/precision.md)"
)
MEANING = "core-hours are those that jobs held (wall time times cores); predicted half-widths are a best case"


def precision(rounds: Rounds) -> list[Shown]:
    """Return the table of rounds, or nothing where there were none."""
    if not rounds.rounds:
        return []
    names = [name for name in GROWN if any(name in one.numbers for one in rounds.rounds)]
    rows: list[tuple[object, ...]] = []
    for place, one in enumerate(rounds.rounds):
        done = one.half is not None
        seen = (one.expected, one.core_hours if done else None, one.predicted, one.half, one.dimensions)
        rows.append(("start" if place == 0 else str(place), *(one.numbers.get(name) for name in names), *seen))
    columns = ("round", *(GROWN[name].split(".")[-1] if name != "agents" else GROWN[name] for name in names),
               "core-hours predicted", "core-hours", "half-width predicted", "half-width", "dimensions")  # fmt: skip
    said = [f"stopped: {rounds.says}"] if rounds.stop else ["rounds go on: aiq run"]
    title = f"precision: half-width {rounds.goal:g}, {rounds.spent:.3g} of {rounds.budget:.3g} core-hours spent"
    return [Shown(title, columns, tuple(rows), (*said, MEANING, WARNING))]
