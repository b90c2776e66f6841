"""What the intervals of dissimilarities cover, by simulation with known truth, through the public functions.

Curves with a known area get noise, are measured, and the truth is looked for in the interval. ``run(quick=True)``
makes a small part for the tests; ``python studies/coverage_dissimilarity.py`` makes all of it and writes
``studies/results/dissimilarity.csv`` and ``.md``.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.measures import dissimilarity, draws
from aiq.records.dissimilarity import Alone, Dissimilarity

Floats = npt.NDArray[np.float64]
Row = dict[str, object]

P = np.linspace(0, 1, 11)
HUMP = 4 * P * (1 - P)
TRUTHS = {
    "zero": 0.0 * P,
    "small": 0.005 * HUMP,
    "medium": 0.020 * HUMP,
    "crossing": 0.008 * np.sin(2 * np.pi * P),
}
NOISES = ("equal", "unequal", "skewed")
REPETITIONS = (3, 5, 10)
ENDS = ("pair", "domain")
SPREADS = (0.003, 0.017)
DOMAINS = 6
BASE = 0.8


@dataclass(frozen=True)
class Size:
    """How much is simulated: pairs, suites, draws a suite."""

    pairs: int
    suites: int
    draws: int


FULL, QUICK = Size(1000, 400, 400), Size(400, 60, 200)


def spreads(rng: np.random.Generator, count: int) -> Floats:
    """Return the noise of ``count`` domains alone, standard deviations between .003 and .017, log-uniform."""
    return np.exp(rng.uniform(*np.log(SPREADS), count))


def errors(noise: str, rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Return draws of mean 0 and variance 1: normal, or skewed to the bad side (a few trainings go wrong)."""
    if noise == "skewed":
        return np.asarray((1.5 - rng.gamma(1.5, size=shape)) / np.sqrt(1.5))
    return rng.standard_normal(shape)


def at_points(noise: str, a: float, b: float) -> Floats:
    """Return the standard deviation at each proportion.

    ``unequal``: that of p V_a + (1 - p) V_b, with independent errors on the two domains; else the same everywhere.
    """
    return np.sqrt((P * a) ** 2 + ((1 - P) * b) ** 2) if noise == "unequal" else np.full(P.size, a)


def pairs(noise: str, truth: str, repetitions: int, ends: str, count: int) -> Iterator[Dissimilarity]:
    """Yield measured pairs."""
    rng = seeding.generator(2026, "coverage", noise, truth, repetitions, ends)
    for _ in range(count):
        a, b = spreads(rng, 2)
        spread = at_points(noise, a, b)
        curves = BASE - TRUTHS[truth] + spread * errors(noise, rng, (repetitions, P.size))
        if ends == "pair":
            yield dissimilarity.measure(P, curves, resamples=200)
            continue
        alone = [BASE + s * errors(noise, rng, (3 * repetitions,)) for s in (spread[-1], spread[0])]
        yield dissimilarity.measure(P, curves[:, 1:-1], ends=alone, resamples=200)


def covered(found: list[tuple[float, float] | None], truth: float) -> tuple[float, float, float]:
    """Return the share of intervals that hold the truth, its Monte Carlo error, and the mean width."""
    known = [interval for interval in found if interval is not None]
    hits = np.mean([low <= truth <= high for low, high in known])
    width = float(np.mean([high - low for low, high in known]))
    return float(hits), float(np.sqrt(max(hits * (1 - hits), 1 / len(known)) / len(known))), width


def pair_rows(size: Size, truths: tuple[str, ...], repetitions: tuple[int, ...]) -> Iterator[Row]:
    """Yield what signed and plain intervals of pairs cover, and the bias of the unbiased square."""
    for noise, truth, r, ends in product(NOISES, truths, repetitions, ENDS):
        found = list(pairs(noise, truth, r, ends, size.pairs))
        signed = float(np.trapezoid(TRUTHS[truth], P))
        plain = float(np.trapezoid(np.abs(TRUTHS[truth]), P))
        cell = {"noise": noise, "truth": truth, "repetitions": r, "ends": ends, "n": size.pairs}
        yield {"what": "signed", **cell, **_coverage([d.signed.interval for d in found], signed)}
        yield {"what": "plain", **cell, **_coverage([d.plain.interval for d in found], plain)}
        squares = np.array([d.square for d in found])
        bias, spread = squares.mean() - signed**2, squares.std(ddof=1)
        error = spread / np.sqrt(squares.size)
        yield {"what": "square: bias over its spread", **cell, "value": bias / spread, "error": error / spread}


def _coverage(found: list[tuple[float, float] | None], truth: float) -> Row:
    """Return coverage as cells of a row."""
    value, error, width = covered(found, truth)
    return {"value": value, "error": error, "width": width}


def suite_rows(size: Size, repetitions: tuple[int, ...]) -> Iterator[Row]:
    """Yield what the draws of suites cover for numbers that hang on several pairs: a domain's mean area.

    ``suite mean`` is the 95 % interval of the draws that carry the shared errors of ends, ``suite mean, errors
    taken for independent`` that of draws which do not.
    """
    names = [f"d{k}" for k in range(DOMAINS)]
    for noise, r in product(("equal", "unequal"), repetitions):
        rng = seeding.generator(2026, "coverage", "suite", noise, r)
        shared, apart = [], []
        for step in range(size.suites):
            spread = spreads(rng, DOMAINS)
            ends = [BASE + s * rng.standard_normal(3 * r) for s in spread]
            measured = {}
            for i, j in zip(*np.triu_indices(DOMAINS), strict=True):
                here = at_points("unequal", spread[i], spread[j]) * rng.standard_normal((r, P.size))
                inner = BASE - 0.01 * HUMP * (i != j) + here
                both = [ends[i]] if i == j else [ends[i], ends[j]]
                measured[names[i], names[j]] = dissimilarity.measure(P, inner[:, 1:-1], ends=both, resamples=0)
            found = dissimilarity.suite_errors(names, measured)
            ends_se = np.where(np.eye(DOMAINS, dtype=bool), 0.0, found.end).max(axis=1)
            known = draws.Errors(found.se_inner, ends_se, float(found.df_inner.min()))
            source = seeding.generator(step, "coverage", "suite draws")
            mean = draws.signed(found.signed, known, size.draws, source)[:, 0, 1:].mean(axis=1)
            shared.append(tuple(np.quantile(mean, [0.025, 0.975])))
            middle, error = found.signed[0, 1:].mean(), np.sqrt((found.se[0, 1:] ** 2).sum()) / (DOMAINS - 1)
            apart.append((middle - 1.96 * error, middle + 1.96 * error))
        truth = float(np.trapezoid(0.01 * HUMP, P))
        cell = {"noise": noise, "truth": "medium", "repetitions": r, "ends": "domain", "n": size.suites}
        yield {"what": "suite mean", **cell, **_coverage(shared, truth)}
        yield {"what": "suite mean, errors taken for independent", **cell, **_coverage(apart, truth)}


def learning_curve(share: Floats) -> Floats:
    """Return the true performance of a domain alone with a share of the samples."""
    return np.asarray(BASE - 0.1 * (1 - share) ** 2)


CONTROL = P * learning_curve(P) + (1 - P) * learning_curve(1 - P)
TOLD = CONTROL - 0.01 * HUMP
OBSERVED = TOLD - 0.02 * HUMP


def part_areas() -> dict[str, float]:
    """Return the true starvation, confusion and transfer."""
    return {
        "starvation": float(np.trapezoid(BASE - CONTROL, P)),
        "confusion": float(np.trapezoid(TOLD - OBSERVED, P)),
        "transfer": float(np.trapezoid(CONTROL - TOLD, P)),
    }


def part_trainings(rng: np.random.Generator, noise: str, r: int, ends: str, kind: str) -> tuple[Floats, dict[str, Any]]:
    """Return simulated curves of a pair, and what else ``decompose`` takes: told, controls, ends of domains."""
    shares = P[1:]
    a, b = spreads(rng, 2)
    b = a if kind == "self-pair" else b
    spread = at_points(noise, a, b)[:, None]
    both = spread * errors(noise, rng, (P.size, r))
    extra = 0.4 * spread * errors(noise, rng, (P.size, r))
    curves, when_told = (OBSERVED[:, None] + both + extra).T, (TOLD[:, None] + both).T
    alone = [
        Alone(shares, learning_curve(shares) + s / shares**0.3 * errors(noise, rng, (r, 10)))
        for s in ((a,) if kind == "self-pair" else (a, b))
    ]
    trained: dict[str, Any] = {"alone": alone}
    if ends == "domain":
        trained["ends"] = [BASE + s * errors(noise, rng, (3 * r,)) for s in (a, b)[: len(alone)]]
        curves, when_told = curves[:, 1:-1], when_told[:, 1:-1]
    return curves, {**trained, "told": when_told}


def part_rows(size: Size, repetitions: tuple[int, ...]) -> Iterator[Row]:
    """Yield what the intervals of starvation, confusion and transfer cover, for two domains and for one with itself."""
    truth = part_areas()
    for noise, r, ends, kind in product(NOISES, repetitions, ENDS, ("two domains", "self-pair")):
        rng = seeding.generator(2026, "coverage", "parts", noise, r, ends, kind)
        found: dict[str, list[tuple[float, float] | None]] = {name: [] for name in truth}
        for _ in range(size.pairs // 2):
            curves, trained = part_trainings(rng, noise, r, ends, kind)
            parts = dissimilarity.decompose(P, curves, **trained)
            for name, intervals in found.items():
                intervals.append(getattr(parts, name).estimate.interval)
        for name, intervals in found.items():
            cell = {"noise": noise, "truth": kind, "repetitions": r, "ends": ends, "n": size.pairs // 2}
            yield {"what": name, **cell, **_coverage(intervals, truth[name])}


def geometry_rows(size: Size, repetitions: tuple[int, ...]) -> Iterator[Row]:
    """Yield what ``square ± 1.96 standard errors`` of a squared distance of transfer covers, and its bias.

    Two domains that help themselves more than each other; controls and ends are shared by the three pairs.
    """
    control = P * learning_curve(P) + (1 - P) * learning_curve(1 - P)
    told = {"aa": np.full(P.size, BASE), "bb": np.full(P.size, BASE), "ab": control + 0.3 * (BASE - control)}
    truth = float(np.trapezoid(told["aa"] + told["bb"] - 2 * told["ab"], P))
    for noise, r in product(NOISES, repetitions):
        rng = seeding.generator(2026, "coverage", "geometry", noise, r)
        found, squares = [], []
        for _ in range(size.pairs // 2):
            spread = dict(zip("ab", spreads(rng, 2), strict=True))
            alone = {
                d: Alone(P[1:], learning_curve(P[1:]) + s * errors(noise, rng, (r, 10))) for d, s in spread.items()
            }
            ends = {d: BASE + s * errors(noise, rng, (3 * r,)) for d, s in spread.items()}
            area, own = np.zeros((2, 2)), np.zeros((2, 2))
            for i, j, pair in ((0, 0, "aa"), (1, 1, "bb"), (0, 1, "ab")):
                curves = told[pair] + at_points(noise, spread[pair[0]], spread[pair[1]]) * errors(noise, rng, (r, 11))
                names = dict.fromkeys(pair)
                parts = dissimilarity.decompose(
                    P, curves[:, 1:-1], told=curves[:, 1:-1], alone=[alone[d] for d in names],
                    ends=[ends[d] for d in names],
                )  # fmt: skip
                if parts.transfer is None or parts.transfer.own is None:
                    raise ValueError("controls and told performances give transfer with its error")
                area[[i, j], [j, i]], own[[i, j], [j, i]] = parts.transfer.estimate.value, parts.transfer.own.se
            geometry = dissimilarity.transfer_geometry(area, own)
            square, error = float(geometry.squares[0, 1]), 1.96 * float(geometry.squares_se[0, 1])
            found.append((square - error, square + error))
            squares.append(square)
        cell = {"noise": noise, "truth": "two domains", "repetitions": r, "ends": "domain", "n": size.pairs // 2}
        yield {"what": "square of transfer", **cell, **_coverage(found, truth)}
        spread_of = float(np.std(squares, ddof=1))
        bias, error = (float(np.mean(squares)) - truth) / spread_of, 1 / np.sqrt(len(squares))
        yield {"what": "square of transfer: bias over its spread", **cell, "value": bias, "error": error}


def run(quick: bool) -> list[Row]:
    """Return one row a cell: what was measured, its value (a coverage, unless it says otherwise), its error."""
    if quick:
        few = (3,)
        chosen = (pair_rows(QUICK, ("medium",), few), suite_rows(QUICK, few), part_rows(QUICK, few))
        return [row for rows in (*chosen, geometry_rows(QUICK, few)) for row in rows]
    rows: list[Row] = []
    rows += pair_rows(FULL, tuple(TRUTHS), REPETITIONS)
    rows += suite_rows(FULL, REPETITIONS)
    rows += part_rows(FULL, REPETITIONS)
    rows += geometry_rows(FULL, REPETITIONS)
    return rows


COLUMNS = ("what", "noise", "truth", "repetitions", "ends", "n", "value", "error", "width")


def main(folder: Path = Path(__file__).parent / "results") -> None:
    """Write the table as CSV and as Markdown with the day and how long it took."""
    start = time.perf_counter()
    rows = run(quick=False)
    seconds = time.perf_counter() - start
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "dissimilarity.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _cell(row.get(key, "")) for key in COLUMNS} for row in rows)
    (folder / "dissimilarity.md").write_text(markdown(rows, seconds), encoding="utf-8")


def _cell(value: object) -> object:
    """Return a number with four digits, anything else as it is."""
    return f"{value:.4g}" if isinstance(value, float) else value


NOTES = """Simulated pairs: 11 proportions, noise of .003 to .017 a pair (standard deviation of one training),
ends of the pair (as many repetitions as inside) or of the domain (three times as many, shared by pairs). Nominal 95 %.
`equal`: the same noise at every proportion. `unequal`: the noise of p V_a + (1 − p) V_b, two domains with noise of
their own. `skewed`: equal, and skewed to the bad side. In brackets the Monte Carlo error.
Truths: areas of 0, .0033 and .0132, and a curve that crosses the line (signed 0, plain .0050)."""


def markdown(rows: list[Row], seconds: float) -> str:
    """Return the tables, one a question: noise and truth down, repetitions and ends across."""
    made = f"`python studies/coverage_dissimilarity.py`, {date.today().isoformat()}, {seconds:.0f} s on one core."
    lines = ["# What the intervals of dissimilarities cover", "", made, NOTES, ""]
    for what in dict.fromkeys(str(row["what"]) for row in rows):
        lines += _table(what, [row for row in rows if row["what"] == what])
    return "\n".join(lines)


def _table(what: str, rows: list[Row]) -> list[str]:
    """Return one table."""
    across = list(dict.fromkeys((row["ends"], row["repetitions"]) for row in rows))
    across.sort(key=lambda key: (str(key[0]) == "domain", key[1]))
    head = " | ".join(f"{ends}, R = {r}" for ends, r in across)
    lines = [f"## {what}", "", f"| noise | truth | {head} |", "|---|---|" + "---|" * len(across)]
    show: Callable[[Row], str] = lambda row: f"{row['value']:.3f} ({row['error']:.3f})"  # noqa: E731
    for noise, truth in dict.fromkeys((row["noise"], row["truth"]) for row in rows):
        cells = {
            (row["ends"], row["repetitions"]): show(row)
            for row in rows
            if (row["noise"], row["truth"]) == (noise, truth)
        }
        lines.append(f"| {noise} | {truth} | " + " | ".join(cells.get(key, "–") for key in across) + " |")
    return [*lines, ""]


if __name__ == "__main__":
    main()
