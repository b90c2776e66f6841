"""Runs side by side, each as it is or at a smaller pool; our numbers beside baselines that people know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from aiq import storage
from aiq.config.measures import CONFIDENCE
from aiq.errors import InputError
from aiq.explain import differences
from aiq.explain.finished import FinishedRun, at_pool
from aiq.known_baselines import MEASURES
from aiq.plans.run import SuiteRun
from aiq.records.comparison import BaselineComparison, KnownBaselines, Ranked
from aiq.records.complexity import Complexity
from aiq.records.estimate import Floats
from aiq.records.explain import Comparison, Dimensions
from aiq.run.reducing.baselines import known_baselines
from aiq.stats.ranks import rank_correlation


def compare_runs(
    runs: Sequence[FinishedRun], *, pools: Sequence[int] = (), confidence: float = CONFIDENCE
) -> Comparison:
    """Return at least two runs side by side, or one at several pool sizes, with how far each is from the first.

    Raises:
        InputError: there is nothing to compare, or a run has no such pool.
    """
    if not 0 < confidence < 1:
        raise InputError(f"the confidence is {confidence:g}; it must lie strictly between 0 and 1")
    asked = [at_pool(run, size) for run in runs for size in pools] if pools else list(runs)
    if len(asked) < 2:
        raise InputError("there is one run only; give a second results folder, or two pool sizes (--pool 32 --pool 64)")
    named = _named(asked)
    return Comparison(
        runs=tuple(run.name for run in named),
        settings=differences.differing(named),
        complexity=differences.complexities(named, confidence),
        dissimilarity=differences.dissimilarities(named, confidence),
        agents=differences.agents(named, confidence),
        dimensions=tuple(
            Dimensions(run.space.dimensions, dict(run.space.dimensionality.probabilities)) for run in named
        ),
        confidence=confidence,
        warnings=tuple(_warnings(named)),
    )


def _named(runs: Sequence[FinishedRun]) -> list[FinishedRun]:
    """Return the runs with names of their own: the folder where two have one name, a number where that is one too."""
    counts = Counter(run.name for run in runs)
    named = [run if counts[run.name] == 1 else run.changed(name=str(run.folder)) for run in runs]
    counts = Counter(run.name for run in named)
    numbered = enumerate(named, start=1)
    return [run if counts[run.name] == 1 else run.changed(name=f"{run.name} ({place})") for place, run in numbered]


def _warnings(runs: Sequence[FinishedRun]) -> list[str]:
    warnings = []
    silent = [run.name for run in runs if not run.settings]
    if silent:
        warnings.append(
            f"{', '.join(silent)} does not hold its settings (an earlier version made it): what differs in them is not "
            "shown, and every difference counts as independent"
        )
    first = set(runs[0].domains)
    if any(set(run.domains) != first for run in runs):
        warnings.append(
            "the suites have different domains: AIQ is relative to its own suite, so agents' differences mix both"
        )
    records = [record for run in runs for record in run.complexity.values()]
    ks = {record.complexity.best_of_k.k for record in records if record.complexity.best_of_k}
    if len(ks) > 1:
        warnings.append(
            f"complexities are at different k ({', '.join(map(str, sorted(ks)))}): smaller k gives larger values"
        )
    estimators = {record.complexity.estimator for record in records}
    if "minimum" in estimators:
        warnings.append(
            "the paper's minimum falls as a pool grows, whatever the domain; its differences have no interval"
        )
    if len({run.space.dimensions for run in runs}) > 1:
        warnings.append("the spaces have different numbers of dimensions; AIQ per dimension is the number to compare")
    return warnings


# ---- Known baselines -----------------------------------------------------------------------------


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


def baselines_of(run: SuiteRun) -> KnownBaselines:
    """Return the known baselines of a finished run: those that it stored, else computed from its prepared domains."""
    c, layout = run.configuration, run.layout
    if c.numeric:
        raise InputError(f"{c.name} learns numbers, and these baselines are defined for classes; give another suite")
    if Path(layout.known_baselines).exists():
        fingerprint = run.plan.known_baselines()
        return storage.read_result(layout.known_baselines, "known baselines", KnownBaselines, fingerprint)
    return known_baselines(run, [layout.domain(name) for name in c.domains])


def beside_baselines(run: SuiteRun, baselines: KnownBaselines) -> BaselineComparison:
    """Return the rank correlations of a finished run's complexities and dissimilarities with the known baselines.

    Dissimilarities are those that enter the space: of the estimator that the configuration chooses, at least 0. Where
    transfer areas are known (what mixing itself costs, without starvation and confusion), they are ranked likewise.
    """
    finished = FinishedRun(run)
    suite, place = finished.dissimilarity, {name: k for k, name in enumerate(finished.dissimilarity.domains)}
    distances = {frozenset((p.a, p.b)): float(suite.matrix[place[p.a], place[p.b]]) for p in suite.pairs}
    parts = {frozenset((p.a, p.b)): p.measured.parts for p in suite.pairs}
    transfers = {
        pair: part.transfer.estimate.value for pair, part in parts.items() if part is not None and part.transfer
    }
    complexities = {name: record.complexity for name, record in finished.complexity.items()}
    return _ranked(baselines, complexities, distances, transfers)


def _ranked(
    baselines: KnownBaselines,
    complexities: Mapping[str, Complexity],
    distances: Mapping[frozenset[str], float],
    transfers: Mapping[frozenset[str], float],
) -> BaselineComparison:
    records = [complexities[name] for name in baselines.domains]
    ours = {"complexity": np.array([record.estimate.value for record in records])}
    parts = [record.best_of_k for record in records if record.best_of_k is not None]
    if len(parts) == len(records):
        ours["relative_excess"] = np.array([part.relative_excess.value for part in parts])
    rows = [
        _row("domains", name, baseline, values, baseline_values)
        for name, values in ours.items()
        for baseline, baseline_values in _in_order(baselines.of_domains)
    ]
    different = [k for k, (a, b) in enumerate(zip(baselines.a, baselines.b, strict=True)) if a != b]
    pairs = [(baselines.a[k], baselines.b[k]) for k in different]
    of_pairs = {"dissimilarity": distances} | ({"transfer": transfers} if transfers else {})
    for name, areas in of_pairs.items():
        measured = np.array([areas.get(frozenset(pair), np.nan) for pair in pairs])
        for baseline, baseline_values in _in_order(baselines.of_pairs):
            if baseline in MEANING:  # the two ways of a transfer loss are in the table of pairs alone
                own = baseline_values[np.array(different, dtype=int)]
                rows.append(_row("pairs", name, baseline, measured, own, pairs))
    limits = CANNOT if baselines.episodes == 0 else CANNOT[1:]
    explained = (TRANSFER,) if transfers else ()
    return BaselineComparison(tuple(rows), CONFIDENCE, (baselines.note, *limits, *explained))


def _in_order(baselines: Mapping[str, Floats]) -> list[tuple[str, Floats]]:
    """Return baselines in the order in which they are explained (a file has them by the alphabet)."""
    order = [*MEASURES, *MEANING]
    return sorted(baselines.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order))


def _row(
    of: str, ours: str, baseline: str, values: Floats, baseline_values: Floats,
    pairs: Sequence[tuple[str, str]] | None = None,
) -> Ranked:  # fmt: skip
    both = np.isfinite(values) & np.isfinite(baseline_values)
    domains = None
    if pairs is not None:
        domains = len({name for pair, kept in zip(pairs, both, strict=True) if kept for name in pair})
    correlation = rank_correlation(values[both], baseline_values[both], domains, CONFIDENCE)
    return Ranked(of, ours, baseline, MEANING.get(baseline) or MEASURES[baseline], correlation)
