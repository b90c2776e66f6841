"""The Artificial Intelligence Quotient: the volume that an agent spans in the intelligence space (Eqs. 11-14).

An agent's points are the tests' locations scaled by its performances; with the empty test at the origin their
convex hull encloses a volume, the AIQ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.measures import hull
from aiq.measures.hull_budget import Budget, cost
from aiq.records.estimate import Estimate
from aiq.records.quotient import AgentScore, HullVolume, Scores
from aiq.records.space import Space
from aiq.seeding import generator
from aiq.stats import percentile_interval, rank_probabilities

Floats = npt.NDArray[np.float64]

TIE = 1e-9  # volumes closer than this part are equal in the ranking
FEWEST = 20  # replicates below which no interval is given


@dataclass(frozen=True, slots=True)
class _Replicates:
    """Volumes (B, A) and suite volumes (B,) under the bootstrap, means (B, A), and how many were offered."""

    volumes: Floats
    suite: Floats
    means: Floats
    given: int


def score(
    space: Space,
    agents: Sequence[str],
    performance: npt.ArrayLike,
    performance_replicates: npt.ArrayLike | None = None,
    *,
    budget: Budget | None = None,
    facet_budget: int | None = None,
    seed: int = 0,
    confidence: float = 0.95,
) -> Scores:
    """Return the AIQ of every agent, best first.

    Intervals come from the bootstrap coordinates of the space (complexity and dissimilarity), each with its own
    suite volume for ``relative``, together with the agents' own repetitions where they are given.

    Args:
        space: n domains in d dimensions, from ``measures.space.build``.
        agents: A distinct names.
        performance: in [0, 1], shape (A, n), columns in the order of ``space.domains``.
        performance_replicates: bootstrap replicates over each agent's repetitions, shape (B, A, n).
        budget: guards of the exact hulls and of the bootstrap.
        facet_budget: possible facets of one exact hull, in place of ``budget.facets``.
        seed: root seed of pairing and approximation.
        confidence: of the percentile intervals.

    Raises:
        InputError: for a malformed table (the sentence names agent, domain and value), or a suite that has no
            volume in the kept dimensions.
    """
    names = _check_agents(agents)
    if not 0 < confidence < 1:
        raise InputError(f"confidence is {confidence}; it must lie between 0 and 1")
    budget = budget or Budget()
    if facet_budget is not None:
        budget = Budget(facet_budget, min(budget.inner_facets, max(facet_budget, 1)), budget.samples, budget.total)
    table = _check_performance(performance, names, space.domains, "performance")
    resampled = None
    if performance_replicates is not None:
        resampled = _check_performance(performance_replicates, names, space.domains, "performance_replicates")
    suite = _hull(space.coordinates, np.ones(len(space.domains)), budget, seed, "suite")
    if not suite.volume > 0:
        raise InputError(
            f"the suite spans {suite.rank} of the space's {space.dimensions} dimensions, so no volume can be compared; "
            f"build the space with at most {max(suite.rank, 1)} dimensions"
        )
    hulls = [_hull(space.coordinates, row, budget, seed, name) for name, row in zip(names, table, strict=True)]
    boot = _bootstrap(space, table, resampled, budget, seed)
    found = [
        _agent(space, i, names[i], table[i], hulls, suite, boot, budget, seed, confidence) for i in range(len(names))
    ]
    order = sorted(range(len(names)), key=lambda i: (found[i].rank, -found[i].mean.value, names[i]))
    return Scores(
        domains=space.domains,
        dimensions=space.dimensions,
        agents=tuple(found[i] for i in order),
        order_probabilities=None if boot is None else rank_probabilities(_tied(boot.volumes[boot.suite > 0][:, order])),
        suite=suite,
        suite_vertices=tuple(space.domains[i] for i in suite.vertices),
        suite_losses=_losses(space.coordinates, np.ones(len(space.domains)), suite, budget),
        replicates=0 if boot is None else boot.volumes.shape[0],
        replicates_given=0 if boot is None else boot.given,
        replicates_flat=0 if boot is None else int((boot.suite <= 0).sum()),
        method=_method(space, resampled, boot, budget),
        seed=seed,
    )


def _check_agents(agents: Sequence[str]) -> tuple[str, ...]:
    names = tuple(str(name) for name in agents)
    if not names:
        raise InputError("scores need at least one agent, none was given")
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"agent {name!r} is named {names.count(name)} times; every agent needs its own name")
    return names


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


def _hull(coordinates: Floats, performance: Floats, budget: Budget, seed: int, *key: str | int) -> HullVolume:
    """Return the hull of the scaled points; the generator serves the approximation only."""
    return hull.volume(coordinates * performance[:, None], budget, generator(seed, "quotient", *key))


def _losses(coordinates: Floats, performance: Floats, whole: HullVolume, budget: Budget) -> tuple[float, ...] | None:
    """Return the volume lost when each domain is left out; None where the volume itself is only sampled."""
    if whole.method == "sampled":
        return None
    points = coordinates * performance[:, None]
    lost = [0.0] * points.shape[0]
    for i in whole.vertices if whole.volume > 0 else ():
        rest = np.delete(points, i, axis=0)
        left = hull.volume(rest, budget).volume if rest.size else 0.0
        lost[i] = max(whole.volume - left, 0.0)
    return tuple(lost)


def _bootstrap(space: Space, table: Floats, resampled: Floats | None, budget: Budget, seed: int) -> _Replicates | None:
    """Return volumes of all agents and of the suite in as many replicates as the budget allows."""
    turned = None
    if space.bootstrap is not None and len(space.bootstrap.coordinates):
        turned = space.bootstrap.coordinates
    sizes = [len(part) for part in (turned, resampled) if part is not None]
    if not sizes:
        return None
    given = max(sizes)
    n, d = space.coordinates.shape
    each = (table.shape[0] + (turned is not None)) * cost(n, d, budget)
    used = min(given, budget.total // each)
    rows = [_pairing(part, used, given, seed, word) for part, word in ((turned, "space"), (resampled, "agents"))]
    ones = np.ones(n)
    fixed = _hull(space.coordinates, ones, budget, seed, "suite").volume if turned is None else 0.0
    volumes, suite = np.empty((used, table.shape[0])), np.full(used, fixed)
    means = np.empty_like(volumes)
    for b in range(used):
        coordinates = space.coordinates if turned is None else turned[rows[0][b]]
        now = table if resampled is None else resampled[rows[1][b]]
        means[b] = now.mean(axis=1)
        volumes[b] = [_hull(coordinates, row, budget, seed, "replicate", b).volume for row in now]
        if turned is not None:
            suite[b] = _hull(coordinates, ones, budget, seed, "replicate", b).volume
    return _Replicates(volumes, suite, means, given)


def _pairing(part: Floats | None, used: int, given: int, seed: int, word: str) -> npt.NDArray[np.int64]:
    """Return which replicate of a source serves each bootstrap step: its own, or drawn where it has fewer."""
    if part is None or len(part) == given:
        return np.arange(used)
    return generator(seed, "quotient", "pairing", word).integers(len(part), size=used)


def _tied(volumes: Floats) -> Floats:
    """Return volumes (B, A) rounded to a billionth of each replicate's largest, so that rounding decides no order."""
    top = volumes.max(axis=1, keepdims=True)
    return np.asarray(np.round(np.divide(volumes, top, out=np.zeros_like(volumes), where=top > 0) / TIE))


def _agent(
    space: Space,
    i: int,
    name: str,
    row: Floats,
    hulls: list[HullVolume],
    suite: HullVolume,
    boot: _Replicates | None,
    budget: Budget,
    seed: int,
    confidence: float,
) -> AgentScore:
    """Return the score of agent i with its intervals."""
    own, d = hulls[i], space.dimensions
    relative = own.volume / suite.volume
    series: dict[str, Floats] = {}
    if boot is not None and boot.volumes.shape[0] >= FEWEST:
        solid = boot.suite > 0
        series["volume"], series["mean"] = boot.volumes[:, i], boot.means[:, i]
        series["relative"] = boot.volumes[solid, i] / boot.suite[solid]
        series["per_dimension"] = series["relative"] ** (1 / d)

    def estimate(what: str, value: float, how: str) -> Estimate:
        interval = percentile_interval(series[what], confidence) if what in series else None
        return Estimate(value, interval, row.size, how, seed, confidence)

    return AgentScore(
        agent=name,
        volume=estimate("volume", own.volume, f"hull volume ({own.method}), percentile bootstrap"),
        relative=estimate("relative", relative, "over the suite's volume, percentile bootstrap"),
        per_dimension=estimate("per_dimension", relative ** (1 / d), f"relative to the power 1/{d}"),
        mean=estimate("mean", float(row.mean()), "mean performance over domains, percentile bootstrap"),
        rank=1 + sum(other.volume > own.volume * (1 + TIE) for other in hulls),
        vertices=tuple(space.domains[v] for v in own.vertices),
        losses=_losses(space.coordinates, row, own, budget),
        hull=own,
    )


def _method(space: Space, resampled: Floats | None, boot: _Replicates | None, budget: Budget) -> str:
    """Return in words what was resampled and what the budget left out."""
    exact = f"exact up to {budget.facets} possible facets, sampled above"
    if boot is None:
        return f"hull volume, {exact}; no replicates, no intervals"
    parts = [
        word
        for word, there in (
            ("complexity and dissimilarity", space.bootstrap is not None),
            ("the agents' repetitions", resampled is not None),
        )
        if there
    ]
    used = boot.volumes.shape[0]
    cut = f" of {boot.given}, as many as the total budget allows" if used < boot.given else ""
    few = "; too few for intervals" if used < FEWEST else ""
    return f"hull volume, {exact}; bootstrap over {' and '.join(parts)}, {used} replicates{cut}{few}"
