"""What a run that measures similarities shows: figures, tables, and every published number beside the run's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from aiq import figures
from aiq.domains.control.gymnasium_family import Gymnasium
from aiq.measures import similarity
from aiq.plans.layout import pair_name
from aiq.plans.products import Products
from aiq.records.estimate import Estimate
from aiq.records.table import Cell, Table
from aiq.run.products import Draw, Made
from aiq.tables.columns import SIMILARITIES, similarity_row
from aiq.wings.similarity2020 import figures as own
from aiq.wings.similarity2020.figures import Embedding, embed
from aiq.wings.similarity2020.reduction import COLUMNS, MergedPair, Run, SimilarityResult, TestPerformance, read_result
from aiq.wings.similarity2020.settings import PublishedAgent, PublishedValues

Pair = tuple[str, str]
PUBLISHED = ("quantity", "test", "published", "ours", "low", "high", "inside", "trainings", "note")


def show(run: Run, declared: Products) -> Made:
    """Return the matrix of every merge, the map, single runs, the studies of shares and sizes, and the tables."""
    result, c = read_result(run), run.configuration
    printed = published_similarity(c.published)
    drawings: dict[str, Draw] = {}
    for merge in c.merges:
        drawings[f"similarity-{merge}"] = lambda merge=merge: figures.similarity_matrix(
            {(p.a, p.b): p.similarity for p in _of(run, result, merge)},
            domains=list(c.domains),
            absolute=c.absolute,
            published=printed or None if merge == "sampled" else None,  # nothing is printed of stitched pairs
            published_absolute=c.published is not None and c.published.absolute,
        )
    drawings["similarity-map"] = lambda: own.similarity_map(embeddings(run, result))
    drawings["similarity-noise"] = lambda: own.similarity_noise(result.pairs, published=printed)
    for a, b in c.chosen_pairs:
        name = pair_name(a, b)
        drawings[f"performance-{name}"] = lambda a=a, b=b: own.similarity_shares(
            [p for p in _about(result, a, b) if p.halvings == c.halvings[0] and p.kind != "stitched"]
        )
        drawings[f"halvings-{name}"] = lambda a=a, b=b: own.similarity_halvings(
            [p for p in _about(result, a, b) if p.kind != "sampled" or p.at == c.at]
        )
    tables = {
        "performance": lambda: performance_table(run, result),
        "similarity": lambda: similarity_table(result),
        "published": lambda: published_table(run, result),
    }
    return Made(drawings, tables)


def _of(run: Run, result: SimilarityResult, merge: str) -> list[MergedPair]:
    return [p for p in result.pairs if p.merge == merge and p.halvings == run.configuration.halvings[0]]


def _about(result: SimilarityResult, a: str, b: str) -> list[TestPerformance]:
    """Return performances on two tests, alone and merged with each other or with themselves."""
    return [p for p in result.performances if {p.a, p.b} <= {a, b}]


def embeddings(run: Run, result: SimilarityResult) -> dict[str, Embedding]:
    """Return the map of our similarities, and of the printed ones where all pairs of three or more tests are.

    Where the printed ones are |S|, so are ours. Tests none of whose similarities is determined have no place and are
    left out.
    """
    c = run.configuration
    absolute = c.absolute or (c.published is not None and c.published.absolute)
    measured = {(p.a, p.b): p.similarity for p in _of(run, result, "sampled") if p.a != p.b}
    ours = {pair: s.absolute if absolute else s.value for pair, s in measured.items()}
    maps = {"here": _map(list(c.domains), ours, c.seed)}
    printed = {pair: value for pair, value in published_similarity(c.published).items() if pair[0] != pair[1]}
    names = list(dict.fromkeys(name for pair in printed for name in pair))
    if len(names) > 2 and len(printed) == len(names) * (len(names) - 1) // 2:
        maps["in print"] = _map(names, printed, c.seed)
    return {title: embedding for title, embedding in maps.items() if embedding is not None}


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


def performance_table(run: Run, result: SimilarityResult) -> Table:
    """Return one row per test, alone or merged (Table 1), with raw returns of played tests and means of whole pools."""
    rows = [(*p.cells(), _raw(run, p), p.performance.n, p.lost, p.typical) for p in result.performances]
    return Table.of((*COLUMNS, "raw_return", "trainings", "lost", "mean_of_pool"), rows)


def _raw(run: Run, tested: TestPerformance) -> Cell:
    """Return the return behind a performance on one played test; at the ends of its range only a bound is known."""
    source = run.configuration.domains[tested.a]
    if tested.kind != "alone" or not isinstance(source, Gymnasium):
        return None
    if isinstance(run.configuration.agent, PublishedAgent):
        return tested.performance.value
    low, high = source.bounds
    return low + tested.performance.value * (high - low)


def similarity_table(result: SimilarityResult) -> Table:
    """Return one row per pair, merge and network (Tables 2 and 3), with the mean |S| of single runs."""
    rows = []
    for p in result.pairs:
        single = p.single[np.isfinite(p.single)]
        mean = float(single.mean()) if single.size else None
        rows.append((*similarity_row((p.a, p.b), p.similarity), p.merge, p.halvings, mean))
    return Table.of((*SIMILARITIES, "merge", "halvings", "single_runs"), rows)


def main_table(run: Run) -> Table:
    """The similarity of every pair, and what limits it."""
    result = read_result(run)
    first = run.configuration.halvings[0]
    rows = []
    for pair in result.pairs:
        if pair.halvings == first and pair.a != pair.b:
            s = pair.similarity
            low, high = s.interval or (None, None)
            rows.append((pair.a, pair.b, pair.merge, s.value, low, high, s.sufficient, s.note or None))
    return Table.of(("a", "b", "merge", "similarity", "low", "high", "sufficient", "note"), rows)


def published_similarity(values: PublishedValues | None) -> dict[Pair, float]:
    """Return the printed similarities by pair."""
    printed = [(pair.split("+"), value) for pair, value in (values.similarity if values is not None else {}).items()]
    return {(a, b): value for (a, b), value in printed}


def published_table(run: Run, result: SimilarityResult) -> Table:
    """Return one row a published number: V of tests alone, S of pairs, and V_AB that both imply.

    ``inside``: whether the published number lies in our interval; where numbers come from single runs (the published
    recipe), whether it lies in the range of 95 % of such runs. It says that the numbers agree, not why.
    """
    c = run.configuration
    if c.published is None:
        return Table.of(PUBLISHED, [])
    first = c.halvings[0]
    alone = {p.a: p.performance for p in result.performances if p.kind == "alone" and p.halvings == first}
    rows = [_row("V alone", name, value, alone[name]) for name, value in c.published.performance.items()]
    pairs = {frozenset((p.a, p.b)): p for p in result.pairs if p.halvings == first and p.merge == c.merges[0]}
    for pair, value in published_similarity(c.published).items():
        ours = pairs.get(frozenset(pair))
        name = " – ".join(pair)
        if ours is None:
            note = "self-pair: 0/0, undefined" if pair[0] == pair[1] else "not measured"
            rows.append(("S", name, value, None, None, None, None, None, note))
            continue
        rows.append(_similarity(name, value, ours, c.published.absolute))
        a, b = (c.published.performance.get(test) for test in pair)
        if not c.published.absolute and a is not None and b is not None:
            implied = float(similarity.implied(a, b, value))
            rows.append(_row("V_AB implied by S", name, implied, ours.similarity.v_ab))
    return Table.of(PUBLISHED, rows)


def _row(quantity: str, name: str, value: float, ours: Estimate) -> tuple[Cell, ...]:
    if ours.interval is None:
        return (quantity, name, value, ours.value, None, None, None, ours.n, "no interval: fewer than 2 trainings")
    low, high = ours.interval
    return (quantity, name, value, ours.value, low, high, low <= value <= high, ours.n, None)


def _similarity(name: str, value: float, ours: MergedPair, absolute: bool) -> tuple[Cell, ...]:
    """Return the cells of a similarity; |S| of single runs, where the printed number is one run of a program."""
    s, single = ours.similarity, ours.single[np.isfinite(ours.single)]
    if absolute and single.size > 1:
        low, high = (float(end) for end in np.quantile(single, [0.025, 0.975]))
        inside = bool(low - 0.005 <= value <= high + 0.005)
        note = "mean and range of 95 % of single runs" + (f"; {s.note}" if s.note else "")
        return ("|S| of one run", name, value, float(single.mean()), low, high, inside, int(single.size), note)
    low, high = s.interval or (None, None)  # type: ignore[assignment]
    covered = any(start <= value <= end for start, end in s.segments) if s.segments else None
    pieces = "; the set has two pieces" if len(s.segments) > 1 else ""
    note = (s.note + pieces).strip("; ") or f"sufficient: {s.verdict}"
    return ("S", name, value, s.value, low, high, covered, s.n, note)
