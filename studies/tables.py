"""Tables of studies: CSV for programs, Markdown for people, and the Monte Carlo error of a share."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def share(right: int, of: int) -> tuple[float, float]:
    """Return a share and its Monte Carlo standard error.

    The error is that of (right + 1) / (of + 2), so that a share of 0 or 1 does not look exact. Both are NaN
    where nothing was counted.
    """
    if of == 0:
        return math.nan, math.nan
    level = (right + 1) / (of + 2)
    return right / of, math.sqrt(level * (1 - level) / (of + 2))


def columns(rows: list[Row]) -> list[str]:
    """Return all columns in the order in which they first occur."""
    return list(dict.fromkeys(column for row in rows for column in row))


def write(folder: Path, name: str, rows: list[Row], page: str) -> None:
    """Write ``NAME.csv`` (six significant digits) and the page ``NAME.md``."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, columns(rows), restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows([{column: _plain(value) for column, value in row.items()} for row in rows])
    (folder / f"{name}.md").write_text(page.strip() + "\n")


def markdown(rows: list[Row]) -> str:
    """Return rows as a Markdown table; a column ``x`` with a column ``x_error`` is shown as one, x ± error."""
    shown = [column for column in columns(rows) if not column.endswith("_error")]
    right = [any(isinstance(row.get(column), int | float) for row in rows) for column in shown]
    lines = [
        "| " + " | ".join(column.replace("_", " ") for column in shown) + " |",
        "|" + "|".join("---:" if at_right else "---" for at_right in right) + "|",
    ]
    lines += ["| " + " | ".join(_cell(row, column) for column in shown) + " |" for row in rows]
    return "\n".join(lines)


def _cell(row: Row, column: str) -> str:
    """Return one cell in words."""
    value, error = row.get(column), row.get(f"{column}_error")
    return _short(value) + (f" ± {_short(error)}" if error is not None and _short(value) != "–" else "")


def _short(value: Any) -> str:
    """Return a value in few characters."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"
    return str(value).replace("|", "/")


def _plain(value: Any) -> Any:
    """Return a value for CSV: six significant digits, empty where there is none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.6g}" if isinstance(value, float) else value
