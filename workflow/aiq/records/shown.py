"""What a person is shown of a result: one table, and the sentences that must stand beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shown:
    """A table for people, on the screen and in a notebook.

    ``rows`` hold one cell a column: texts, numbers, intervals (pairs of numbers), or None where there is nothing;
    ``sentences`` say what the numbers mean and what they cannot tell.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]
    sentences: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse ragged rows."""
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"row {row} does not fit the columns {self.columns}")


def words(cell: object) -> str:
    """Return a cell as text: four significant digits, intervals in brackets, a dash where there is nothing or NaN."""
    if cell is None or any(isinstance(one, float) and math.isnan(one) for one in _parts(cell)):
        return "–"
    if isinstance(cell, float):
        return f"{cell:.4g}"
    if isinstance(cell, tuple | list) and len(cell) == 2 and all(isinstance(part, float) for part in cell):
        return f"[{cell[0]:.3g}, {cell[1]:.3g}]"
    return str(cell)


def _parts(cell: object) -> tuple[object, ...]:
    """Return both ends of an interval, or the cell itself."""
    return tuple(cell) if isinstance(cell, tuple | list) else (cell,)


def counted(number: int, what: str) -> str:
    """Return how many there are of what stands in the singular: 1 agent, 2 agents."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def warned(sentences: tuple[str, ...]) -> tuple[str, ...]:
    """Return sentences marked as warnings."""
    return tuple(f"warning: {sentence}" for sentence in sentences)
