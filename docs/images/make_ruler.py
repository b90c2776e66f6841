"""Draw the ruler of the study of kinship: relative dissimilarity against the share of pixels that changed places.

Run ``python docs/images/make_ruler.py``; it reads ``studies/results/kinship.csv``.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt

ROOT = Path(__file__).resolve().parents[2]
MARKS = "os^Dv"


def main() -> None:
    """Write ``docs/images/ruler.png``."""
    rows = pd.read_csv(ROOT / "studies" / "results" / "kinship.csv")
    rows = rows[(rows["part"] == "ruler") & rows["moved"].notna()].sort_values("moved")
    figure, axes = plt.subplots(figsize=(5.2, 3.4), layout="constrained")
    for k, (budget, one) in enumerate(rows.groupby("suite", sort=False)):
        x = one["moved"] + 0.008 * (k - 2)
        around = [one["rho"] - one["low"], one["high"] - one["rho"]]
        axes.errorbar(x, one["rho"], around, marker=MARKS[k], markersize=4, capsize=2, linewidth=1, label=budget)
    for level, words in ((0, "not told apart"), (1, "unrelated")):
        axes.axhline(level, color="0.6", linewidth=0.8, linestyle="--", zorder=0)
        axes.annotate(words, (1.03, level), color="0.4", fontsize=8, va="bottom", ha="right")
    axes.set(xlabel="share of pixels that changed places", ylabel="relative dissimilarity ρ")
    axes.legend(fontsize=8, frameon=False, loc="upper left")
    figure.savefig(ROOT / "docs" / "images" / "ruler.png", dpi=110)


if __name__ == "__main__":
    main()
