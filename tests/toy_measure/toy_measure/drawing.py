"""The picture of the means."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.figure import Figure

from aiq.figures import Drawing
from aiq.records.table import Table


def means(tables: Mapping[str, Table]) -> Drawing:
    """Draw the mean of every die with its interval."""
    table = tables["means"]
    figure = Figure(figsize=(4, 3))
    axes = figure.add_subplot()
    names, middle = table.column("die"), table.column("mean")
    low, high = table.column("low"), table.column("high")
    axes.errorbar(names, middle, [[m - a for m, a in zip(middle, low, strict=True)],
                                  [b - m for m, b in zip(middle, high, strict=True)]], fmt="o")  # fmt: skip
    axes.set_ylabel("mean (points)")
    return Drawing(figure, table, "The mean of every die with its 95 % interval.", "Means of dice")


FIGURES = {"dice-means": means}
