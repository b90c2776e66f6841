"""How often the intervals of the 2020 similarity hold the truth, and how often sufficiency is claimed wrongly.

    python studies/coverage_similarity.py [--quick] [--output FOLDER]

Simulated repetitions with known means: V_A - V_B is so many standard errors of the mean, V_AB lies where S has the
true value. ``normal`` noise is the same for all three; ``accuracy`` is the share of right answers among 200, which
differ in their spread; ``skewed`` is a shifted exponential. Compared are Fieller's set (what ``aiq similarity``
prints), the first-order (delta) interval with the same quantile, and the percentile bootstrap of Eq. 3. A mixture
just outside [V_B, V_A] tells how often sufficiency is claimed (probability of .95 or more) where it does not hold.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import stats as distributions

from aiq.measures import similarity

Row = dict[str, object]
Floats = npt.NDArray[np.float64]
NOISES = ("normal", "accuracy", "skewed")
ANSWERS = 200


def draw(noise: str, mean: float, count: int, rng: np.random.Generator) -> Floats:
    """Return repetitions of one performance, in units of the standard deviation of ``normal``."""
    if noise == "normal":
        return rng.normal(mean, 1.0, count)
    if noise == "skewed":
        return mean - 1.0 + rng.exponential(1.0, count)
    size = 1 / math.sqrt(0.25 / ANSWERS)  # a standard deviation of 1 where half the answers are right
    return rng.binomial(ANSWERS, 0.6 + mean / size, count) / ANSWERS * size - 0.6 * size


def merged(gap: float, true: float) -> float:
    """Return V_AB for V_A = gap and V_B = 0 at which Eq. 3 gives ``true`` before it is cut to [-1, 1]."""
    return gap * (1 - true) / 2


def others(a: Floats, b: Floats, m: Floats, rng: np.random.Generator) -> dict[str, tuple[float, float]]:
    """Return the delta interval and the percentile bootstrap interval of S, both cut to [-1, 1]."""
    value = float(similarity.normalised(a.mean(), b.mean(), m.mean()))
    gap = abs(a.mean() - b.mean())
    variances = [group.var(ddof=1) / group.size for group in (a, b, m)]
    error = math.sqrt((1 - value) ** 2 * variances[0] + (1 + value) ** 2 * variances[1] + 4 * variances[2])
    half = float(distributions.t.ppf(0.975, 3 * (a.size - 1))) * error / gap if gap > 0 else math.inf
    means = [group[rng.integers(group.size, size=(400, group.size))].mean(axis=1) for group in (a, b, m)]
    low, high = np.nanquantile(similarity.normalised(*means), [0.025, 0.975])
    return {"delta": (max(-1.0, value - half), min(1.0, value + half)), "bootstrap": (float(low), float(high))}


def coverage(noise: str, repetitions: int, separation: float, true: float, tries: int, paired: bool) -> Row:
    """Return one row: how often each interval holds the truth, and what Fieller's says."""
    rng = np.random.default_rng(
        [NOISES.index(noise), repetitions, round(10 * separation), round(10 * true) + 50, paired]
    )
    gap = separation * math.sqrt(2 / repetitions)
    wanted = min(max(true, -1.0), 1.0)
    hits = dict.fromkeys(("fieller", "delta", "bootstrap"), 0)
    undetermined, widths = 0, []
    for _ in range(tries):
        a, b, m = (draw(noise, mean, repetitions, rng) for mean in (gap, 0.0, merged(gap, true)))
        found = similarity.from_values(a, b, m, paired=paired)
        hits["fieller"] += any(low - 1e-9 <= wanted <= high + 1e-9 for low, high in found.segments)
        for name, (low, high) in others(a, b, m, rng).items():
            hits[name] += low - 1e-9 <= wanted <= high + 1e-9
        undetermined += found.value is None
        widths.append(sum(high - low for low, high in found.segments))
    share = hits["fieller"] / tries
    return {
        "what": "coverage",
        "noise": noise,
        "repetitions": repetitions,
        "paired": paired,
        "separation": separation,
        "true": wanted if true == wanted else f"{wanted:g} (V_AB outside)",
        "tries": tries,
        "fieller": share,
        "error": math.sqrt(max(share * (1 - share), 0.5 / tries) / tries),
        "delta": hits["delta"] / tries,
        "bootstrap": hits["bootstrap"] / tries,
        "undetermined": undetermined / tries,
        "mean_width": float(np.mean(widths)),
    }


def sufficiency(repetitions: int, outside: float, tries: int) -> Row:
    """Return one row: how often sufficiency is claimed and denied; ``outside``: V_AB - V_A in standard errors."""
    rng = np.random.default_rng([99, repetitions, round(10 * outside) + 100])
    gap = 12 * math.sqrt(2 / repetitions)
    mean = gap + outside * math.sqrt(2 / repetitions)
    verdicts = [
        similarity.from_values(*(draw("normal", v, repetitions, rng) for v in (gap, 0.0, mean))).verdict
        for _ in range(tries)
    ]
    share = verdicts.count("yes") / tries
    return {
        "what": "sufficiency",
        "repetitions": repetitions,
        "separation": 12.0,
        "above V_A": outside,
        "tries": tries,
        "claimed": share,
        "denied": verdicts.count("no") / tries,
        "error": math.sqrt(max(share * (1 - share), 0.5 / tries) / tries),
    }


def run(quick: bool = False) -> list[Row]:
    """Return the rows of the study; ``quick`` takes a few seconds, the whole about three minutes of one core."""
    tries = 60 if quick else 1000
    repetitions = (5,) if quick else (3, 5, 10)
    cells = [(r, s, t) for r in repetitions for s in (0.5, 2.0, 4.0, 15.0) for t in (-0.5, 0.0, 0.7, 1.4)]
    rows = [coverage("normal", r, s, t, tries, False) for r, s, t in (cells[::5] if quick else cells)]
    for noise in NOISES[1:]:
        rows += [coverage(noise, r, s, 0.3, tries, False) for r in repetitions for s in (2.0, 6.0)]
    rows += [coverage("normal", r, s, 0.3, tries, True) for r in repetitions for s in (2.0, 15.0)]
    return rows + [sufficiency(r, outside, tries) for r in repetitions for outside in (-4.0, 0.0, 1.0, 4.0)]


def page(rows: Sequence[Mapping[str, object]]) -> str:
    """Return the tables as Markdown."""
    lines = [
        "# Coverage of the similarity's intervals",
        "",
        f"{datetime.date.today()}, `python studies/coverage_similarity.py`. Nominal 95 %. `separation`: true V_A - V_B "
        "in standard errors. `error`: Monte Carlo standard error of the column before it.",
    ]
    for what, title in (
        ("coverage", "How often S lies in the set"),
        ("sufficiency", "Sufficiency by how far V_AB lies above V_A (below 0: inside)"),
    ):
        chosen = [row for row in rows if row["what"] == what]
        names = [name for name in chosen[0] if name != "what"]
        lines += ["", f"## {title}", "", f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
        lines += [f"| {' | '.join(_cell(row[name]) for name in names)} |" for row in chosen]
    normal = [row for row in rows if row["what"] == "coverage"]
    least = min(normal, key=lambda row: float(str(row["fieller"])))
    lines += [
        "",
        f"Least of Fieller's sets: {float(str(least['fieller'])):.3f} ({least['noise']}, {least['repetitions']} "
        f"repetitions, separation {least['separation']}, S = {least['true']}); of the delta intervals "
        f"{min(float(str(row['delta'])) for row in normal):.3f}, of the bootstrap "
        f"{min(float(str(row['bootstrap'])) for row in normal):.3f}.",
        "",
    ]
    return "\n".join(lines)


def _cell(value: object) -> str:
    """Return a cell as text."""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study and write ``similarity.csv`` and ``similarity.md``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a few cells with few tries")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results")
    chosen = parser.parse_args(arguments)
    rows = run(chosen.quick)
    chosen.output.mkdir(parents=True, exist_ok=True)
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with (chosen.output / "similarity.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    (chosen.output / "similarity.md").write_text(page(rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
