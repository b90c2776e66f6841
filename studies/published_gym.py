"""The public table of the 2020 Gym suite against the noise of a uniformly random policy.

    python studies/published_gym.py [--quick] [--output FOLDER]

Writes ``published_gym.csv`` (every pair under every variant of the recipe) and ``published_gym.md``: what a random
policy earns in each environment, exactly and as the public program counts it, and where each printed |S| lies among
simulated ones.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from aiq.wings.similarity2020 import gym_suite
from aiq.wings.similarity2020.gym_suite import dynamics, play
from studies.gym_noise import AGENT, comparison, expected, heat_map

Row = dict[str, object]
VARIANTS = {
    "20,000 steps, clamp": (20_000, "clamp"),
    "10,000 steps, clamp": (10_000, "clamp"),
    "100,000 steps, clamp": (100_000, "clamp"),
    "20,000 steps, random": (20_000, "random"),
}


def environment(name: str, count: int) -> Row:
    """Return what a uniformly random policy earns in one environment, with Monte Carlo standard errors."""
    test = gym_suite.SUITE[name]
    policy = gym_suite.weights(test.actions)
    played = play(dynamics(test), policy, test.horizon, count, np.random.default_rng(1))
    exact = expected(gym_suite.transitions(test), policy, test.horizon) if test.tabled else None
    best = gym_suite.optimal(gym_suite.transitions(test), test.horizon) if test.tabled else None
    return {
        "variant": "environment",
        "a": name,
        "exact": None if exact is None else exact.mean,
        "simulated": float(played.total.mean()),
        "error": float(played.total.std() / math.sqrt(count)),
        "length": float(played.length.mean()),
        "counted": float(played.doubled.mean()),
        "counted_error": float(played.doubled.std() / math.sqrt(count)),
        "performance": float(np.mean([test.performance(float(total)) for total in played.total])),
        "best": best,
    }


def run(quick: bool = False) -> list[Row]:
    """Return the rows; ``quick`` takes about twenty seconds, the whole about three minutes of one core."""
    rows = [environment(name, 500 if quick else 5000) for name in gym_suite.SUITE]
    for variant, (steps, surplus) in list(VARIANTS.items())[: 1 if quick else None]:
        runs = 50 if quick else 200 if steps > 20_000 else 1000
        agent = AGENT.model_copy(update={"steps": steps, "episodes": 500 if quick else 5000})
        table = comparison(heat_map(runs, 0, agent, surplus))
        rows += [{"variant": variant, "runs": runs, **dict(zip(table.columns, row, strict=True))} for row in table.rows]
    return rows


def page(rows: Sequence[Row]) -> str:
    """Return the tables as Markdown."""
    lines = [
        "# The public table of the Gym suite, and a random policy's noise",
        "",
        f"{datetime.date.today()}, `python studies/published_gym.py`.",
        "",
        "## What a uniformly random policy earns",
        "",
        "`exact` by dynamic programming over Gymnasium's tables, `counted` as the public program counts (the last "
        "reward replaced by the total, cut to ±200), `performance` on the suite's range, `best` by value iteration.",
        "",
    ]
    lines += _markdown([row for row in rows if row["variant"] == "environment"], skip=("variant",))
    for variant in dict.fromkeys(row["variant"] for row in rows if row["variant"] != "environment"):
        chosen = [row for row in rows if row["variant"] == variant]
        outside = [f"{row['a']} with {row['b']}" for row in chosen if row["outside"]]
        pairs = np.array([[row["printed"], row["mean"]] for row in chosen], dtype=np.float64)
        lines += [
            "",
            f"## {variant}",
            "",
            f"{chosen[0]['runs']} simulated tables. {len(outside)} of {len(chosen)} printed values lie outside the "
            f"range of 95 % ({0.05 * len(chosen):.1f} expected): {'; '.join(outside) or 'none'}. Correlation of the "
            f"printed values with the simulated means {np.corrcoef(pairs.T)[0, 1]:.2f}; means {pairs[:, 0].mean():.3f} "
            f"and {pairs[:, 1].mean():.3f}.",
            "",
        ]
        if variant == next(iter(VARIANTS)):
            lines += _markdown(chosen, skip=("variant", "runs"))
    return "\n".join([*lines, ""])


def _markdown(rows: Sequence[Row], skip: Sequence[str]) -> list[str]:
    """Return a table."""
    names = [name for name in rows[0] if name not in skip]
    lines = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    return lines + [f"| {' | '.join(_cell(row[name]) for name in names)} |" for row in rows]


def _cell(value: object) -> str:
    """Return a cell as text."""
    if value is None:
        return "–"
    return f"{value:,.3f}" if isinstance(value, float) else str(value)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study and write its files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few episodes and tables, one variant")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results")
    chosen = parser.parse_args(arguments)
    rows = run(chosen.quick)
    chosen.output.mkdir(parents=True, exist_ok=True)
    with (chosen.output / "published_gym.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    (chosen.output / "published_gym.md").write_text(page(rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
