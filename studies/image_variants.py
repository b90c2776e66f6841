"""What a run of config/image-variants.yaml says of families of tests, part by part: docs/runs/image-variants.md.

    python -m studies.image_variants RESULTS

reads the table of dissimilarities of a run and prints the page's table of families.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from studies.everything import by_family, lying, matrix, read

PARTS = ("signed", "starvation", "confusion", "transfer")
DRAWS, ROOT = 20_000, 2025


def report(results: Path) -> list[str]:
    """Return how far tests of one data set lie apart and those of two, by each part, and transfer by data sets."""
    rows = read(results / "tables" / "dissimilarity.csv")
    names = list(dict.fromkeys(row["a"] for row in rows))
    family = [name.split("-")[0] for name in names]
    lines = ["| part | same data set | different | p | nearest is of the same | p |", "|---|---|---|---|---|---|"]
    for part in PARTS:
        found = lying(matrix(rows, names, part), family, DRAWS, np.random.default_rng(ROOT))
        gap = f"{found.within:.4f} | {found.between:.4f} | {found.probability:.4f}"
        lines.append(f"| {part} | {gap} | {found.nearest:.2f} | {found.nearest_probability:.4f} |")
    return [*lines, "", "Transfer:", "", *by_family(matrix(rows, names, "transfer"), family)]


def main() -> None:
    """Print what the page shows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="folder of the run's results")
    print("\n".join(report(parser.parse_args().results)))


if __name__ == "__main__":
    main()
