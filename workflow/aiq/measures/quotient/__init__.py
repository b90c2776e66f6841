"""The Artificial Intelligence Quotient: the volume that an agent spans in the intelligence space (Eqs. 11-14).

An agent's points are the tests' locations scaled by its performances; with the empty test at the origin their
convex hull encloses a volume, the AIQ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.measures import check_confidence
from aiq.measures.draws import check_names
from aiq.measures.quotient import bootstrap, hull
from aiq.measures.quotient.bootstrap import FEWEST, Replicates, beyond, geometric_means, is_simplex, relative
from aiq.measures.quotient.hull import Budget
from aiq.records.estimate import Estimate, Floats
from aiq.records.quotient import AgentScore, HullVolume, Scores
from aiq.records.space import Space
from aiq.seeding import generator
from aiq.stats import percentile_interval
from aiq.stats.ranks import rank_probabilities, rank_sets

POINT = 1e-9  # intervals narrower than this are points
DOUBTFUL = 0.25  # relative error of a sampled volume above which it has not settled
MANY_FLAT = 0.01  # share of flat replicates from which it is said
TIE = 1e-7  # parts of a volume that are equal in a ranking: far above rounding, far below anything measured


@dataclass(frozen=True, slots=True)
class _Case:
    """One table of agents in one space."""

    space: Space
    names: tuple[str, ...]
    table: Floats
    suite: HullVolume
    hulls: list[HullVolume]
    boot: Replicates | None
    budget: Budget
    seed: int
    confidence: float


def score(
    space: Space,
    agents: Sequence[str],
    performance: npt.ArrayLike,
    performance_replicates: npt.ArrayLike | None = None,
    *,
    single: Sequence[str] = (),
    budget: Budget | None = None,
    seed: int = 0,
    confidence: float = 0.95,
) -> Scores:
    """Return the AIQ of every agent, best first, from performances (A, n) in [0, 1], columns as ``space.domains``.

    Where the suite itself has no volume in the kept dimensions, relative and per-dimension AIQ are NaN and a warning
    says why. Intervals come from the replicates of the space (complexity and dissimilarity), each with its own suite
    volume, together with replicates of the agents' performances (B, A, n) where they are given. That of
    ``per_dimension`` lets every replicate keep its own number of dimensions; those of ``relative`` and ``volume`` hold
    the estimate's. ``single``: agents with one repetition only, for the warnings; ``budget``: guards of the exact hulls
    and of the bootstrap.

    Raises:
        InputError: for a malformed table (the sentence names agent, domain and value).
    """
    names = check_names(agents, "agent", "scores need")
    check_confidence(confidence)
    budget = budget or Budget()
    table, resampled = _check_performance(performance, names, space.domains, "performance"), None
    if performance_replicates is not None:
        resampled = _check_performance(performance_replicates, names, space.domains, "performance_replicates")
    suite = _hull(space.coordinates, np.ones(len(space.domains)), budget, seed, "suite")
    hulls = [_hull(space.coordinates, row, budget, seed, name) for name, row in zip(names, table, strict=True)]
    boot = bootstrap.bootstrap(space, table, resampled, budget, seed)
    case = _Case(space, names, table, suite, hulls, boot, budget, seed, confidence)
    return _scores(case, resampled is not None, tuple(single))


def _scores(case: _Case, repeated: bool, single: tuple[str, ...]) -> Scores:
    """Return the agents in order, with what holds for the whole table."""
    space, boot = case.space, case.boot
    ranks = _ranks(case)
    mean = case.table.mean(axis=1)
    order = sorted(range(len(case.names)), key=lambda i: (ranks[i], -mean[i], case.names[i]))
    above = None if boot is None or not boot.solid.any() else _probabilities(boot.per_dimension[boot.solid][:, order])
    nearby = _nearby(case)
    following = [None if above is None or k + 1 == len(order) else float(above[k, k + 1]) for k in range(len(order))]
    sets = _rank_sets(case)
    agents = tuple(_agent(case, i, ranks[i], nearby[i], following[k], sets[i]) for k, i in enumerate(order))
    per_dimension = np.array([agent.per_dimension.value for agent in agents])
    simplex = is_simplex(case.suite, case.hulls)
    added = None
    if np.isfinite(per_dimension).all():
        added = beyond(per_dimension, case.table[order], boot, order, case.confidence, case.seed)
    return Scores(
        domains=space.domains,
        dimensions=space.dimensions,
        agents=agents,
        order_probabilities=above,
        suite=case.suite,
        suite_vertices=tuple(space.domains[i] for i in case.suite.vertices),
        suite_losses=_losses(space.coordinates, np.ones(len(space.domains)), case.suite, case.budget),
        replicates=0 if boot is None else boot.used,
        replicates_given=0 if boot is None else boot.given,
        replicates_flat=0 if boot is None else int(boot.flat.sum()),
        method=_method(space, repeated, boot, case.budget),
        seed=case.seed,
        simplex=simplex,
        beyond=None if simplex else added,
        warnings=_sentences(space, agents, boot, repeated, single, case.suite),
    )


def _ranks(case: _Case) -> list[int]:
    """Return ranks by volume; equal volumes share one.

    Where the directions kept are an arbitrary choice between equal ones, an agent is above another only if it is at
    least as good on every domain: any other order would be one of names.
    """

    def above(i: int, j: int) -> bool:
        larger = case.hulls[i].log_volume > case.hulls[j].log_volume + math.log1p(TIE)
        return larger and (not case.space.dimensionality.cut or bool((case.table[i] >= case.table[j]).all()))

    count = range(len(case.names))
    return [1 + sum(above(j, i) for j in count) for i in count]


def _probabilities(values: Floats) -> Floats:
    """Return P[i, j] that agent i is above agent j, from values (B, A); never quite 0 or 1 between agents that differ.

    Values that agree to ``TIE`` are ties, so that rounding decides no order.
    """
    seen = rank_probabilities(np.round(values / TIE))
    return np.asarray((seen * len(values) + 0.5) / (len(values) + 1))


def _rank_sets(case: _Case) -> list[tuple[int, int]]:
    """Return the ranks by AIQ per dimension that are possible for all agents at once; all without replicates."""
    boot, count = case.boot, len(case.names)
    logs = np.array([hull_.log_volume for hull_ in case.hulls])
    if boot is None or boot.solid.sum() < FEWEST or math.isinf(case.suite.log_volume):
        return [(1, count)] * count
    values = np.exp(np.minimum(logs - case.suite.log_volume, 0.0) / case.space.dimensions)
    drawn = boot.per_dimension[boot.solid]
    sets = rank_sets(values, drawn - drawn.mean(axis=0), confidence=case.confidence)
    return [(int(low), int(high)) for low, high in zip(sets.low, sets.high, strict=True)]


def _nearby(case: _Case) -> list[dict[int, float]]:
    """Return every agent's relative AIQ by number of dimensions: the estimate's, one fewer and one more."""
    by_dimensions: list[dict[int, float]] = [{} for _ in case.names]
    places = {**case.space.alternatives, case.space.dimensions: case.space.coordinates}
    for k in sorted(places):
        rows = [case.table[i] for i in range(len(case.names))] + [np.ones(case.table.shape[1])]
        logs = [_hull(places[k], row, replace(case.budget, work=1), case.seed, "nearby", k).log_volume for row in rows]
        if not math.isinf(logs[-1]):
            for scores, value in zip(by_dimensions, relative(np.array([logs]))[0], strict=True):
                scores[k] = float(value)
    return by_dimensions


def _hull(coordinates: Floats, performance: Floats, budget: Budget, seed: int, *key: str | int) -> HullVolume:
    return hull.volume(coordinates * performance[:, None], budget, generator(seed, "quotient", *key))


def _losses(coordinates: Floats, performance: Floats, whole: HullVolume, budget: Budget) -> tuple[float, ...] | None:
    """Return the volume lost when each domain is left out; None where the volume itself is only sampled."""
    if whole.method == "sampled":
        return None
    points = coordinates * performance[:, None]
    lost = [0.0] * points.shape[0]
    for i in () if math.isinf(whole.log_volume) else whole.vertices:
        rest = np.delete(points, i, axis=0)
        left = hull.volume(rest, budget).log_volume if rest.size else -math.inf
        lost[i] = whole.volume * max(-math.expm1(left - whole.log_volume), 0.0)
    return tuple(lost)


def _agent(
    case: _Case, i: int, rank: int, nearby: dict[int, float], order: float | None, ranks: tuple[int, int]
) -> AgentScore:
    own, row, d, boot = case.hulls[i], case.table[i], case.space.dimensions, case.boot
    there = math.isfinite(case.suite.log_volume)
    share = math.exp(min(own.log_volume - case.suite.log_volume, 0.0)) if there else math.nan
    series: dict[str, Floats] = {}
    if boot is not None and boot.used >= FEWEST:
        both = np.column_stack([boot.log_volumes[~boot.flat, i], boot.log_suite[~boot.flat]])
        series["volume"] = np.exp(boot.log_volumes[:, i])
        series["relative"] = relative(both)[:, 0]
        series["per_dimension"] = boot.per_dimension[boot.solid, i]
        series["mean"] = boot.performance[:, i].mean(axis=1)
        series["geometric"] = geometric_means(boot.performance[:, i])

    def estimate(what: str, value: float, how: str) -> Estimate:
        resampled = what in series and math.isfinite(value)
        interval = percentile_interval(series[what], case.confidence) if resampled else None
        return Estimate(value, interval, row.size, how, case.seed, case.confidence)

    geometric = float(geometric_means(row))
    return AgentScore(
        agent=case.names[i],
        volume=estimate("volume", own.volume, f"hull volume ({own.method}), percentile bootstrap"),
        relative=estimate("relative", share, f"over the suite's volume, given {d} dimensions, percentile bootstrap"),
        per_dimension=estimate(
            "per_dimension", share ** (1 / d), f"relative to the power 1/{d}, number of dimensions resampled"
        ),
        mean=estimate("mean", float(row.mean()), "mean performance over domains, percentile bootstrap"),
        rank=rank,
        vertices=tuple(case.space.domains[v] for v in own.vertices),
        losses=_losses(case.space.coordinates, row, own, case.budget),
        hull=own,
        geometric_mean=estimate("geometric", geometric, "geometric mean performance over domains"),
        by_dimensions=nearby,
        order=order,
        ranks=ranks,
    )


def _method(space: Space, repeated: bool, boot: Replicates | None, budget: Budget) -> str:
    """Return in words what was resampled and what the budget left out."""
    exact = f"exact up to {budget.facets} possible facets, sampled above"
    if boot is None:
        return f"hull volume, {exact}; no replicates, no intervals"
    parts = ["complexity and dissimilarity"] * (space.bootstrap is not None) + ["the agents' repetitions"] * repeated
    used = boot.used
    cut = f" of {boot.given}, as many as the total budget allows" if used < boot.given else ""
    few = "; too few for intervals" if used < FEWEST else ""
    return f"hull volume, {exact}; bootstrap over {' and '.join(parts)}, {used} replicates{cut}{few}"


# ---- Sentences that belong beside a table of scores -----------------------------------------------


def _sentences(
    space: Space,
    agents: Sequence[AgentScore],
    boot: Replicates | None,
    repeated: bool,
    single: Sequence[str],
    suite: HullVolume,
) -> tuple[str, ...]:
    """Return the warnings of the space and of the scores; ``repeated``: whether agents' repetitions were resampled."""
    warnings = []
    if suite.rank < suite.dimension:
        warnings.append(
            f"no volume can be compared: the suite spans {suite.rank} of the space's {space.dimensions} dimensions, as "
            "tests of length 0 lie at the origin; for volumes build the space with at most "
            f"{max(suite.rank, 1)} dimensions"
        )
    warnings += [*space.warnings, *_sampled(space.dimensions, [*(agent.hull for agent in agents), suite])]
    if not repeated:
        warnings.append("no agent has more than one repetition: no interval carries the agents' own uncertainty")
    elif single:
        warnings.append(f"one repetition: the interval of {', '.join(single)} leaves the agent's own uncertainty out")
    if boot is not None and boot.used < FEWEST:
        warnings.append(f"{boot.used} replicates are too few for intervals; at least {FEWEST} are needed")
    if boot is None:
        warnings.append(
            "nothing is known of any uncertainty: there are no intervals, and no order is more than a guess"
        )
        return tuple(warnings)
    scored = [(a.agent, a.per_dimension.value, *a.per_dimension.interval) for a in agents if a.per_dimension.interval]
    exact = [agent for agent, _, low, high in scored if high - low < POINT]
    if exact:
        warnings.append(f"the interval of {', '.join(exact)} is a point: nothing that was resampled moves the score")
    outside = [agent for agent, value, low, high in scored if not low - POINT <= value <= high + POINT]
    if outside:
        warnings.append(
            f"the AIQ per dimension of {', '.join(outside)} lies outside its interval: noise in weak dimensions "
            f"moves the value; trust the interval, and measure more or ask for fewer than {space.dimensions} dimensions"
        )
    flat = float(boot.flat.mean()) if boot.used else 0.0
    if flat >= MANY_FLAT:
        warnings.append(
            f"in {flat:.0%} of the replicates the suite has no volume in {space.dimensions} dimensions, and "
            "the interval of 'relative' leaves them out"
        )
    return tuple(warnings)


def _sampled(dimensions: int, hulls: Sequence[HullVolume]) -> list[str]:
    errors = [hull.relative_error for hull in hulls if hull.method == "sampled"]
    if not errors:
        return []
    worst = max(errors)
    said = [
        f"hulls in {dimensions} dimensions have too many facets to be listed: {len(errors)} of {len(hulls)} volumes "
        f"are sampled, with standard errors of up to {worst:.1%} of the volume ({worst / dimensions:.2%} of an AIQ per "
        "dimension)"
    ]
    if worst > DOUBTFUL:
        said.append(
            f"the sampling of a volume has not settled (error {worst:.0%}): do not trust its size; keep fewer "
            "dimensions"
        )
    return said


def _check_performance(
    performance: npt.ArrayLike, agents: tuple[str, ...], domains: tuple[str, ...], what: str
) -> Floats:
    """Return performances (A, n), or replicates (B, A, n), all within [0, 1]."""
    values = np.asarray(performance, dtype=np.float64)
    shape = (len(agents), len(domains))
    replicated = what == "performance_replicates"
    if values.ndim != 2 + replicated or values.shape[-2:] != shape or values.size == 0:
        expected = ("replicates, " if replicated else "") + f"{shape[0]} agents, {shape[1]} domains"
        raise InputError(f"{what} has shape {values.shape}, expected ({expected})")
    wrong = np.argwhere(~((values >= 0) & (values <= 1)))
    if wrong.size:
        *_, agent, domain = (int(i) for i in wrong[0])
        raise InputError(
            f"the performance of agent {agents[agent]!r} on domain {domains[domain]!r} is {values[tuple(wrong[0])]}; "
            "it must lie within [0, 1]"
        )
    return values
