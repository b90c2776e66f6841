"""Estimates of whole runs, kept as tables beside this file: truths for studies, with the errors that the runs had.

``python -m studies.kept_estimates CONFIG > studies/NAME_estimates.csv`` writes those of a finished run.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aiq import storage
from aiq.config.load import read as read_raw
from aiq.plans.run import Run
from aiq.records.space import Space
from aiq.run.reducing.complexity import DomainComplexity
from aiq.run.reducing.dissimilarity import SuiteDissimilarity
from aiq.run.reducing.space import AgentScores, distances
from aiq.stats import jackknife
from aiq.tables.locating import lengths_of

Floats = npt.NDArray[np.float64]

NAMES = ("quickstart", "control")
"""Runs whose estimates are kept: ``config/quickstart.yaml`` and ``benchmarks/control-small.yaml``."""
COLUMNS = ("what", "a", "b", "value", "error", "df")


@dataclass(frozen=True, eq=False)
class Kept:
    """``truth``: cosines (n, n), lengths (n,), performances (A, n).

    ``errors``: pairs' own (n, n), ends (n,) and their degrees of freedom, covariance of the lengths (n, n) and its
    degrees of freedom, standard deviation of one repetition (A, n); distances in units of the largest. ``told``:
    degrees of freedom of the lengths as the run told them.
    """

    truth: tuple[Floats, Floats, Floats]
    errors: tuple[Floats, Floats, float, Floats, float, Floats]
    told: float


def rows(config: str) -> Iterator[tuple[object, ...]]:
    """Yield the estimates of a finished run of a suite, one a row, with their standard errors."""
    run = Run.of(read_raw(config), "aiq", config)
    plan, layout, names = run.plan, run.layout, list(run.configuration.domains)
    space = storage.read_result(layout.space, "space", Space, plan.space())
    suite = storage.read_result(layout.dissimilarity, "dissimilarity", SuiteDissimilarity, plan.dissimilarity())
    scores = storage.read_result(layout.scores, "scores", AgentScores, plan.scores())
    weights = space.weights
    if weights is None or weights.length_covariance is None:
        raise SystemExit(f"{config}: the errors of its lengths are not known")
    at = [weights.domains.index(name) for name in names]
    covariance = weights.length_covariance[np.ix_(at, at)]
    records = [
        storage.read_result(layout.complexity(name), "complexity", DomainComplexity, plan.complexity(name)).complexity
        for name in names
    ]
    errors = lengths_of(records, run.configuration.space.length).errors
    if errors is None or errors.parts is None:
        raise SystemExit(f"{config}: its lengths do not rest on one pool")
    shared = float(jackknife.degrees(errors.parts.sum(axis=1, keepdims=True))[0])
    for i, name in enumerate(names):
        yield "length", name, "", weights.length[at[i]], np.sqrt(covariance[i, i]), shared
    yield "told", "", "", "", "", weights.length_df
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    yield from (("length_covariance", names[i], names[j], covariance[i, j], "", "") for i, j in pairs)
    area, how = distances(suite, run.configuration.space.distance, run.configuration.seed)
    df = how["dissimilarity_df"]
    yield from (("area", names[i], names[j], area[i, j], how["dissimilarity_se"][i, j], df) for i, j in pairs)
    yield from (("end", name, "", "", error, df) for name, error in zip(names, how["end_se"], strict=True))
    for agent in dict.fromkeys(scores.agent):
        for name in names:
            values = scores.repetitions(agent, name)
            yield "performance", agent, name, values.mean(), values.std(ddof=1), values.size - 1


@cache
def read(name: str) -> Kept:
    """Return the kept estimates of a run: distances freed of their errors, in units of the largest."""
    with (Path(__file__).parent / f"{name}_estimates.csv").open(newline="") as stream:
        listed = list(csv.DictReader(stream))

    def of(what: str) -> list[dict[str, str]]:
        return [row for row in listed if row["what"] == what]

    tests = [row["a"] for row in of("length")]
    agents = sorted({row["a"] for row in of("performance")})
    at, who = ({one: i for i, one in enumerate(found)} for found in (tests, agents))
    n = len(tests)
    squares, inner, covariance = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    ends = np.array([float(row["error"]) for row in of("end")])
    for row in of("area"):
        i, j = at[row["a"]], at[row["b"]]
        inner[[i, j], [j, i]] = float(row["error"])
        error = float(row["error"]) ** 2 + ends[i] ** 2 + ends[j] ** 2
        squares[[i, j], [j, i]] = max(float(row["value"]) ** 2 - error, 0.0)
    for row in of("length_covariance"):
        i, j = at[row["a"]], at[row["b"]]
        covariance[[i, j], [j, i]] = float(row["value"])
    np.fill_diagonal(covariance, [float(row["error"]) ** 2 for row in of("length")])
    performance, sd = np.zeros((len(agents), n)), np.zeros((len(agents), n))
    for row in of("performance"):
        i, j = who[row["a"]], at[row["b"]]
        performance[i, j], sd[i, j] = float(row["value"]), float(row["error"])
    unit = float(np.sqrt(squares.max()))
    length = np.array([float(row["value"]) for row in of("length")])
    freedom, told = float(of("length")[0]["df"]), float(of("told")[0]["df"])
    truth = (1 - squares / unit**2, length, performance)
    return Kept(truth, (inner / unit, ends / unit, float(of("area")[0]["df"]), covariance, freedom, sd), told)


if __name__ == "__main__":
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(COLUMNS)
    for one in rows(sys.argv[1]):
        table.writerow([f"{float(cell):.6g}" if isinstance(cell, float) else cell for cell in one])
