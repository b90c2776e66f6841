"""Draw the picture of the README from a finished suite: how hard its tests are, how different, and the agents' scores.

Run ``python docs/images/make_overview.py results/quickstart``; ``overview.png`` is written beside this file.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

BLUE, ORANGE = "#0072b2", "#d55e00"


def bars(axes: Axes, table: pd.DataFrame, column: str) -> None:
    """Draw a dot with its interval per row, the first row on top."""
    places = np.arange(len(table))[::-1]
    ends = table[[f"{column}_low", f"{column}_high"]].to_numpy().T
    axes.hlines(places, *ends, color=BLUE, linewidth=3, alpha=0.35, label="95 % interval")
    axes.plot(table[column], places, "o", color=BLUE)
    axes.set(xlim=(-0.03, 1.03), ylim=(-0.7, len(table) - 0.3), yticks=places)
    axes.grid(axis="x", color="#dddddd")
    axes.set_axisbelow(True)


def hard(axes: Axes, complexity: pd.DataFrame) -> None:
    """Draw the relative excess of every test."""
    bars(axes, complexity, "relative_excess")
    axes.set_yticklabels(complexity["domain"])
    axes.set(title="1  How hard is each test?", xlabel="relative excess\n0: any network solves it, 1: none does")
    axes.legend(loc="lower right", frameon=False)


def different(axes: Axes, dissimilarity: pd.DataFrame, domains: list[str]) -> None:
    """Draw the signed dissimilarity of every pair, in thousandths."""
    matrix = pd.DataFrame(np.nan, index=domains, columns=domains)
    for a, b, value in dissimilarity[["a", "b", "signed"]].itertuples(index=False):
        matrix.loc[a, b] = matrix.loc[b, a] = 1000 * value
    values = matrix.to_numpy(copy=True)
    values[np.triu_indices_from(values, 1)] = np.nan
    axes.imshow(values, cmap="Blues", vmin=0)
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            colour = "white" if value > 0.6 * np.nanmax(values) else "black"
            axes.text(column, row, f"{round(value)}".replace("-", "−"), ha="center", va="center", color=colour)
    places = range(len(domains))
    axes.set(xticks=places, yticks=places, xlabel="performance lost by learning both,\nin thousandths")
    axes.set_xticklabels(domains, rotation=40, ha="right")
    axes.set_yticklabels(domains)
    axes.set_title("2  How different are two tests?")
    axes.spines[:].set_visible(False)


def scores(axes: Axes, agents: pd.DataFrame) -> None:
    """Draw the agents' values with their intervals, and the plain mean beside."""
    column = "value" if "value" in agents else "per_dimension"
    bars(axes, agents, column)
    axes.plot(agents["mean"], np.arange(len(agents))[::-1], "D", color=ORANGE, fillstyle="none", label="plain mean")
    axes.set_yticklabels(agents["agent"])
    name = "value over independent skills" if column == "value" else "AIQ per dimension"
    axes.set(
        title="3  How much of it does each agent reach?", xlabel=f"{name}\n0: fails every test, 1: solves every test"
    )
    axes.legend(loc="upper left", frameon=False)


def main(results: Path) -> None:
    """Read the tables of a results folder and draw the three panels."""
    complexity = pd.read_csv(results / "tables" / "complexity.csv").sort_values("relative_excess", ascending=False)
    dissimilarity = pd.read_csv(results / "tables" / "dissimilarity.csv")
    agents = pd.read_csv(results / "tables" / "agents.csv")
    figure, panels = plt.subplots(1, 3, figsize=(15, 4.6), layout="constrained")
    hard(panels[0], complexity)
    different(panels[1], dissimilarity, list(complexity["domain"]))
    scores(panels[2], agents)
    figure.savefig(Path(__file__).with_name("overview.png"), dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
