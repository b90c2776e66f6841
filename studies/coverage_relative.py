"""Coverage of relative dissimilarities, from curves with ends and twins to weights and values, with known truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.measures import skills, weighing
from aiq.measures.dissimilarity.mixture_curves import area_weights
from aiq.plans.layout import parted
from aiq.records.quotient import Skills
from aiq.run.reducing.measuring import relatives
from aiq.tables.locating import by_relative
from studies.cells import Cells, Row

Floats = npt.NDArray[np.float64]

POINTS = (0.0, 0.25, 0.5, 0.75, 1.0)
SUITES, QUICK_SUITES, DRAWS = 400, 20, 400
LENGTH_SE, AGENT_SD, AGENTS, TRAININGS = 0.02, 0.03, 3, 4
NOTES = """Curves of five proportions with three times as many ends as repetitions, shared by all pairs of a test and by
its twins; twins' departures are a sum of one part per test, times 1 + a part of each twin's own in each pair (`spread`,
its standard deviation). `noise` is the standard deviation of a training. Truth: strangers 1; families of three tests at
.1 to .3 and 1 between them; or directions drawn at random. All goes through `relatives`, `by_relative` and `skills`, as
in a run with `space.distance: relative`. Lengths have an error of .02, agents one of .03 and four trainings. Columns:
coverage of nominal .95 and how many intervals there are; `undefined`: share of pairs without a number, which count as
unrelated in what follows from them and are drawn evenly between the same and unrelated. Monte Carlo errors are .01 to
.02 for numbers of a suite."""


@dataclass(frozen=True)
class Design:
    """One cell."""

    truth: str
    repetitions: int
    twins: int
    noise: float
    spread: float = 0.1
    tests: int = 6

    @property
    def names(self) -> tuple[str, ...]:
        """Of the tests."""
        return tuple("abcdefgh"[: self.tests])


CELLS = (
    *(Design(truth, 4, 2, 0.01) for truth in ("strangers", "families", "directions")),
    *(Design(truth, 6, 3, 0.01) for truth in ("strangers", "families", "directions")),
    Design("families", 4, 2, 0.02),
    Design("directions", 6, 3, 0.02),
    Design("families", 6, 3, 0.01, spread=0.2),
    Design("families", 3, 2, 0.01),
)
QUICK = (CELLS[4],)


def run(quick: bool, cells: Cells | None = None) -> list[Row]:
    """Return a row a cell.

    Args:
        quick: one cell of 20 suites instead of ten of 400.
        cells: what was finished before.
    """
    cells = cells or Cells(None, "", lambda line: None)
    suites = QUICK_SUITES if quick else SUITES
    rows: list[Row] = []
    for design in QUICK if quick else CELLS:
        key = {**asdict(design), "suites": suites}
        rows += cells.of(key, lambda design=design: [study(design, suites)])  # type: ignore[misc]
    return rows


class Simulated:
    """One suite as it would be measured: what ``relatives`` asks of the measuring of a run."""

    def __init__(self, design: Design, rho: Floats, rng: np.random.Generator) -> None:
        self._design, self._rng, self._rho = design, rng, rho
        self._level = dict(zip(design.names, rng.uniform(0.6, 0.9, design.tests), strict=True))
        self._part = dict(zip(design.names, rng.uniform(0.025, 0.055, design.tests), strict=True))
        count = 3 * design.repetitions
        self._ends = {name: level + design.noise * rng.normal(size=count) for name, level in self._level.items()}
        inner = np.array(POINTS[1:-1])
        self._bow = inner * (1 - inner) / -float(area_weights(np.array(POINTS))[1:-1] @ (inner * (1 - inner)))

    def ends_of(self, name: str) -> Floats:
        """Return the trainings at the end of a test."""
        return self._ends[name]

    def scored(self, pair: tuple[str, str]) -> Floats:
        """Return the curves (R, P') of a pair, without ends."""
        design, (one, other) = self._design, (parted(name) for name in pair)
        stranger = self._part[one[0]] + self._part[other[0]]
        i, j = (design.names.index(name) for name, _ in (one, other))
        factor = 1 + design.spread * self._rng.normal() if one[1] or other[1] else self._rho[i, j]
        points = np.array(POINTS[1:-1])
        line = points * self._level[one[0]] + (1 - points) * self._level[other[0]]
        noise = design.noise * self._rng.normal(size=(design.repetitions, points.size))
        return np.asarray(line - stranger * factor * self._bow + noise)


def truth(design: Design, rng: np.random.Generator) -> Floats:
    """Return relative dissimilarities (n, n)."""
    n = design.tests
    if design.truth == "directions":
        points = np.abs(rng.normal(size=(n, 3)))
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        return np.asarray(1 - points @ points.T)
    rho = np.ones((n, n))
    for i, j in combinations(range(n), 2):
        if design.truth == "families" and i // 3 == j // 3:
            rho[i, j] = rho[j, i] = rng.uniform(0.1, 0.3)
    np.fill_diagonal(rho, 0.0)
    return rho


def run_of(design: Design) -> Any:
    """Return what ``relatives`` reads of a run."""
    names = design.names
    settings = SimpleNamespace(
        twins=design.twins, twins_of="pairs", repetitions=design.repetitions, points=POINTS, confidence=0.95
    )
    pairs = tuple((a, b) for k, b in enumerate(names) for a in names[: k + 1])
    configuration = SimpleNamespace(dissimilarity=settings, domains=dict.fromkeys(names), control=False)
    return SimpleNamespace(configuration=configuration, plan=SimpleNamespace(pairs=pairs))


def study(design: Design, suites: int) -> Row:
    """Return the row of one cell."""
    held: dict[str, list[bool]] = {"rho": [], "independent": [], "weight": [], "value": [], "difference": []}
    lost = pairs = 0
    for number in range(suites):
        rng = seeding.generator(0, "study", "relative", *(str(one) for one in asdict(design).values()), number)
        rho, length = truth(design, rng), rng.uniform(0.2, 0.8, design.tests)
        reached = rng.uniform(0.3, 0.95, (AGENTS, design.tests))
        found = relatives(run_of(design), Simulated(design, rho, rng))  # type: ignore[arg-type]
        for pair in found:
            interval = pair.relative.estimate.interval
            pairs, lost = pairs + 1, lost + bool(pair.relative.undefined)
            if interval is not None:
                at = design.names.index(pair.a), design.names.index(pair.b)
                held["rho"].append(interval[0] <= rho[at] <= interval[1])
        matrix, known = by_relative(design.names, found, DRAWS, number)
        measured = length + LENGTH_SE * rng.normal(size=design.tests)
        trained = np.clip(reached[..., None] + AGENT_SD * rng.normal(size=(*reached.shape, TRAININGS)), 0, 1)
        error = np.full(design.tests, LENGTH_SE)
        said = _scored(design.names, measured, matrix, trained, number, length_se=error, **_cosines(known))
        true = _scored(design.names, length, np.sqrt(np.maximum(rho, 0)), reached[..., None], number, cosines=1 - rho)
        _compare(held, said, true)
    row: Row = {**asdict(design), "suites": suites, "undefined": lost / pairs}
    for what, hits in held.items():
        row |= {what: float(np.mean(hits)), f"{what} intervals": len(hits)}
    return row


def _cosines(known: dict[str, Any]) -> dict[str, Any]:
    """Return what is known of the cosines, as options of ``skills.weigh``."""
    return {name: known[name] for name in ("cosines", "cosine_replicates", "cosine_df")}


def _scored(names: Sequence[str], length: Floats, matrix: Floats, trained: Floats, seed: int, **how: Any) -> Skills:
    """Return the values of the agents (A, n, R)."""
    weights = weighing.weigh(names, length, matrix, **how, draws=DRAWS, seed=seed)
    return skills.score(weights, {f"agent-{k}": list(one) for k, one in enumerate(trained)}, seed=seed)


def _compare(held: dict[str, list[bool]], said: Skills, true: Skills) -> None:
    """Note which intervals hold the truth."""

    def note(what: str, one: Any, value: float) -> None:
        if one.interval is not None:
            held[what].append(one.interval[0] <= value <= one.interval[1])

    note("independent", said.weights.independent, true.weights.independent.value)
    for one, other in zip(said.weights.tests, true.weights.tests, strict=True):
        note("weight", one.weight, other.weight.value)
    values = {agent.agent: agent.value.value for agent in true.agents}
    for agent in said.agents:
        note("value", agent.value, values[agent.agent])
    for a, b in combinations(sorted(values), 2):
        note("difference", skills.difference(said, a, b), values[a] - values[b])
