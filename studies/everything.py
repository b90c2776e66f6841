"""What a run of config/everything.yaml says of families of tests, and of scores side by side: docs/runs/everything.md.

    python -m studies.everything RESULTS [--agents FOLDER] [--out FOLDER]

reads the tables of a run, and the scores that ``studies.everything_agents`` wrote, and prints what the page shows.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aiq.stats.ranks import rank_correlation

Floats = npt.NDArray[np.float64]
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "pictures": ("mnist", "fashion", "cifar10"),
    "tables": ("wine", "cancer"),
    "CartPole": ("pole", "pole-heavy"),
    "CartPole3D": ("pole3d", "pole3d-wind"),
    "programs": ("bf-one", "bf-sample"),
    "cups": ("cups-5", "cups-9"),
    "automata": ("automaton-one", "automata"),
    "grids": ("grid-one", "grids"),
    "Lambda*": ("lambda-5", "lambda-10"),
    "Gym games": ("lake", "lake-dry", "chain"),
}
"""Where the domains of the configuration come from."""

ROOT = 2025


@dataclass(frozen=True)
class Lying:
    """How domains lie to those of their own family and to the others.

    Attributes:
        within: mean distance of two domains of a family.
        between: mean distance of two domains of different families.
        probability: share of relabellings, the given one among them, in which families lie as close together.
        nearest: share of domains whose nearest other domain is of their family.
        nearest_probability: share of relabellings in which at least so many are.
    """

    within: float
    between: float
    probability: float
    nearest: float
    nearest_probability: float


def lying(distance: Floats, family: Sequence[str], draws: int, rng: np.random.Generator) -> Lying:
    """Return how close together families lie, with a test by permutation.

    If families said nothing of distances, the labels could be given to the domains in any order; so two domains that
    share a part of their errors, as pairs of one domain do, need no model.

    Args:
        distance: (n, n), symmetric; the diagonal is not read.
        family: of each domain, at least two and one of them with two domains.
        draws: random relabellings.
        rng: draws them.
    """
    labels = np.unique(np.array(family), return_inverse=True)[1]
    upper = np.triu_indices(len(labels), 1)
    values = distance[upper]
    others = np.where(np.eye(len(labels), dtype=bool), np.inf, distance)
    closest = others.argmin(axis=1)

    def told(given: npt.NDArray[np.int64]) -> tuple[float, float, float]:
        own = given[upper[0]] == given[upper[1]]
        return float(values[own].mean()), float(values[~own].mean()), float((given[closest] == given).mean())

    within, between, nearest = told(labels)
    shuffled = np.array([told(rng.permutation(labels)) for _ in range(draws)])
    gaps = shuffled[:, 0] - shuffled[:, 1]
    tiny = 1e-12
    near = (1 + (gaps <= within - between + tiny).sum()) / (1 + draws)
    most = (1 + (shuffled[:, 2] >= nearest - tiny).sum()) / (1 + draws)
    return Lying(within, between, float(near), nearest, float(most))


def without_own(distance: Floats) -> Floats:
    """Return what is left of distances (n, n) without what each domain adds to all of its own: least squares.

    A domain that loses in every mixture is far from all others, of its family too. The diagonal is not read.
    """
    n = len(distance)
    first, second = np.triu_indices(n, 1)
    design = np.zeros((len(first), n))
    design[np.arange(len(first)), first] = design[np.arange(len(first)), second] = 1
    own = np.linalg.lstsq(design, distance[first, second], rcond=None)[0]
    found: Floats = np.where(np.eye(n, dtype=bool), 0.0, distance - own[:, None] - own[None])
    return found


@dataclass(frozen=True)
class Agreement:
    """Spearman's rank correlation of two scores of the same agents, with a 95 % interval (None: too few, or ±1)."""

    correlation: float
    interval: tuple[float, float] | None
    agents: int


def agreement(first: Sequence[float], second: Sequence[float]) -> Agreement:
    """Return the rank correlation of two scores; agents that lack one of them (NaN) are left out.

    The interval is that of ``rank_correlation``. It takes the agents for a sample of such agents; that each score is
    itself uncertain is not in it.
    """
    pairs = np.array([first, second], dtype=np.float64)
    found = rank_correlation(*pairs[:, np.isfinite(pairs).all(axis=0)])
    known = None if abs(found.spearman) > 1 - 1e-9 else found.spearman_interval
    return Agreement(found.spearman, known, found.compared)


def read(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def matrix(rows: Sequence[Mapping[str, str]], names: Sequence[str], column: str) -> Floats:
    """Return a column of the table of dissimilarities as a matrix over the domains."""
    place = {name: k for k, name in enumerate(names)}
    found = np.full((len(names), len(names)), np.nan)
    for row in rows:
        a, b = place[row["a"]], place[row["b"]]
        found[a, b] = found[b, a] = float(row[column])
    return found


def scores(results: Path, agents: Path | None) -> dict[str, dict[str, float]]:
    """Return score -> agent -> value: AIQ and mean of the run, and what other measures gave the same networks."""
    table = read(results / "tables" / "agents.csv")
    found = {
        "AIQ per dimension": {row["agent"]: _number(row["per_dimension"]) for row in table},
        "mean performance": {row["agent"]: _number(row["mean"]) for row in table},
    }
    if agents is not None:
        for row in read(agents / "everything-agents.csv"):
            found.setdefault(row["measure"], {})[row["agent"]] = float(row["score"])
    return found


def report(results: Path, agents: Path | None) -> list[str]:
    """Return the lines of the page that come from here."""
    names = [name for members in FAMILIES.values() for name in members]
    family = [label for label, members in FAMILIES.items() for _ in members]
    table = read(results / "tables" / "dissimilarity.csv")
    rng = np.random.default_rng(ROOT)
    lines = ["| distance | within | between | p | nearest in family | p |", "|---|---|---|---|---|---|"]
    signed = matrix(table, names, "signed")
    given = {
        "plain area": matrix(table, names, "dissimilarity"),
        "what enters the space": np.sqrt(np.maximum(matrix(table, names, "square"), 0)),
        "signed area": signed,
        "signed area, without each domain's own part": without_own(signed),
    }
    for label, distance in given.items():
        found = lying(distance, family, 9999, rng)
        lines.append(
            f"| {label} | {found.within:.4f} | {found.between:.4f} | {found.probability:.4f} | {found.nearest:.2f} | "
            f"{found.nearest_probability:.4f} |"
        )
    for what, rows in (
        ("two domains", [row for row in table if row["a"] != row["b"]]),
        ("a domain with itself", [row for row in table if row["a"] == row["b"]]),
    ):
        above = sum(_number(row["signed_low"]) > 0 for row in rows)
        below = sum(_number(row["signed_high"]) < 0 for row in rows)
        lines += ["", f"{what}: {above} of {len(rows)} areas told to be above 0, {below} below"]
    lines += ["", *by_family(given["what enters the space"], family), "", *correlations(scores(results, agents))]
    return lines


def _number(told: str) -> float:
    """Return a cell as a number; NaN where the table has none, as for trainings that all ended alike."""
    return float(told) if told else math.nan


def by_family(distance: Floats, family: Sequence[str]) -> list[str]:
    """Return the mean distances of families as a table."""
    labels = list(dict.fromkeys(family))
    places = {label: [k for k, own in enumerate(family) if own == label] for label in labels}
    lines = ["| | " + " | ".join(labels) + " |", "|---" * (len(labels) + 1) + "|"]
    for one in labels:
        cells = []
        for other in labels:
            pairs = [(a, b) for a in places[one] for b in places[other] if a != b]
            cells.append(f"{np.mean([distance[a, b] for a, b in pairs]):.3f}")
        lines.append(f"| {one} | " + " | ".join(cells) + " |")
    return lines


def correlations(found: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Return scores of agents, and the rank correlations of every two scores, as tables."""
    agents = list(dict.fromkeys(agent for values in found.values() for agent in values))
    lines = ["| agent | " + " | ".join(found) + " |", "|---" * (len(found) + 1) + "|"]
    lines += [
        f"| {agent} | " + " | ".join(f"{values.get(agent, math.nan):.3f}" for values in found.values()) + " |"
        for agent in agents
    ]
    lines += ["", "| scores | rank correlation | 95 % | agents |", "|---|---|---|---|"]
    for one, other in combinations(found, 2):
        both = agreement(*([found[m].get(agent, math.nan) for agent in agents] for m in (one, other)))
        shown = "none" if both.interval is None else f"[{both.interval[0]:.2f}, {both.interval[1]:.2f}]"
        lines.append(f"| {one}, {other} | {both.correlation:.2f} | {shown} | {both.agents} |")
    return lines


def main() -> None:
    """Print what the page shows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="folder of the run's results")
    parser.add_argument("--agents", type=Path, help="folder of everything-agents.csv")
    asked = parser.parse_args()
    print("\n".join(report(asked.results, asked.agents)))


if __name__ == "__main__":
    main()
