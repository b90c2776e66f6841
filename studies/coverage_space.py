"""What the number of dimensions, the intervals of AIQ and the orders are worth, by simulation with known truth.

Suites with a known number of dimensions are measured with noise, built and scored through the public functions, and
the truth is looked for in the intervals. ``run(quick=True)`` makes a small part for the tests;
``python studies/coverage_space.py`` makes all of it and writes ``studies/results/space.csv`` and ``.md``.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.errors import InputError
from aiq.measures import quotient, space
from aiq.measures.quotient import bootstrap
from aiq.records.quotient import Scores
from aiq.records.space import Space

Floats = npt.NDArray[np.float64]
Row = dict[str, object]

AGENTS = tuple("abcde")
SHARED = 0.6  # of a pair's error variance: that of the ends, shared by all pairs of a domain
POOL_SE, OWN_SE = 0.01, 0.02  # of a complexity: shared by all domains of a pool, and its own
AGENT_SD = 0.03  # of one repetition of an agent
BINS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.95, 0.99, 1.0001)


@dataclass(frozen=True)
class Cell:
    """One cell: domains, true dimensions, signal to noise, repetitions, and the kind of truth.

    Signal to noise: root mean square dissimilarity over the standard error of a pair. ``euclidean``; ``bent``: as
    many positive eigenvalues, and a negative one; ``copy``: the last domain is the first once more.
    """

    domains: int
    dimensions: int
    snr: int
    repetitions: int
    truth: str = "euclidean"

    @property
    def words(self) -> Row:
        """The cell as columns."""
        return {
            "domains": self.domains, "dimensions": self.dimensions, "snr": self.snr,
            "repetitions": self.repetitions, "truth": self.truth,
        }  # fmt: skip


SHAPES = ((5, 2), (6, 2), (8, 2), (6, 3), (8, 3))
FULL = (
    *(Cell(n, k, snr, 3) for n, k in SHAPES for snr in (4, 8, 16, 32)),
    *(Cell(n, k, snr, r) for n, k in ((6, 2), (8, 3)) for snr in (4, 8) for r in (5, 10)),
    *(Cell(n, k, snr, 3, "bent") for n, k in ((5, 2), (6, 3)) for snr in (4, 8, 16)),
    *(Cell(n, k, 8, 3, "copy") for n, k in ((6, 2), (7, 3))),
)
QUICK = (Cell(6, 2, 8, 3), Cell(6, 3, 8, 10))
SUITES, DRAWS = (400, 40), (300, 200)  # full, quick


def true_squares(cell: Cell, rng: np.random.Generator) -> Floats:
    """Return squared dissimilarities (n, n) with as many positive eigenvalues as the cell has dimensions.

    The first two domains share nothing (1 is the largest); no two others are closer than .1, but for the copy.
    """
    n, k = cell.domains - (cell.truth == "copy"), cell.dimensions
    while True:
        points = np.abs(rng.normal(size=(n, k)))
        points[:2] = np.eye(k)[:2]
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        against = np.zeros(n)
        if cell.truth == "bent":
            against[2:] = rng.uniform(0.1, 0.4, n - 2)
        points *= np.sqrt(1 + against**2)[:, None]
        squares = 1 - points @ points.T + np.outer(against, against)
        np.fill_diagonal(squares, 0.0)
        values = np.linalg.eigvalsh(1 - squares)[::-1]
        if squares[~np.eye(n, dtype=bool)].min() >= 0.01 and squares.max() <= 1 + 1e-12 and values[k - 1] > 0.15:
            break
    if cell.truth == "copy":
        index = [*range(n), 0]
        squares = squares[np.ix_(index, index)]
    return np.minimum(squares, 1.0)


def symmetric(upper: Floats) -> Floats:
    """Return symmetric matrices with zero diagonal from upper triangles."""
    half = np.triu(upper, 1)
    return np.asarray(half + np.swapaxes(half, -1, -2))


@dataclass(frozen=True)
class Measured:
    """One simulated suite: what was measured, and the truth behind it."""

    complexity: Floats
    covariance: Floats
    signed: Floats
    inner: Floats
    ends: Floats
    df: float
    samples: list[list[Floats]]
    true_complexity: Floats
    true_dissimilarity: Floats
    true_performance: Floats


def measured(cell: Cell, rng: np.random.Generator) -> Measured:
    """Measure a suite with noise; standard errors have 8 + R - 1 degrees of freedom, as the moderated ones."""
    n, df = cell.domains, 8.0 + cell.repetitions - 1
    d = np.sqrt(true_squares(cell, rng))
    error = float(np.sqrt((d[np.triu_indices(n, 1)] ** 2).mean())) / cell.snr
    end, own = error * np.sqrt(SHARED / 2), error * np.sqrt(1 - SHARED)
    noise = end * rng.standard_normal(n)
    signed = d + noise[:, None] + noise[None, :] + own * symmetric(rng.standard_normal((n, n)))
    c = rng.uniform(0.5, 1.0, n)
    if cell.truth == "copy":
        c[-1] = c[0]
    base = rng.uniform(0.55, 0.65, (len(AGENTS), 1))
    v = np.clip(base + rng.uniform(-0.25, 0.25, (len(AGENTS), n)), 0.05, 0.95)
    if cell.truth == "copy":
        v[:, -1] = v[:, 0]
    samples = np.clip(v[:, :, None] + AGENT_SD * rng.standard_normal((*v.shape, cell.repetitions)), 0, 1)
    return Measured(
        complexity=c * (1 + POOL_SE * rng.standard_normal() + OWN_SE * rng.standard_normal(n)),
        covariance=POOL_SE**2 * np.outer(c, c) + np.diag((OWN_SE * c) ** 2),
        signed=signed,
        inner=symmetric(own * np.sqrt(rng.chisquare(df, (n, n)) / df)),
        ends=end * np.sqrt(rng.chisquare(df, n) / df),
        df=df,
        samples=[list(one) for one in samples],
        true_complexity=c,
        true_dissimilarity=d,
        true_performance=v,
    )


def built(suite: Measured, draws: int, seed: int, dimensions: int | str = "auto") -> Space:
    """Return the space of a measured suite."""
    return space.build(
        [f"d{i}" for i in range(len(suite.complexity))],
        suite.complexity,
        suite.signed,
        dimensions=dimensions,
        complexity_se=suite.covariance,
        dissimilarity_se=suite.inner,
        end_se=suite.ends,
        dissimilarity_df=suite.df,
        draws=draws,
        seed=seed,
    )


def scored(suite: Measured, where: Space, draws: int, seed: int) -> Scores:
    """Return the scores of the agents from their repetitions."""
    rng = seeding.generator(seed, "study agents")
    found = [bootstrap.agent_draws(samples, draws, rng) for samples in suite.samples]
    replicates = np.stack([one for one in found if one is not None], axis=1)
    means = [[values.mean() for values in samples] for samples in suite.samples]
    return quotient.score(where, AGENTS, means, replicates, seed=seed)


def truth(suite: Measured, dimensions: int) -> Scores:
    """Return the scores without any noise, in the true number of dimensions."""
    names = [f"d{i}" for i in range(len(suite.complexity))]
    exact = space.build(names, suite.true_complexity, suite.true_dissimilarity, dimensions=dimensions, merge=False)
    return quotient.score(exact, AGENTS, suite.true_performance)


@dataclass
class Tally:
    """What the suites of one cell gave, a list entry a suite (coverages are shares of its agents)."""

    kept: list[int]
    probable: list[float]
    per_dimension: list[float]
    relative: list[float]
    residual: list[float]
    width: list[float]
    error: list[float]
    spread: list[float]
    orders: list[tuple[float, bool]]


def cell_tally(cell: Cell, suites: int, draws: int) -> Tally:
    """Measure, build and score the suites of one cell."""
    rng = seeding.generator(2026, "coverage space", *(str(x) for x in cell.words.values()))
    tally = Tally([], [], [], [], [], [], [], [], [])
    for seed in range(suites):
        suite = measured(cell, rng)
        true = truth(suite, cell.dimensions)
        where = built(suite, draws, seed)
        found = scored(suite, where, draws, seed)
        tally.kept.append(where.dimensions)
        tally.probable.append(where.dimensionality.probabilities.get(cell.dimensions, 0.0))
        _compare(tally, found, true)
        tally.relative.append(_given(suite, cell, where, found, true, draws, seed))
    return tally


def _compare(tally: Tally, found: Scores, true: Scores) -> None:
    """Add what the intervals per dimension, the residual and the orders of one suite say."""
    exact = {a.agent: a.per_dimension.value for a in true.agents}
    hits, widths = [], []
    for agent in found.agents:
        low, high = agent.per_dimension.interval or (np.nan, np.nan)
        hits.append(low <= exact[agent.agent] <= high)
        widths.append(high - low)
        tally.error.append(agent.per_dimension.value - exact[agent.agent])
        tally.spread.append((high - low) / 3.92)
    tally.per_dimension.append(float(np.mean(hits)))
    tally.width.append(float(np.mean(widths)))
    if found.beyond is not None and true.beyond is not None and found.beyond.residual.interval is not None:
        low, high = found.beyond.residual.interval
        tally.residual.append(float(low <= true.beyond.residual.value <= high))
    names = [a.agent for a in found.agents]
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            p = 0.5 if found.order_probabilities is None else float(found.order_probabilities[i, j])
            right = exact[names[i]] > exact[names[j]]
            tally.orders.append((max(p, 1 - p), right if p >= 0.5 else not right))


def _given(suite: Measured, cell: Cell, where: Space, found: Scores, true: Scores, draws: int, seed: int) -> float:
    """Return the share of agents whose relative AIQ is covered, given the true number of dimensions."""
    if where.dimensions != cell.dimensions:
        try:
            found = scored(suite, built(suite, draws, seed, cell.dimensions), draws, seed)
        except InputError:  # the measured suite spans fewer dimensions: nothing is covered
            return 0.0
    exact = {a.agent: a.relative.value for a in true.agents}
    intervals = [(a.relative.interval or (np.nan, np.nan), exact[a.agent]) for a in found.agents]
    return float(np.mean([low <= value <= high for (low, high), value in intervals]))


def _mean(values: list[float]) -> tuple[float, float]:
    """Return a mean over suites and its Monte Carlo error."""
    array = np.array(values, dtype=np.float64)
    return float(array.mean()), float(array.std(ddof=1) / np.sqrt(array.size)) if array.size > 1 else float("nan")


def cell_row(cell: Cell, tally: Tally) -> Row:
    """Return one row of the table."""
    kept = np.array(tally.kept)
    right, right_error = _mean([float(k == cell.dimensions) for k in kept])
    row: Row = {"what": "cell", **cell.words, "suites": kept.size, "right": right, "right_error": right_error}
    row["fewer"], row["more"] = float((kept < cell.dimensions).mean()), float((kept > cell.dimensions).mean())
    row["said"] = float(np.mean(tally.probable))
    for name in ("per_dimension", "relative", "residual"):
        values = getattr(tally, name)
        row[name], row[f"{name}_error"] = _mean(values) if values else (float("nan"), float("nan"))
    row["width"] = float(np.mean(tally.width))
    row["bias"] = float(np.mean(tally.error)) / float(np.mean(tally.spread))
    nine = [right for p, right in tally.orders if 0.85 <= p < 0.95]
    row["order_nine"], row["orders_at_nine"] = (float(np.mean(nine)) if nine else float("nan")), len(nine)
    return row


def order_rows(orders: list[tuple[float, bool]]) -> Iterator[Row]:
    """Yield how often orders are right, by what was said of them."""
    said = np.array([p for p, _ in orders])
    right = np.array([r for _, r in orders], dtype=np.float64)
    for low, high in pairwise(BINS):
        chosen = (said >= low) & (said < high)
        if chosen.sum() > 1:
            mean, error = _mean(list(right[chosen]))
            yield {
                "what": "order", "low": low, "high": min(high, 1.0), "orders": int(chosen.sum()),
                "order_said": float(said[chosen].mean()), "order_right": mean, "order_error": error,
            }  # fmt: skip


def run(quick: bool) -> list[Row]:
    """Return a row a cell, and then one for each bin of said probabilities of an order, over all cells."""
    rows, orders = [], []
    for cell in QUICK if quick else FULL:
        tally = cell_tally(cell, SUITES[quick], DRAWS[quick])
        rows.append(cell_row(cell, tally))
        orders += tally.orders
    return [*rows, *order_rows(orders)]


NOTES = """Simulated suites, five agents each. Signal to noise: root mean square dissimilarity over the standard
error of a pair, three fifths of whose variance is shared by all pairs of a domain. Complexities have errors of 2 % of
their own and 1 % shared; agents .03 a repetition. `bent`: the true dissimilarities have a negative eigenvalue too.
`copy`: the last domain is the first once more. Nominal 95 %; in brackets the Monte Carlo error (agents of one suite
count as one). Bias is over the standard error; *said* is the mean probability that is given to the true number.
*Given d*: relative AIQ in the true number of dimensions. *Residual*: share of the agents' differences that the
geometric mean does not explain. With three repetitions Student's t, domain by domain, makes a sum over domains
somewhat too wide. Three dimensions of which the third is thin are often taken for two at a signal to noise of 4 (the
third eigenvalue is as small as .15 here), and AIQ is then too high by a third to half of its standard error."""

SHOWN = (
    ("right", "right number"), ("said", "said"), ("per_dimension", "per dimension"), ("width", "width"),
    ("bias", "bias"), ("relative", "relative, given d"), ("residual", "residual"), ("order_nine", "order said .85–.95"),
)  # fmt: skip


def _text(row: Row, name: str) -> str:
    error = row.get(f"{name}_error")
    value = f"{row[name]:.3f}"
    return value if error is None else f"{value} ({error:.3f})"


def markdown(rows: list[Row], seconds: float) -> str:
    """Return both tables."""
    made = f"`python studies/coverage_space.py`, {date.today().isoformat()}, {seconds:.0f} s on one core."
    lines = ["# What the intervals of AIQ cover", "", made, "", NOTES, ""]
    lines += ["| domains | dimensions | signal to noise | R | truth | " + " | ".join(w for _, w in SHOWN) + " |"]
    lines += ["|---" * (5 + len(SHOWN)) + "|"]
    for row in rows:
        if row["what"] == "cell":
            where = [row[name] for name in ("domains", "dimensions", "snr", "repetitions", "truth")]
            lines += ["| " + " | ".join([*map(str, where), *(_text(row, name) for name, _ in SHOWN)]) + " |"]
    lines += ["", "## Orders of two agents", "", "| said | pairs | said, mean | right |", "|---|---|---|---|"]
    for row in rows:
        if row["what"] == "order":
            lines += [
                f"| {row['low']:.2f}–{row['high']:.2f} | {row['orders']} | {row['order_said']:.3f} | "
                f"{_text({**row, 'order_right_error': row['order_error']}, 'order_right')} |"
            ]
    return "\n".join([*lines, ""])


def main(folder: Path = Path(__file__).parent / "results") -> None:
    """Write the tables as CSV and as Markdown with the day and how long it took."""
    start = time.process_time()
    rows = run(quick=False)
    seconds = time.process_time() - start
    folder.mkdir(parents=True, exist_ok=True)
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with (folder / "space.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows({k: f"{v:.4g}" if isinstance(v, float) else v for k, v in row.items()} for row in rows)
    (folder / "space.md").write_text(markdown(rows, seconds), encoding="utf-8")


if __name__ == "__main__":
    main()
