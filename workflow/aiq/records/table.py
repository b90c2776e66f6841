"""A table as it is written to CSV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Cell = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns and rows of cells; every row has one cell a column."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __post_init__(self) -> None:
        """Refuse ragged rows and columns of one name."""
        if len(set(self.columns)) != len(self.columns):
            raise ValueError(f"columns {self.columns} are not unique")
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"row {row} does not fit the columns {self.columns}")

    @classmethod
    def of(cls, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Table:
        """Build a table from any sequences."""
        return cls(tuple(columns), tuple(tuple(row) for row in rows))

    def column(self, name: str) -> list[Cell]:
        """Return one column by name.

        Raises:
            ValueError: there is no such column.
        """
        if name not in self.columns:
            raise ValueError(f"a table of {', '.join(self.columns)} has no column {name!r}")
        place = self.columns.index(name)
        return [row[place] for row in self.rows]
