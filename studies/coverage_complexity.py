"""Coverage of the intervals of MCCP@k, base, excess and relative excess on pools with known truth.

    python studies/coverage_complexity.py [--quick]

Networks are drawn as a run draws them (1 to 3 layers of 1 to 32 nodes, 64 inputs, 10 outputs; log2 of the parameters).
A policy of size s reaches a performance by one of two models of luck: *bounded*, a rising function of s times a factor
between .6 and 1; *unbounded*, the logistic of s plus normal luck, so that any network may reach anything. Policies of
a chunk share a part of their luck. The truth is the mean over large pools.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import itertools
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aiq.measures import complexity
from aiq.records.complexity import QUANTITIES

Floats = npt.NDArray[np.float64]
Row = dict[str, str | int | float]

FEATURES, OUTPUTS, LAYERS, WIDTH, K = 64, 10, 3, 32, 16
LARGEST = float(np.log2((FEATURES + 1) * WIDTH + (LAYERS - 1) * (WIDTH + 1) * WIDTH + (WIDTH + 1) * OUTPUTS))
RESULTS = Path(__file__).parent / "results"
HARDNESS = (5.0, 8.0, 11.0)
POOLS = ((64, 1), (64, 8), (64, 16), (128, 8), (256, 1), (256, 16))


def sizes(rng: np.random.Generator, n: int) -> Floats:
    """Return log2 of the parameters of n networks drawn at random."""
    depth, width = rng.integers(1, LAYERS + 1, n), rng.integers(1, WIDTH + 1, (n, LAYERS))
    total, last = (FEATURES + 1) * width[:, 0], width[:, 0]
    for layer in range(1, LAYERS):
        total = total + np.where(depth > layer, (last + 1) * width[:, layer], 0)
        last = np.where(depth > layer, width[:, layer], last)
    return np.log2(total + (last + 1) * OUTPUTS)


def pool(
    rng: np.random.Generator, n: int, chunk: int, luck: str, hardness: float
) -> tuple[Floats, Floats, npt.NDArray[np.int64]]:
    """Return performance, size and chunk of n policies; ``hardness`` is the size that gets half way."""
    size, label = sizes(rng, n), np.arange(n) // chunk
    shared = rng.normal(0, 0.3, n // chunk)[label] if chunk > 1 else np.zeros(n)
    if luck == "bounded":
        reached = rng.uniform(0.6, 1, n) / (1 + np.exp(-1.2 * (size - hardness + shared)))
    else:
        reached = 1 / (1 + np.exp(-0.8 * (size - hardness + shared) - rng.normal(0, 1.2, n)))
    return reached, size, label


def cell(
    luck: str, hardness: float, n: int, chunk: int, fill: str, pools: int = 400, truth_pools: int = 40
) -> dict[str, dict[str, float]]:
    """Return truth, bias, spread, error of the truth, coverage and median width of each number in one setting."""
    how = {"fill": fill, "largest": LARGEST, "k": K, "resamples": 0}
    truth_rng = np.random.default_rng([1, int(hardness), chunk])
    large = np.array(
        [complexity.measure(*pool(truth_rng, 16_384, chunk, luck, hardness)[:2], **how).best_of_k.values
         for _ in range(truth_pools)]
    )  # fmt: skip
    truth, doubt = large.mean(axis=0), large.std(axis=0, ddof=1) / np.sqrt(truth_pools)
    rng = np.random.default_rng([2, int(hardness), n, chunk])
    values, low, high = (np.full((pools, len(QUANTITIES)), np.nan) for _ in range(3))
    for i in range(pools):
        reached, size, label = pool(rng, n, chunk, luck, hardness)
        found = complexity.measure(reached, size, chunk=label, **how).best_of_k
        values[i] = found.values
        for j, estimate in enumerate((found.estimate, found.base, found.excess, found.relative_excess)):
            low[i, j], high[i, j] = estimate.interval or (np.nan, np.nan)
    covered = (low <= truth) & (truth <= high)
    return {
        name: {
            "truth": float(truth[j]),
            "doubt": float(doubt[j]),
            "bias": float(values[:, j].mean() - truth[j]),
            "spread": float(values[:, j].std(ddof=1)),
            "coverage": float(covered[:, j].mean()),
            "width": float(np.nanmedian(high[:, j] - low[:, j])),
            "without_interval": int(np.isnan(low[:, j]).sum()),
        }
        for j, name in enumerate(QUANTITIES)
    }


def run(quick: bool = False) -> list[Row]:
    """Return one row a number and setting; ``quick``: fewer pools and settings, for a look."""
    pools, truth_pools = (60, 8) if quick else (400, 40)
    settings = [("bounded", 8.0, 64, 1, "largest"), ("unbounded", 11.0, 64, 16, "largest")]
    if not quick:
        settings = [
            (luck, hardness, n, chunk, fill)
            for luck, hardness, (n, chunk) in itertools.product(("bounded", "unbounded"), HARDNESS, POOLS)
            for fill in (("largest", "linear") if chunk == 16 else ("largest",))
        ]
    rows: list[Row] = []
    for luck, hardness, n, chunk, fill in settings:
        for name, found in cell(luck, hardness, n, chunk, fill, pools, truth_pools).items():
            error = float(np.sqrt(max(found["coverage"] * (1 - found["coverage"]), 0.25 / pools) / pools))
            rows.append(
                {"luck": luck, "hardness": hardness, "policies": n, "chunk": chunk, "fill": fill, "number": name,
                 "pools": pools, **found, "bias_over_spread": found["bias"] / found["spread"],
                 "coverage_error": error}
            )  # fmt: skip
    return rows


def table(rows: Sequence[Row]) -> str:
    """Return the coverages as a table of Markdown: one line a setting, one column a number."""
    lines = ["| luck | half way at | pool | chunk | fill | " + " | ".join(QUANTITIES) + " |", "|---" * 9 + "|"]
    keys = ("luck", "hardness", "policies", "chunk", "fill")
    for setting, group in itertools.groupby(rows, key=lambda row: tuple(row[key] for key in keys)):
        cells = [f"{row['coverage']:.3f} ({row['bias_over_spread']:+.2f})" for row in group]
        lines.append("| " + " | ".join([*(str(part) for part in setting), *cells]) + " |")
    return "\n".join(lines)


def main() -> None:
    """Write the table as CSV and as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer pools and settings")
    quick, begun = parser.parse_args().quick, time.perf_counter()
    rows = run(quick)
    minutes = (time.perf_counter() - begun) / 60
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "complexity.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    (RESULTS / "complexity.md").write_text(markdown(rows, 60 * minutes), encoding="utf-8")


def markdown(rows: Sequence[Row], seconds: float) -> str:
    """Return the page."""
    worst = max(float(row["coverage_error"]) for row in rows)
    return (
        f"# Coverage of the intervals of complexity\n\n{datetime.date.today()}, {seconds / 60:.1f} minutes on one "
        f"core, {rows[0]['pools']} pools a setting, k = {K}. Each cell: share of nominal 95 % intervals that hold the "
        f"truth (Monte Carlo error at most {worst:.3f}), and in brackets the bias in standard deviations of the "
        f"estimate. The truth is the mean over pools of 16,384. Made by `python studies/coverage_complexity.py`.\n\n"
        f"{table(rows)}\n"
    )


if __name__ == "__main__":
    main()
