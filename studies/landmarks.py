"""How many landmarks a suite needs: error of completed dissimilarities, and what their intervals hold.

Suites of 30 to 1,000 simulated tests in 2, 3 or 5 dimensions, with six weak ones (.1) besides; a pair is measured with
an error of 5 % of the root mean square dissimilarity. Landmarks are chosen farthest-point, from the measured distances
as they come, or at random. The same on the dissimilarities of a real suite of 16 variants of three image data sets,
where all pairs were measured. Large suites are judged on 100 tests that are no landmarks, drawn at random.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.figures import style
from aiq.measures import quotient, space
from aiq.measures.dissimilarity import landmarks
from studies.cells import Cells, Row

Floats = npt.NDArray[np.float64]

NOISE, WEAK, WEAK_DIMENSIONS = 0.05, 0.1, 6
JUDGED = 100  # tests of a large suite on which completions are judged
DRAWS, SUITES = 40, (3, 1)  # full, quick
COUNTS = (3, 4, 6, 8, 12, 20, 40)
REAL = Path(__file__).resolve().parent / "results" / "landmarks_suite.csv"
WANTED = (0.2, 0.15, 0.1)
AGENTS = 5


@dataclass(frozen=True)
class Case:
    """One kind of suite: number of tests, of strong dimensions, and how landmarks are chosen."""

    tests: int
    dimensions: int
    choice: str

    @property
    def words(self) -> Row:
        """The case as columns."""
        return {"suite": "simulated", "tests": self.tests, "dimensions": self.dimensions, "choice": self.choice}


FULL = tuple(Case(n, d, how) for n in (30, 1000) for d in (2, 3, 5) for how in ("farthest", "random"))
QUICK = (Case(30, 2, "farthest"),)


class Suite:
    """Tests whose dissimilarities are measured when they are asked for, each pair once."""

    def __init__(self, case: Case, seed: int) -> None:
        """Draw the tests."""
        self.rng = seeding.generator(seed, "landmarks study", *(str(x) for x in case.words.values()))
        points = np.abs(self.rng.normal(size=(case.tests, case.dimensions)))
        points = np.hstack([points, WEAK * self.rng.normal(size=(case.tests, WEAK_DIMENSIONS))])
        self.points = points / np.linalg.norm(points, axis=1, keepdims=True)
        square = 2 - 2 * self.points @ self.points.T
        self.true = np.sqrt(np.maximum(square, 0.0))
        np.fill_diagonal(self.true, 0.0)
        self.true /= self.true.max()
        self.se = NOISE * float(np.sqrt((self.true**2).mean()))

    def measured(self) -> Floats:
        """Return the whole measured matrix."""
        error = np.triu(self.se * self.rng.standard_normal(self.true.shape), 1)
        found = np.abs(self.true + error + error.T)
        np.fill_diagonal(found, 0.0)
        return found


def chosen(matrix: Floats, count: int, choice: str, rng: np.random.Generator) -> list[int]:
    """Return landmarks of a measured matrix."""
    if choice == "random":
        return [int(i) for i in rng.permutation(len(matrix))[:count]]
    return list(landmarks.farthest_points(matrix, count))


def judged(
    matrix: Floats, se: Floats, true: Floats, at: list[int], rng: np.random.Generator, own: bool = False
) -> dict[str, float]:
    """Return the error of completed pairs, and what the intervals hold.

    Args:
        matrix: measured, (n, n).
        se: its standard errors.
        true: what is looked for in the intervals.
        at: landmarks.
        rng: source of randomness.
        own: what is looked for was measured itself: its own noise is added to the intervals.
    """
    rest = [i for i in rng.permutation(len(matrix)) if i not in at][:JUDGED]
    some = np.array([*at, *rest])
    m, s, t, k = matrix[np.ix_(some, some)], se[np.ix_(some, some)], true[np.ix_(some, some)], list(range(len(at)))
    count = landmarks.left_out_dimensions(m[k], k)
    completion = landmarks.complete(m[k], k, dimensions=count)
    told = landmarks.left_out_error(m[k], k, count)
    step = np.triu(rng.standard_normal((DRAWS, *m.shape)), 1)
    noise = s * (step + step.transpose(0, 2, 1))
    drawn = np.abs(m + noise)
    i, j = np.triu_indices(len(m), 1)
    i, j = i[completion.measured[i, j] == 0], j[completion.measured[i, j] == 0]
    found = {
        "error": landmarks.completion_error(completion, t).relative,
        "error_by_spectrum": landmarks.completion_error(landmarks.complete(m[k], k), t).relative,
        "error_told": np.nan if told is None else told,
    }
    plain = np.array([landmarks.complete(one[k], k, dimensions=count).matrix for one in drawn])
    whole = landmarks.replicates(m, drawn, k, rng, count)
    for name, replicates in (("held", whole), ("held_by_rows", plain)):
        here = replicates[:, i, j] + own * s[i, j] * rng.standard_normal((DRAWS, i.size))
        low, high = np.quantile(here, [0.025, 0.975], axis=0)
        found[name] = float(((low <= t[i, j]) & (t[i, j] <= high)).mean())
        if name == "held":
            found["width"] = float((high - low).mean()) / float(np.sqrt((t[i, j] ** 2).mean()))
    return found


def moved(matrix: Floats, at: list[int], dimensions: int, seed: int) -> float:
    """Return by how much AIQ per dimension of any agent moves when the space is built from landmarks alone."""
    n = len(matrix)
    rng = seeding.generator(seed, "landmarks study agents")
    names, c = [f"d{i}" for i in range(n)], rng.uniform(0.5, 1.0, n)
    table = rng.uniform(0.2, 0.9, (AGENTS, 1)) * rng.uniform(0.7, 1.0, (AGENTS, n))
    whole = space.build(names, c, matrix, dimensions=dimensions, merge=False)
    count = landmarks.left_out_dimensions(matrix[at], at)
    completed = landmarks.complete(matrix[at], at, dimensions=count).matrix
    part = space.build(names, c, completed, dimensions=dimensions, merge=False)
    agents = [f"a{i}" for i in range(AGENTS)]
    first, second = (
        {score.agent: score.per_dimension.value for score in quotient.score(built, agents, table).agents}
        for built in (whole, part)
    )
    return max(abs(first[agent] - second[agent]) for agent in agents)


def case_rows(case: Case, quick: bool) -> list[Row]:
    """Return a row per number of landmarks; those of a suite are the first of one order."""
    counts = COUNTS[1:3] if quick else [k for k in COUNTS if k <= case.tests // 2]
    found: dict[int, list[dict[str, float]]] = {count: [] for count in counts}
    for seed in range(SUITES[quick]):
        suite = Suite(case, seed)
        matrix = suite.measured()
        order = chosen(matrix, max(counts), case.choice, suite.rng)
        for count in counts:
            at = order[:count]
            one = judged(matrix, np.full(matrix.shape, suite.se), suite.true, at, suite.rng)
            if case.tests <= 30:
                one["aiq_moves"] = moved(matrix, at, case.dimensions, seed)
            found[count].append(one)
    return [{**case.words, **_counted(case.tests, count), **_means(found[count])} for count in counts]


def real_rows() -> list[Row]:
    """Return a row per number of landmarks and choice of the real suite; random choices are means over ten."""
    names, matrix, se = real()
    root = np.sqrt(np.maximum(matrix**2 - se**2, 0.0))
    rows = []
    for choice in ("farthest", "random"):
        for count in range(3, len(names) - 3):
            found = []
            for seed in range(1 if choice == "farthest" else 10):
                rng = seeding.generator(seed, "landmarks study real", choice, count)
                at = chosen(root, count, choice, rng)
                found.append(judged(root, se, root, at, rng, own=True))
            words = {"suite": "image variants", "tests": len(names), "dimensions": None, "choice": choice}
            rows.append({**words, **_counted(len(names), count), **_means(found)})
    return rows


def real() -> tuple[list[str], Floats, Floats]:
    """Return names, signed areas and their standard errors of the real suite, both (n, n) with zero diagonals."""
    with REAL.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = sorted({row["a"] for row in rows} | {row["b"] for row in rows})
    matrix, se = np.zeros((len(names), len(names))), np.zeros((len(names), len(names)))
    for row in rows:
        i, j = names.index(row["a"]), names.index(row["b"])
        if i != j:
            matrix[i, j] = matrix[j, i] = float(row["dissimilarity"])
            se[i, j] = se[j, i] = float(row["se"])
    return names, matrix, se


def _counted(tests: int, count: int) -> Row:
    """Return the number of landmarks and the share of the pairs that they need."""
    pairs = count * (tests - count) + count * (count - 1) // 2
    return {"landmarks": count, "pairs": pairs, "share_of_pairs": pairs / (tests * (tests - 1) / 2)}


def _means(found: list[dict[str, float]]) -> Row:
    return {name: float(np.mean([one[name] for one in found])) for name in found[0]}


def run(quick: bool, cells: Cells) -> list[Row]:
    """Return a row per suite, choice and number of landmarks."""
    rows = []
    for case in QUICK if quick else FULL:
        rows += cells.of({**case.words, "quick": quick}, lambda case=case: case_rows(case, quick))  # type: ignore[misc]
    return rows if quick else rows + cells.of({"suite": "real"}, real_rows)


def needed(rows: list[Row]) -> list[str]:
    """Return how many landmarks keep the error below what is wanted, by suite and choice, as lines of a table."""
    kinds = dict.fromkeys((row["suite"], row["tests"], row["dimensions"], row["choice"]) for row in rows)
    head = " | ".join(f"{x:.0%}" for x in WANTED)
    lines = [f"| suite | tests | dimensions | choice | {head} |", "|---" * (4 + len(WANTED)) + "|"]
    for kind in kinds:
        own = [r for r in rows if (r["suite"], r["tests"], r["dimensions"], r["choice"]) == kind]
        cells = []
        for wanted in WANTED:
            bad = max((r["landmarks"] for r in own if r["error"] > wanted), default=0)
            enough = [r["landmarks"] for r in own if r["landmarks"] > bad]
            cells.append(str(min(enough)) if enough else f"more than {bad}")
        lines.append("| " + " | ".join(["–" if x is None else str(x) for x in kind] + cells) + " |")
    return lines


def NOTES(rows: list[Row]) -> str:  # noqa: N802  a name that the frame looks for
    """Return what the columns mean, and the numbers of landmarks that an error needs."""
    return "\n".join([
        "`error`: root mean square error of completed pairs over the root mean square dissimilarity (against the",
        "truth; of the real suite against what was measured, whose own noise is in it); `error_by_spectrum`: with all",
        "the dimensions that the landmarks' spectrum offers, and not those that complete best the landmarks left out;",
        "`error_told`: what the landmarks left out say of it. `held`: share of the completed pairs whose 95 % interval",
        "holds the truth, `width` its mean width over the root mean square dissimilarity; `held_by_rows`: the same",
        "had intervals only the errors of the measured rows. `aiq_moves`: largest change of AIQ per dimension of five",
        "agents against the space of all measured pairs, in the true number of dimensions.",
        "", "## Landmarks that an error needs", "", *needed(rows),
    ])  # fmt: skip


def draw(rows: list[Row], path: Path) -> None:
    """Draw error and coverage against the number of landmarks, and the error against its cost."""
    with style.look():
        figure = style.new_figure(style.DOUBLE, 3.0)
        left, right, cost = figure.subplots(1, 3)
        kinds = dict.fromkeys((row["suite"], row["tests"], row["dimensions"]) for row in rows)
        for place, kind in enumerate(kinds):
            for choice, line in (("farthest", "-"), ("random", "--")):
                own = [r for r in rows if (r["suite"], r["tests"], r["dimensions"], r["choice"]) == (*kind, choice)]
                name = f"{kind[1]} tests, {kind[2]} dimensions" if kind[2] not in (None, "") else f"{kind[1]} {kind[0]}"
                look = {"color": style.colour(place), "marker": style.marker(place), "markersize": 3, "linestyle": line}
                x = [r["landmarks"] for r in own]
                left.plot(x, [r["error"] for r in own], label=name if choice == "farthest" else None, **look)
                right.plot(x, [r["held"] for r in own], **look)
                cost.plot([r["share_of_pairs"] for r in own], [r["error"] for r in own], **look)
        for axes in (left, cost):
            axes.set_yscale("log")
            axes.set_yticks([0.05, 0.1, 0.2, 0.5], [".05", ".1", ".2", ".5"])
        style.grid(cost)
        cost.set_xscale("log")
        cost.set_xticks([0.01, 0.03, 0.1, 0.3, 1], ["1 %", "3 %", "10 %", "30 %", "100 %"])
        cost.minorticks_off()
        cost.set_xlabel("pairs measured, of all")
        cost.set_ylabel("relative error of completed pairs")
        left.set_ylabel("relative error of completed pairs")
        right.axhline(0.95, color=style.GREY, linewidth=0.6)
        right.set_ylabel("held by their 95 % intervals")
        for axes in (left, right):
            style.grid(axes)
            axes.set_xscale("log")
            axes.set_xticks([3, 4, 6, 8, 12, 20, 40], ["3", "4", "6", "8", "12", "20", "40"])
            axes.minorticks_off()
            axes.set_xlabel("landmarks (dashed: at random)")
        figure.legend(loc="outside lower center", ncols=4)
        figure.savefig(path)


def main() -> None:
    """Draw the figure of the committed table."""
    with (REAL.parent / "landmarks.csv").open(encoding="utf-8") as file:
        rows = [{k: _number(v) for k, v in row.items()} for row in csv.DictReader(file)]
    draw(rows, REAL.parents[2] / "docs" / "images" / "runs" / "landmarks.png")


def _number(cell: str) -> object:
    """Return a cell as a number where it is one."""
    try:
        return float(cell) if "." in cell or "e" in cell else int(cell)
    except ValueError:
        return cell


if __name__ == "__main__":
    main()
