"""What a run that measures similarities shows, from its stored result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from aiq import figures
from aiq.domains.control.gymnasium_family import Gymnasium
from aiq.plans.layout import pair_name
from aiq.plans.products import Products
from aiq.records.table import Cell, Table
from aiq.tasks.shell.publishing import Draw, Made
from aiq.tasks.suite.reducing.similarity import COLUMNS, row
from aiq.wings.similarity2020.embedding import embed
from aiq.wings.similarity2020.figures import similarity_halvings, similarity_map, similarity_noise, similarity_shares
from aiq.wings.similarity2020.published import published_similarity, published_table
from aiq.wings.similarity2020.records import Embedding, MergedPair, TestPerformance
from aiq.wings.similarity2020.reduction import Run, SimilarityResult, read_result
from aiq.wings.similarity2020.settings import PublishedAgent

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
