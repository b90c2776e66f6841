"""Our numbers beside the baselines that people know: rank correlations, a figure and tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from aiq import figures, storage
from aiq.errors import InputError
from aiq.explain.finished import FinishedRun
from aiq.plans.run import SuiteRun as Run
from aiq.records.comparison import BaselineComparison, KnownBaselines, Ranked
from aiq.records.complexity import Complexity
from aiq.run.products import Made
from aiq.run.reducing.known_baselines import known_baselines
from aiq.stats.ranks import rank_correlation

MEANING: Mapping[str, str] = {
    "linear_error": "test error of a linear model",
    "inputs": "numbers in a sample",
    "classes": "number of classes",
    "random_return": "performance of random actions (above 0 is easier: expect a negative correlation)",
    "transport": "optimal-transport distance of the data sets, labels counted (OTDD)",
    "transport_inputs": "optimal-transport distance of the inputs alone",
    "transfer_loss": "accuracy that a linear probe on the other's linear features loses, mean of both ways",
}
"""What a baseline is; those of problexity stand in ``known_baselines.MEASURES``."""

CANNOT = (
    "baselines come from a subsample, ours from trainings: both have noise, which draws correlations towards 0",
    "intervals count domains as drawn from many such domains, pairs as no more than their domains; the noise of the "
    "numbers themselves is not in them",
    "with many comparisons some intervals leave 0 out by chance",
)
"""What the correlations cannot tell, said where they are printed."""

TRANSFER = "transfer is the part of a dissimilarity that mixing itself costs, without starvation and confusion"


def compare_known_baselines(finished: FinishedRun) -> Made:
    """Return the figure and the tables of the known baselines."""
    baselines = _stored(finished.run)
    ranks = compared(finished.run, baselines)
    tables = {"": ranks.table, "-domains": baselines.domain_table, "-pairs": baselines.pair_table}
    return Made(
        {"known-baselines": lambda: figures.known_baselines(ranks)},
        {f"known-baselines{name}": table for name, table in tables.items()},
    )


def found_or_computed(run: Run) -> KnownBaselines:
    """Return the known baselines of a finished run: those that it stored, else computed from its prepared domains.

    Raises:
        InputError: numbers are learned, or a library is missing and the configuration does not do without.
        StorageError: a domain is not prepared, or the stored baselines are of another configuration.
    """
    c, layout = run.configuration, run.layout
    if c.numeric:
        raise InputError(f"{c.name} learns numbers, and these baselines are defined for classes; give another suite")
    if Path(layout.known_baselines).exists():
        return _stored(run)
    return known_baselines(run, [layout.domain(name) for name in c.domains])


def _stored(run: Run) -> KnownBaselines:
    fingerprint = run.plan.known_baselines()
    return storage.read_result(run.layout.known_baselines, "known baselines", KnownBaselines, fingerprint)


def compared(run: Run, baselines: KnownBaselines) -> BaselineComparison:
    """Return the rank correlations of a finished run's complexities and dissimilarities with the known baselines.

    Raises:
        StorageError: the run has no complexities or dissimilarities yet.
    """
    finished = FinishedRun(run)
    records, suite = {name: record.complexity for name, record in finished.complexity.items()}, finished.dissimilarity
    place = {name: k for k, name in enumerate(suite.domains)}
    distances = {frozenset((p.a, p.b)): float(suite.matrix[place[p.a], place[p.b]]) for p in suite.pairs}
    parts = {frozenset((p.a, p.b)): p.measured.parts for p in suite.pairs}
    transfers = {
        pair: part.transfer.estimate.value for pair, part in parts.items() if part is not None and part.transfer
    }
    return comparison(baselines, records, distances, run.configuration.known_baselines.confidence, transfers)


def comparison(
    baselines: KnownBaselines,
    complexities: Mapping[str, Complexity],
    distances: Mapping[frozenset[str], float],
    confidence: float = 0.95,
    transfers: Mapping[frozenset[str], float] | None = None,
) -> BaselineComparison:
    """Return the rank correlations with known baselines of complexities by domain, and of dissimilarities by pair.

    Dissimilarities are those that enter the space: of the estimator that the configuration chooses, at least 0. Where
    transfer areas are known (what mixing itself costs, without starvation and confusion), they are ranked likewise.
    """
    rows = [
        _row("domains", ours, baseline, values, baseline_values, confidence)
        for ours, values in _ours(baselines, complexities).items()
        for baseline, baseline_values in _in_order(baselines.of_domains)
    ]
    different = [k for k, (a, b) in enumerate(zip(baselines.a, baselines.b, strict=True)) if a != b]
    names = [(baselines.a[k], baselines.b[k]) for k in different]
    of_pairs = {"dissimilarity": distances} | ({"transfer": transfers} if transfers else {})
    for ours, areas in of_pairs.items():
        measured = np.array([areas.get(frozenset(pair), np.nan) for pair in names])
        for baseline, baseline_values in _in_order(baselines.of_pairs):
            if baseline in MEANING:  # the two ways of a transfer loss are in the table of pairs alone
                own = baseline_values[different] if different else np.zeros(0)
                rows.append(_row("pairs", ours, baseline, measured, own, confidence, names))
    limits = CANNOT if baselines.episodes == 0 else CANNOT[1:]
    explained = (TRANSFER,) if transfers else ()
    return BaselineComparison(tuple(rows), confidence, (baselines.note, *limits, *explained))


def _in_order(baselines: Mapping[str, np.ndarray]) -> list[tuple[str, np.ndarray]]:
    """Return baselines in the order in which they are explained (a file has them by the alphabet)."""
    from aiq.known_baselines import MEASURES

    order = [*MEASURES, *MEANING]
    return sorted(baselines.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order))


def _ours(baselines: KnownBaselines, complexities: Mapping[str, Complexity]) -> dict[str, np.ndarray]:
    """Return our numbers of the domains: complexity, and relative excess where it was measured."""
    records = [complexities[name] for name in baselines.domains]
    ours = {"complexity": np.array([record.estimate.value for record in records])}
    parts = [record.best_of_k for record in records]
    if all(part is not None for part in parts):
        ours["relative_excess"] = np.array([part.relative_excess.value for part in parts if part is not None])
    return ours


def _row(
    of: str,
    ours: str,
    baseline: str,
    values: np.ndarray,
    baseline_values: np.ndarray,
    confidence: float,
    pairs: list[tuple[str, str]] | None = None,
) -> Ranked:
    from aiq.known_baselines import MEASURES

    both = np.isfinite(values) & np.isfinite(baseline_values)
    domains = None
    if pairs is not None:
        domains = len({name for pair, kept in zip(pairs, both, strict=True) if kept for name in pair})
    correlation = rank_correlation(values[both], baseline_values[both], domains, confidence)
    return Ranked(of, ours, baseline, MEANING.get(baseline) or MEASURES[baseline], correlation)
