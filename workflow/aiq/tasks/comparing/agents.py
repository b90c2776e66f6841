"""Differences of agents' AIQ per dimension between two runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from aiq import seeding
from aiq.measures.quotient.bootstrap import FEWEST, agent_draws, bootstrap
from aiq.measures.quotient.hull_budget import Budget
from aiq.records.arrays import Floats
from aiq.records.comparison import Compared, Difference
from aiq.records.estimate import Estimate
from aiq.records.quotient import AgentScore
from aiq.stats import moderated_means, percentile_interval
from aiq.tasks.comparing.numbers import NONE
from aiq.tasks.comparing.settings import same_agent, same_pool
from aiq.tasks.suite.reporting.stored import StoredRun

REPLICATES = 1000


def agents(runs: Sequence[StoredRun], confidence: float) -> tuple[Compared, ...]:
    """Return every agent's AIQ per dimension and rank in all runs, with the differences from the first run."""
    tables = [_by_name(run) for run in runs]
    found = []
    for name in dict.fromkeys(agent for table in tables for agent in table):
        scored = [table.get(name) for table in tables]
        values = tuple(None if one is None else one.per_dimension for one in scored)
        ranks = tuple(None if one is None else one.rank for one in scored)
        later = tuple(
            NONE if one is None or scored[0] is None else _difference(runs[0], run, scored[0], one, confidence)
            for run, one in zip(runs[1:], scored[1:], strict=True)
        )
        found.append(Compared((name,), values, later, ranks))
    return tuple(found)


def _by_name(run: StoredRun) -> dict[str, AgentScore]:
    """Return agent -> score, best first."""
    return {} if run.scores is None else {one.agent: one for one in run.scores.scores.agents}


def _difference(a: StoredRun, b: StoredRun, first: AgentScore, second: AgentScore, confidence: float) -> Difference:
    """Return the difference of one agent's AIQ per dimension, from replicates of both runs."""
    value = second.per_dimension.value - first.per_dimension.value
    together = one_space(a, b)
    drawn_a, drawn_b, paired = _draws(a, b, first.agent)
    same = together and paired == "identical"
    if same and _equal_spaces(a, b):
        return Difference(Estimate(value, None, 0, "the same space and trainings", None, confidence), "identical")
    series_a = _replicates(a, drawn_a)
    series_b = _replicates(b if together else _apart(b, first.agent), drawn_b)
    pairing = "paired" if together or paired != "independent" else "independent"
    words = f"replicates of {'one space' if together else 'spaces of their own'}, performances {paired}"
    if series_a is None or series_b is None:
        return Difference(Estimate(value, None, 0, f"no interval (no replicates); {words}", None, confidence), pairing)
    count = min(series_a.size, series_b.size)
    series_a, series_b = series_a[:count], series_b[:count]
    apart = series_b - series_a
    apart = apart[np.isfinite(apart)]
    interval = percentile_interval(apart, confidence) if apart.size >= FEWEST else None
    if interval is not None and interval[0] == interval[1]:
        interval = None
    return Difference(Estimate(value, interval, len(a.domains), words, None, confidence), pairing)


def one_space(a: StoredRun, b: StoredRun) -> bool:
    """Whether replicate r of both spaces rests on the same draws.

    So it is for one run, whole or at a smaller pool; for one space; and for two runs of the same mixtures and of pools
    of the same policies, whose chunks have the same weights in replicate r.
    """
    return a.of == b.of or _equal_spaces(a, b) or (same_pool(a, b) and _same_chunks(a, b) and _same_mixtures(a, b))


def _same_chunks(a: StoredRun, b: StoredRun) -> bool:
    """Whether both runs have the same domains and, of each, the same chunks of the pool."""
    return a.domains == b.domains and all(
        np.array_equal(one.chunk, b.complexity[name].chunk) for name, one in a.complexity.items()
    )


def _same_mixtures(a: StoredRun, b: StoredRun) -> bool:
    """Whether both runs have the very same trainings on mixtures."""
    pairs = [run.dissimilarity.pairs for run in (a, b)]
    return len(pairs[0]) == len(pairs[1]) and all(
        (x.a, x.b) == (y.a, y.b) and np.array_equal(x.curves, y.curves, equal_nan=True)
        for x, y in zip(*pairs, strict=True)
    )


def _equal_spaces(a: StoredRun, b: StoredRun) -> bool:
    """Whether two spaces are one: equal domains, places and replicates."""
    first, second = a.space, b.space
    if first.domains != second.domains or not np.array_equal(first.coordinates, second.coordinates):
        return False
    boots = (first.bootstrap, second.bootstrap)
    if boots[0] is None or boots[1] is None:
        return boots == (None, None)
    return np.array_equal(boots[0].coordinates, boots[1].coordinates)


def _draws(a: StoredRun, b: StoredRun, agent: str) -> tuple[Floats, Floats, str]:
    """Return replicates (B, n) of an agent's performances in both runs, and how they belong together.

    Where both have the very same trainings the draws are the same. Where repetitions start from the same policies, the
    second run's are the first's plus draws of the mean difference. Else they are drawn apart.
    """
    first, second = (_repetitions(run, agent) for run in (a, b))
    seed = int(a.settings.get("seed", 0))
    drawn = _drawn(first, seeding.generator(seed, "compare", "first", agent))
    common = a.domains == b.domains and all(x.size == y.size for x, y in zip(first, second, strict=True))
    if common and all(np.array_equal(x, y) for x, y in zip(first, second, strict=True)):
        return drawn, drawn, "identical"
    rng = seeding.generator(seed, "compare", "second", agent)
    if common and same_agent(a, b, agent) and _whole(a) and _whole(b):
        moved, errors = moderated_means([y - x for x, y in zip(first, second, strict=True)])
        known = [error for error in errors if error is not None]
        if len(known) == len(errors):
            noise = np.column_stack([one.se * rng.standard_t(one.df, size=len(drawn)) for one in known])
            return drawn, np.clip(drawn + moved + noise, 0.0, 1.0), "paired"
    return drawn, _drawn(second, rng), "independent"


def _repetitions(run: StoredRun, agent: str) -> list[Floats]:
    """Return the repetitions of an agent on each domain of the space."""
    if run.scores is None:
        raise ValueError(f"{run.name} has no scores")
    return [run.scores.repetitions(agent, domain) for domain in run.space.domains]


def _drawn(samples: Sequence[Floats], rng: np.random.Generator) -> Floats:
    """Return draws of an agent's mean performances (B, n); all alike where nothing was repeated."""
    found = agent_draws(samples, REPLICATES, rng)
    return np.tile([sample.mean() for sample in samples], (REPLICATES, 1)) if found is None else found


def _whole(run: StoredRun) -> bool:
    """Whether no training of an agent was lost, so that repetitions can be told by their number."""
    return run.scores is not None and run.scores.failed == 0


def _apart(run: StoredRun, agent: str) -> StoredRun:
    """Return a run with the replicates of its space in another order: they share nothing with another run's."""
    boot = run.space.bootstrap
    if boot is None:
        return run
    order = seeding.generator(int(run.settings.get("seed", 0)), "compare", "apart", agent).permutation(
        len(boot.coordinates)
    )
    turned = replace(
        boot,
        coordinates=boot.coordinates[order],
        numbers=None if boot.numbers is None else boot.numbers[order],
        by_dimension={k: x[order] for k, x in boot.by_dimension.items()},
    )
    return replace(run, space=replace(run.space, bootstrap=turned))


def _replicates(run: StoredRun, drawn: Floats) -> Floats | None:
    """Return the AIQ per dimension of an agent in each replicate of a run's space, (B,)."""
    seed, mean = int(run.settings.get("seed", 0)), drawn.mean(axis=0)
    boot = run.space.bootstrap
    if boot is not None and len(boot.coordinates) < len(drawn):
        drawn = drawn[: len(boot.coordinates)]
    found = bootstrap(run.space, mean[None], drawn[:, None], Budget(), seed)
    return None if found is None else np.asarray(found.per_dimension[:, 0])
