"""What the verbs print: one JSON object, or a table for a person."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import click
from rich.box import HEAVY_HEAD, SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from aiq.records.table import Shown, words


def emit_json(record: Mapping[str, Any]) -> None:
    """Print one JSON object and nothing else; numbers that are not finite become null."""
    click.echo(json.dumps(_plain(record), indent=2, allow_nan=False))


def _plain(value: Any) -> Any:
    """Return what JSON can hold."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, str | bool) or value is None:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int):
        return value
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return [_plain(item) for item in value]


WIDTH = 80
"""Columns of a usual terminal."""


def emit_table(
    columns: Sequence[str], rows: Sequence[Sequence[object]], title: str | None = None, width: int | None = None
) -> None:
    """Print a table; text left, numbers right; never cut off, folded on a terminal, whole elsewhere.

    With a ``width`` it is bare and takes so many columns at most, wherever it is printed.
    """
    table = Table(title=title, title_justify="left", header_style="bold", box=SIMPLE_HEAD if width else HEAVY_HEAD)
    if width:
        table.show_edge, table.padding = False, (0, 1, 0, 0)
    for place, column in enumerate(columns):
        numeric = all(not isinstance(row[place], str) for row in rows)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(escape(show(cell)) for cell in row))
    console = Console(highlight=False)
    if width or not console.is_terminal:
        console = Console(highlight=False, width=width or 200)
    console.print(table)


def emit_shown(shown: Shown) -> None:
    """Print a table for a person and the sentences beside it, one a line."""
    emit_table(shown.columns, shown.rows, title=shown.title or None)
    for sentence in shown.sentences:
        click.echo(sentence)


show = words
