"""What a run that measures similarities shows, from its stored result.

Dissimilarities 1 - S of tests as distances of points (Fig. 4 of the 2020 paper), with their stress.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from aiq import figures
from aiq.domains.control.gymnasium_family import Gymnasium
from aiq.errors import InputError
from aiq.plans.layout import pair_name
from aiq.plans.products import Products
from aiq.records.arrays import Floats
from aiq.records.table import Cell, Table
from aiq.report.similarity import COLUMNS, row
from aiq.run.products import Draw, Made
from aiq.wings.similarity2020.figures import similarity_halvings, similarity_map, similarity_noise, similarity_shares
from aiq.wings.similarity2020.published import published_similarity, published_table
from aiq.wings.similarity2020.records import Embedding, MergedPair, TestPerformance
from aiq.wings.similarity2020.reduction import Run, SimilarityResult, read_result
from aiq.wings.similarity2020.settings import PublishedAgent

# ---- Dissimilarities 1 - S of tests as distances of points (Fig ----------------------------------


STARTS = 40


def embed(names: Sequence[str], dissimilarity: npt.ArrayLike, *, dimensions: int = 2, seed: int = 0) -> Embedding:
    """Place points so that the sum of (d - δ)² over the known pairs is least.

    The least squares are sought from the classical solution and from random ones; the best is kept. The result is
    centred and turned to its principal axes; reflections are settled by the first point's signs.

    Args:
        names: of the n points.
        dissimilarity: δ, (n, n), symmetric, 0 or more, NaN where unknown; the diagonal is not read.
        dimensions: of the space, 1 or more.
        seed: of the random starts.

    Raises:
        InputError: fewer than two names, a matrix of another shape, negative or unsymmetric dissimilarities, or a
            point none of whose dissimilarities is known.
    """
    asked = np.array(dissimilarity, np.float64)
    n = len(names)
    if n < 2 or asked.shape != (n, n) or dimensions < 1:
        raise InputError(f"{n} tests with dissimilarities of shape {asked.shape} cannot be placed in {dimensions} axes")
    np.fill_diagonal(asked, np.nan)
    if not np.allclose(asked, asked.T, equal_nan=True) or (asked < 0).any():
        raise InputError("dissimilarities must be symmetric and 0 or more; |S| above 1 has none")
    rows, columns = np.nonzero(np.triu(np.isfinite(asked), 1))
    lonely = [name for k, name in enumerate(names) if not np.isfinite(asked[k]).any()]
    if lonely:
        raise InputError(f"no dissimilarity of {', '.join(lonely)} is known, so it has no place; leave it out")
    target = asked[rows, columns]

    def misfit(flat: Floats) -> tuple[float, Floats]:
        """Return the squares and their gradient."""
        points = flat.reshape(n, dimensions)
        apart = points[rows] - points[columns]
        distance = np.sqrt((apart**2).sum(axis=1))
        rest = distance - target
        slope = (2 * rest / np.maximum(distance, 1e-12))[:, None] * apart
        gradient = np.zeros_like(points)
        np.add.at(gradient, rows, slope)
        np.subtract.at(gradient, columns, slope)
        return float((rest**2).sum()), gradient.ravel()

    rng = np.random.default_rng(seed)
    size = max(float(target.max()), 1e-12)
    starts = [_classical(asked, dimensions, target), *rng.normal(0, size, (STARTS, n, dimensions))]
    options = {"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-12}
    runs = [minimize(misfit, s.ravel(), jac=True, method="L-BFGS-B", options=options) for s in starts]
    best = min(runs, key=lambda run: run.fun)
    points = _turned(best.x.reshape(n, dimensions))
    distance = np.sqrt(((points[rows] - points[columns]) ** 2).sum(axis=1))
    total = float((distance**2).sum())
    stress = float(np.sqrt(((distance - target) ** 2).sum() / total)) if total > 0 else 0.0
    return Embedding(tuple(names), points, stress, asked, len(target))


def _classical(asked: Floats, dimensions: int, target: Floats) -> Floats:
    """Return Torgerson's solution, unknown pairs taken as the mean."""
    squares = np.where(np.isfinite(asked), asked, target.mean()) ** 2
    np.fill_diagonal(squares, 0.0)
    centre = np.eye(len(asked)) - 1 / len(asked)
    values, vectors = np.linalg.eigh(-centre @ squares @ centre / 2)
    kept = [k for k in np.argsort(values)[::-1][:dimensions] if values[k] > 0]
    found = np.zeros((len(asked), dimensions))
    found[:, : len(kept)] = vectors[:, kept] * np.sqrt(values[kept])
    return found


def _turned(points: Floats) -> Floats:
    """Return points about their centre, along their principal axes, the largest coordinate of each axis positive."""
    centred = points - points.mean(axis=0)
    turned = centred @ np.linalg.svd(centred, full_matrices=False)[2].T if len(points) > 1 else centred
    found = np.zeros_like(points)
    found[:, : turned.shape[1]] = turned
    largest = np.abs(found).argmax(axis=0)
    signs = np.sign(found[largest, np.arange(found.shape[1])])
    return np.asarray(found * np.where(signs == 0, 1.0, signs))


# ---- What a run that measures similarities shows, from its stored result -------------------------


Pair = tuple[str, str]


def show(run: Run, declared: Products) -> Made:
    """Return the matrix of every merge, the map, single runs, the studies of shares and sizes, and the tables."""
    found, c = read_result(run), run.configuration
    printed = published_similarity(c.published)
    drawings: dict[str, Draw] = {}
    for merge in c.merges:
        drawings[f"similarity-{merge}"] = lambda merge=merge: figures.similarity_matrix(
            {(p.a, p.b): p.similarity for p in _of(run, found, merge)},
            domains=list(c.domains),
            absolute=c.absolute,
            published=printed or None if merge == "sampled" else None,  # nothing is printed of stitched pairs
            published_absolute=c.published is not None and c.published.absolute,
        )
    drawings["similarity-map"] = lambda: similarity_map(embeddings(run, found))
    drawings["similarity-noise"] = lambda: similarity_noise(found.pairs, published=printed)
    for a, b in c.chosen_pairs:
        name = pair_name(a, b)
        drawings[f"performance-{name}"] = lambda a=a, b=b: similarity_shares(
            [p for p in _about(found, a, b) if p.halvings == c.halvings[0] and p.kind != "stitched"]
        )
        drawings[f"halvings-{name}"] = lambda a=a, b=b: similarity_halvings(
            [p for p in _about(found, a, b) if p.kind != "sampled" or p.at == c.at]
        )
    tables = {
        "performance": lambda: performance_table(run, found),
        "similarity": lambda: similarity_table(found),
        "published": lambda: published_table(run, found),
    }
    return Made(drawings, tables)


def _of(run: Run, found: SimilarityResult, merge: str) -> list[MergedPair]:
    return [p for p in found.pairs if p.merge == merge and p.halvings == run.configuration.halvings[0]]


def _about(found: SimilarityResult, a: str, b: str) -> list[TestPerformance]:
    """Return performances on two tests, alone and merged with each other or with themselves."""
    return [p for p in found.performances if {p.a, p.b} <= {a, b}]


def embeddings(run: Run, found: SimilarityResult) -> dict[str, Embedding]:
    """Return the map of our similarities, and of the printed ones where all pairs of three or more tests are.

    Where the printed ones are |S|, so are ours. Tests none of whose similarities is determined have no place and are
    left out.
    """
    c = run.configuration
    absolute = c.absolute or (c.published is not None and c.published.absolute)
    measured = {(p.a, p.b): p.similarity for p in _of(run, found, "sampled") if p.a != p.b}
    ours = {pair: s.absolute if absolute else s.value for pair, s in measured.items()}
    maps = {"here": _map(list(c.domains), ours, c.seed)}
    printed = {pair: value for pair, value in published_similarity(c.published).items() if pair[0] != pair[1]}
    names = list(dict.fromkeys(name for pair in printed for name in pair))
    if len(names) > 2 and len(printed) == len(names) * (len(names) - 1) // 2:
        maps["in print"] = _map(names, printed, c.seed)
    return {title: one for title, one in maps.items() if one is not None}


def _map(names: Sequence[str], values: Mapping[Pair, float | None], seed: int) -> Embedding | None:
    """Return tests in the plane; None where fewer than two have a place."""
    asked = np.full((len(names), len(names)), np.nan)
    for (a, b), value in values.items():
        if value is not None:
            i, j = names.index(a), names.index(b)
            asked[i, j] = asked[j, i] = 1 - value
    placed = [k for k in range(len(names)) if np.isfinite(asked[k]).any()]
    if len(placed) < 2:
        return None
    return embed([names[k] for k in placed], asked[np.ix_(placed, placed)], seed=seed)


def performance_table(run: Run, found: SimilarityResult) -> Table:
    """Return one row per test, alone or merged (Table 1); raw returns beside performances on [0, 1] of played tests.

    ``mean_of_pool`` is the mean over all networks where the performance is that of the best one of a pool.
    """
    columns = ("test", "kind", "a", "b", "share_of_a", "halvings", "parameters", "performance", "low", "high")
    rows = []
    for p in found.performances:
        what = (p.label, p.kind, p.a, p.b, p.at, p.halvings, p.parameters)
        rows.append((*what, *p.performance.cells(), _raw(run, p), p.performance.n, p.lost, p.typical))
    return Table.of((*columns, "raw_return", "trainings", "lost", "mean_of_pool"), rows)


def _raw(run: Run, found: TestPerformance) -> Cell:
    """Return the return behind a performance on one played test; at the ends of its range only a bound is known."""
    source = run.configuration.domains[found.a]
    if found.kind != "alone" or not isinstance(source, Gymnasium):
        return None
    if isinstance(run.configuration.agent, PublishedAgent):
        return found.performance.value
    low, high = source.bounds
    return low + found.performance.value * (high - low)


def similarity_table(found: SimilarityResult) -> Table:
    """Return one row per pair, merge and network (Tables 2 and 3), with the mean |S| of single runs."""
    rows = []
    for p in found.pairs:
        single = p.single[np.isfinite(p.single)]
        rows.append((*row(p.a, p.b, p.similarity), p.merge, p.halvings, float(single.mean()) if single.size else None))
    return Table.of((*COLUMNS, "merge", "halvings", "single_runs"), rows)


def main_table(run: Run) -> Table:
    """The similarity of every pair, and what limits it."""
    found = read_result(run)
    first = run.configuration.halvings[0]
    rows = []
    for pair in found.pairs:
        if pair.halvings == first and pair.a != pair.b:
            s = pair.similarity
            low, high = s.interval or (None, None)
            rows.append((pair.a, pair.b, pair.merge, s.value, low, high, s.sufficient, s.note or None))
    return Table.of(("a", "b", "merge", "similarity", "low", "high", "sufficient", "note"), rows)
