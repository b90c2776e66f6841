"""Compare runs of suites, each as it is or as it would have been with a smaller pool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import seeding
from aiq.config.measures import Space as SpaceSettings
from aiq.errors import InputError
from aiq.explain import differences
from aiq.explain.finished import FinishedRun
from aiq.measures import complexity
from aiq.records.complexity import Complexity
from aiq.records.explain import Comparison, Dimensions
from aiq.run.reducing.complexity import DomainComplexity
from aiq.run.reducing.space import placed
from aiq.stats import jackknife
from aiq.tables.scores import score


def at_pool(run: FinishedRun, size: int) -> FinishedRun:
    """Return a run at the first ``size`` policies of its pool, in whole chunks.

    Complexities are measured again with the settings of their records; their replicates weigh the chunks as those of
    the whole pool do, so replicates of both belong together. Then the domains are placed and the agents scored again.

    Raises:
        InputError: the pool has no such part, or the folder does not hold the settings.
    """
    if not run.settings:
        raise InputError(
            f"{run.folder} does not hold its settings, which a smaller pool is computed with; make its tables again "
            "with this version of aiq: aiq run CONFIG -- --forcerun write_tables"
        )
    whole = max(record.size.size for record in run.complexity.values())
    if not 1 <= size <= whole:
        raise InputError(f"the pool size is {size}, but {run.name} has {whole} policies; give at most {whole}")
    if size == whole:
        return run.changed(name=f"{run.name}, {size} policies")
    by_domain = {name: _reduced(record, size, int(run.settings["seed"])) for name, record in run.complexity.items()}
    records = [by_domain[name].complexity for name in run.domains]
    settings, seed = SpaceSettings.model_validate(run.settings["space"]), int(run.settings["seed"])
    kept = _kept(run.complexity[run.domains[0]], size)
    space = placed(settings, seed, list(run.domains), records, run.dissimilarity, kept)
    scores = run.scores
    if scores is not None:
        quotient: Mapping[str, Any] = run.settings.get("quotient", {})
        how = {key: quotient[key] for key in ("prior_df", "confidence", "facet_budget") if key in quotient}
        scores = replace(scores, scores=score(space, run.performances, seed=seed, **how))
    smaller = {**run.settings, "pool": {**run.settings["pool"], "size": size}}
    name = f"{run.name}, {size} policies"
    return run.changed(name=name, settings=smaller, complexity=by_domain, space=space, scores=scores)


def _reduced(record: DomainComplexity, size: int, seed: int) -> DomainComplexity:
    among = _kept(record, size)
    kept = np.isin(record.chunk, np.unique(record.chunk)[among])
    parts: dict[str, Any] = {name: getattr(record, name)[kept] for name in ("performance", "size", "chunk")}
    whole, best = record.complexity, record.complexity.best_of_k
    measured = complexity.measure(
        **parts,
        bins=whole.curve.size.size,
        value_range=(float(whole.curve.edges[0]), float(whole.curve.edges[-1])),
        estimator=whole.estimator,
        envelope=whole.envelope,
        extrapolate=whole.extrapolate,
        resamples=whole.replicates.size,
        confidence=whole.estimate.confidence,
        seed=seed,
        **({} if best is None else {"k": best.k, "fill": best.fill, "largest": best.largest, "start": best.start}),
    )
    return replace(record, complexity=_joint(measured, among, seed), by_k=None, growth=None, **parts)


def _kept(record: DomainComplexity, size: int) -> npt.NDArray[np.bool_]:
    """Return which chunks of a pool hold its first policies."""
    ends = np.cumsum(np.unique(record.chunk, return_counts=True)[1])
    if size not in ends:
        near = ", ".join(map(str, ends.tolist()))
        raise InputError(f"the pool size is {size}, but {record.domain} has policies in chunks: give one of {near}")
    return np.asarray(ends <= size)


def _joint(measured: Complexity, among: npt.NDArray[np.bool_], seed: int) -> Complexity:
    """Return a complexity with replicates that weigh each chunk as those of the whole pool do."""
    expected = measured.best_of_k
    if measured.estimator != "best_of_k" or expected is None or len(expected.deleted) < 2:
        return measured
    rng = seeding.generator(seed, "complexity", "replicates")
    values, deleted, members = expected.values[:1], expected.deleted[:, :1], expected.members
    drawn = jackknife.replicates(values, deleted, members, measured.replicates.size, rng, among=among)
    return replace(measured, replicates=np.maximum(drawn[:, 0], 0.0))


def compare_runs(runs: Sequence[FinishedRun], *, pools: Sequence[int] = (), confidence: float = 0.95) -> Comparison:
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
