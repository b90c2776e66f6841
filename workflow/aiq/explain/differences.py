"""Differences of two runs: settings, complexities, dissimilarities, and agents' AIQ per dimension."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq import seeding, stats
from aiq.explain.finished import FinishedRun
from aiq.measures.dissimilarity.mixture_curves import MeasuredCurve, area_weights, of_pair, of_shared_ends
from aiq.measures.quotient.bootstrap import FEWEST, agent_draws, bootstrap
from aiq.measures.quotient.hull import Budget
from aiq.records.estimate import Estimate, Floats, StandardError
from aiq.records.explain import Compared, Difference
from aiq.records.quotient import AgentScore
from aiq.run.reducing.complexity import DomainComplexity
from aiq.run.reducing.dissimilarity import MeasuredPair
from aiq.stats import jackknife, moderated_means, percentile_interval

ASIDE = ("name", "results", "jobs")
"""Settings that determine no number."""


def differing(runs: Sequence[FinishedRun]) -> dict[str, tuple[Any, ...]]:
    """Return the settings in which runs differ, by dotted name: one value per run, None where a run has it not."""
    flat = [dict(_flat(run.settings, "")) for run in runs]
    names = dict.fromkeys(name for settings in flat for name in settings)
    by_name = {name: tuple(settings.get(name) for settings in flat) for name in names}
    return {
        name: values
        for name, values in by_name.items()
        if name.partition(".")[0] not in ASIDE and len({json.dumps(value) for value in values}) > 1
    }


def _flat(settings: Any, name: str) -> Iterator[tuple[str, Any]]:
    named = isinstance(settings, list) and all(isinstance(entry, Mapping) and "name" in entry for entry in settings)
    if named and settings:
        settings = {str(entry["name"]): {key: v for key, v in entry.items() if key != "name"} for entry in settings}
    if not isinstance(settings, Mapping):
        yield name, settings
        return
    for key, value in settings.items():
        yield from _flat(value, f"{name}.{key}" if name else str(key))


def same_pool(a: FinishedRun, b: FinishedRun) -> bool:
    """Whether policies of one number are one policy in both runs: equal seed, and pools of one design."""
    return _same_parts(a, b, "pool", lambda pool: {**pool, "size": None})


def same_mixture_policies(a: FinishedRun, b: FinishedRun) -> bool:
    """Whether repetition r of a mixture starts from one policy in both runs."""
    kept = ("network", "repetitions", "repetitions_per_chunk", "proportions", "ends")
    return _same_parts(a, b, "dissimilarity", lambda part: [part.get(key) for key in kept])


def same_agent(a: FinishedRun, b: FinishedRun, agent: str) -> bool:
    """Whether repetition r of an agent starts from one policy in both runs."""

    def network(agents: Mapping[str, Any]) -> Any:
        return next((entry for entry in agents.get("networks", []) if entry.get("name") == agent), None)

    return network(a.settings.get("agents", {})) is not None and _same_parts(a, b, "agents", network)


def _same_parts(a: FinishedRun, b: FinishedRun, name: str, of: Callable[[Mapping[str, Any]], Any]) -> bool:
    """Whether two runs have one seed, and one value of what a part of their settings says."""
    same_seed = bool(a.settings and b.settings) and a.settings.get("seed") == b.settings.get("seed")
    return same_seed and of(a.settings.get(name, {})) == of(b.settings.get(name, {}))


NONE = Difference(None, "")


def complexities(runs: Sequence[FinishedRun], confidence: float) -> tuple[Compared, ...]:
    """Return every domain's complexity in all runs, with its differences from the first run."""
    tables = [{(name,): record for name, record in run.complexity.items()} for run in runs]
    return _compared(runs, tables, lambda record: record.complexity.estimate, _complexity, confidence)


def dissimilarities(runs: Sequence[FinishedRun], confidence: float) -> tuple[Compared, ...]:
    """Return every pair's signed area in all runs, with its differences from the first run."""
    tables = [{(pair.a, pair.b): pair for pair in run.dissimilarity.pairs} for run in runs]
    return _compared(runs, tables, lambda pair: pair.measured.signed, _dissimilarity, confidence)


def agents(runs: Sequence[FinishedRun], confidence: float) -> tuple[Compared, ...]:
    """Return every agent's AIQ per dimension and rank in all runs, with the differences from the first run."""
    scores = [() if run.scores is None else run.scores.scores.agents for run in runs]
    tables = [{(agent.agent,): agent for agent in agents} for agents in scores]
    rows = _compared(runs, tables, lambda agent: agent.per_dimension, _agent, confidence)
    return tuple(
        replace(row, ranks=tuple(table[row.name].rank if row.name in table else None for table in tables))
        for row in rows
    )


def _compared(
    runs: Sequence[FinishedRun], tables: Sequence[Mapping[tuple[str, ...], Any]], value: Callable[[Any], Estimate],
    apart: Callable[..., Difference], confidence: float,
) -> tuple[Compared, ...]:  # fmt: skip
    """Return the number of every name in all runs, with its differences from the first run."""
    compared = []
    for name in dict.fromkeys(name for table in tables for name in table):
        first, *others = [table.get(name) for table in tables]
        values = tuple(None if record is None else value(record) for record in (first, *others))
        later = tuple(
            NONE if first is None or other is None else apart(runs[0], run, first, other, confidence)
            for run, other in zip(runs[1:], others, strict=True)
        )
        compared.append(Compared(name, values, later))
    return tuple(compared)


def _complexity(
    a: FinishedRun, b: FinishedRun, first: DomainComplexity, second: DomainComplexity, confidence: float
) -> Difference:
    """Return the difference of one domain's complexity; paired over the chunks that are the same policies."""
    value = second.complexity.value - first.complexity.value
    n = min(first.complexity.estimate.n, second.complexity.estimate.n)
    same = all(_equal(getattr(first, name), getattr(second, name)) for name in ("size", "performance"))
    if same and first.complexity.value == second.complexity.value:
        return difference(value, None, n, "identical", "the same trials", confidence)
    shared, ours, theirs = same_pool(a, b), _parts(first), _parts(second)
    pairing = "paired" if shared else "independent"
    if ours is None or theirs is None:
        return difference(value, None, n, pairing, "no interval (one of the two has none)", confidence)
    words = f"paired over {len(ours.keys() & theirs)} chunks of the same policies" if shared else "pools of their own"
    error = jackknife.error(ours, theirs, shared=shared)
    return difference(value, error, n, pairing, f"{words}; Student t, delete-one jackknife", confidence)


def difference(
    value: float, error: StandardError | None, n: int, pairing: str, words: str, confidence: float
) -> Difference:
    """Return a difference with Student's interval, without one where the error is unknown or 0."""
    interval = stats.moderated_interval(value, error, confidence)
    return Difference(Estimate(value, interval, n, words, None, confidence), pairing)


def _equal(first: npt.ArrayLike, second: npt.ArrayLike) -> bool:
    return np.array_equal(first, second, equal_nan=True)


def _parts(record: DomainComplexity) -> dict[int, float] | None:
    """Return what each chunk puts into the error of MCCP@k; None of the paper's minimum, which has no such error."""
    best = record.complexity.best_of_k
    if record.complexity.estimator != "best_of_k" or best is None or len(best.deleted) < 2:
        return None
    parts = jackknife.influences(best.values[:1], best.deleted[:, :1], best.members)[:, 0]
    return dict(zip(np.unique(record.chunk).tolist(), parts.tolist(), strict=True))


def _dissimilarity(
    a: FinishedRun, b: FinishedRun, first: MeasuredPair, second: MeasuredPair, confidence: float
) -> Difference:
    """Return the difference of one pair's signed area; paired by repetition where they start from one policy."""
    value, n = second.measured.signed.value - first.measured.signed.value, min(first.measured.n, second.measured.n)
    if _equal(first.curves, second.curves) and value == 0:
        return difference(value, None, n, "identical", "the same trainings", confidence)
    curve = _paired(a, b, first, second) if same_mixture_policies(a, b) else None
    if curve is not None and curve.error is not None:
        area = float(area_weights(curve.p) @ curve.curves.mean(axis=0))
        if abs(area - value) < 1e-9:
            words = f"paired over repetitions from the same policies; {curve.words}"
            return difference(value, StandardError(curve.error.se, curve.error.df), n, "paired", words, confidence)
    errors = [StandardError(e.se, e.df) for e in (first.measured.error, second.measured.error) if e is not None]
    if len(errors) < 2:
        return difference(value, None, n, "independent", "no interval (1 repetition)", confidence)
    return difference(
        value, stats.sum_error(errors), n, "independent", "trainings of their own; Student's t", confidence
    )


def _paired(a: FinishedRun, b: FinishedRun, first: MeasuredPair, second: MeasuredPair) -> MeasuredCurve | None:
    """Return the difference of two curves repetition by repetition; None where some were lost or have no partner."""
    p, ends = first.measured.proportions, [_ends(run, (first.a, first.b)) for run in (a, b)]
    if not np.array_equal(p, second.measured.proportions) or first.curves.shape != second.curves.shape:
        return None
    departure = second.curves - first.curves
    if ends[0] is None or ends[1] is None:
        whole = ends == [None, None] and np.isfinite(departure).all()
        return of_pair(p, departure, 0, stats.PRIOR_DF) if whole else None
    pairs = list(zip(*ends, strict=True))
    if any(before.size != after.size for before, after in pairs):
        return None
    inner, apart = departure[:, 1:-1], [after - before for before, after in pairs]
    if not all(np.isfinite(part).all() for part in (inner, *apart)):
        return None
    return of_shared_ends(p, inner, apart, 0, stats.PRIOR_DF)


def _ends(run: FinishedRun, pair: tuple[str, str]) -> list[Floats] | None:
    """Return the trainings of both domains alone that are the ends of a pair, None where a pair has its own."""
    alone = {record.domain: record for record in run.dissimilarity.alone}
    if not alone.keys() >= set(pair):
        return None
    return [alone[name].scored(run.dissimilarity.labels == "told")[0] for name in dict.fromkeys(pair)]


REPLICATES = 1000


def _agent(a: FinishedRun, b: FinishedRun, first: AgentScore, second: AgentScore, confidence: float) -> Difference:
    value = second.per_dimension.value - first.per_dimension.value
    together = one_space(a, b)
    drawn_a, drawn_b, paired = _draws(a, b, first.agent)
    if paired == "identical" and _equal_spaces(a, b):
        return Difference(Estimate(value, None, 0, "the same space and trainings", None, confidence), "identical")
    series_a = _replicates(a, drawn_a)
    series_b = _replicates(b if together else _apart(b, first.agent), drawn_b)
    pairing = "paired" if together or paired != "independent" else "independent"
    words = f"replicates of {'one space' if together else 'spaces of their own'}, performances {paired}"
    if series_a is None or series_b is None:
        return Difference(Estimate(value, None, 0, f"no interval (no replicates); {words}", None, confidence), pairing)
    count = min(series_a.size, series_b.size)
    apart = series_b[:count] - series_a[:count]
    apart = apart[np.isfinite(apart)]
    interval = percentile_interval(apart, confidence) if apart.size >= FEWEST else None
    if interval is not None and interval[0] == interval[1]:
        interval = None
    return Difference(Estimate(value, interval, len(a.domains), words, None, confidence), pairing)


def one_space(a: FinishedRun, b: FinishedRun) -> bool:
    """Whether replicate r of both spaces rests on the same draws.

    So it is for one run, whole or at a smaller pool; for one space; and for two runs of the same mixtures and of pools
    of the same policies, whose chunks have the same weights in replicate r.
    """
    return a.of == b.of or _equal_spaces(a, b) or (same_pool(a, b) and _same_trainings(a, b))


def _same_trainings(a: FinishedRun, b: FinishedRun) -> bool:
    """Whether both runs have the same domains, chunks of the pool, and curves of mixtures."""
    ours, others = a.dissimilarity.pairs, b.dissimilarity.pairs
    if a.domains != b.domains or len(ours) != len(others):
        return False
    chunks = all(_equal(record.chunk, b.complexity[name].chunk) for name, record in a.complexity.items())
    pairs = zip(ours, others, strict=True)
    return chunks and all((x.a, x.b) == (y.a, y.b) and _equal(x.curves, y.curves) for x, y in pairs)


def _equal_spaces(a: FinishedRun, b: FinishedRun) -> bool:
    first, second = a.space, b.space
    if first.domains != second.domains or not _equal(first.coordinates, second.coordinates):
        return False
    if first.bootstrap is None or second.bootstrap is None:
        return first.bootstrap is second.bootstrap
    return _equal(first.bootstrap.coordinates, second.bootstrap.coordinates)


def _draws(a: FinishedRun, b: FinishedRun, agent: str) -> tuple[Floats, Floats, str]:
    """Return replicates (B, n) of an agent's performances in both runs, and how they belong together.

    Where both have the very same trainings the draws are the same. Where repetitions start from the same policies, the
    second run's are the first's plus draws of the mean difference. Else they are drawn apart.
    """
    if a.scores is None or b.scores is None:
        raise ValueError("an agent without scores has no replicates")
    first = [a.scores.repetitions(agent, name) for name in a.space.domains]
    second = [b.scores.repetitions(agent, name) for name in b.space.domains]
    seed = int(a.settings.get("seed", 0))
    drawn = _drawn(first, seeding.generator(seed, "compare", "first", agent))
    common = a.domains == b.domains and all(x.size == y.size for x, y in zip(first, second, strict=True))
    if common and all(np.array_equal(x, y) for x, y in zip(first, second, strict=True)):
        return drawn, drawn, "identical"
    rng = seeding.generator(seed, "compare", "second", agent)
    if common and same_agent(a, b, agent) and a.scores.failed == b.scores.failed == 0:
        moved, errors = moderated_means([y - x for x, y in zip(first, second, strict=True)])
        measured = [error for error in errors if error is not None]
        if len(measured) == len(errors):
            noise = np.column_stack([error.se * rng.standard_t(error.df, size=len(drawn)) for error in measured])
            return drawn, np.clip(drawn + moved + noise, 0.0, 1.0), "paired"
    return drawn, _drawn(second, rng), "independent"


def _drawn(samples: Sequence[Floats], rng: np.random.Generator) -> Floats:
    """Return draws of an agent's mean performances (B, n); all alike where nothing was repeated."""
    resampled = agent_draws(samples, REPLICATES, rng)
    return np.tile([sample.mean() for sample in samples], (REPLICATES, 1)) if resampled is None else resampled


def _apart(run: FinishedRun, agent: str) -> FinishedRun:
    """Return a run with the replicates of its space in another order: they share nothing with another run's."""
    boot = run.space.bootstrap
    if boot is None:
        return run
    rng = seeding.generator(int(run.settings.get("seed", 0)), "compare", "apart", agent)
    order = rng.permutation(len(boot.coordinates))
    turned = replace(
        boot,
        coordinates=boot.coordinates[order],
        numbers=None if boot.numbers is None else boot.numbers[order],
        by_dimension={k: x[order] for k, x in boot.by_dimension.items()},
    )
    return run.changed(space=replace(run.space, bootstrap=turned))


def _replicates(run: FinishedRun, drawn: Floats) -> Floats | None:
    """Return the AIQ per dimension of an agent in each replicate of a run's space, (B,)."""
    seed, mean = int(run.settings.get("seed", 0)), drawn.mean(axis=0)
    boot = run.space.bootstrap
    drawn = drawn if boot is None else drawn[: len(boot.coordinates)]
    replicates = bootstrap(run.space, mean[None], drawn[:, None], Budget(), seed)
    return None if replicates is None else np.asarray(replicates.per_dimension[:, 0])
