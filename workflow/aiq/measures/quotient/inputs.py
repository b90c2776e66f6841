"""What stands beside scores: refusals of what cannot be scored, warnings, and what AIQ adds to plain performances."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.measures.quotient.bootstrap import FEWEST, Replicates
from aiq.records.estimate import Estimate, Floats
from aiq.records.quotient import AgentScore, Beyond, HullVolume
from aiq.records.space import Space
from aiq.stats import percentile_interval

FEWEST_AGENTS = 3  # two agents are always on one line
_FLAT = 1e-12

# ---- Sentences that belong beside a table of scores ----------------------------------------------


POINT = 1e-9  # intervals narrower than this are points
DOUBTFUL = 0.25  # relative error of a sampled volume above which it has not settled
MANY_FLAT = 0.01  # share of flat replicates from which it is said


def sentences(
    space: Space,
    agents: Sequence[AgentScore],
    boot: Replicates | None,
    repeated: bool,
    single: Sequence[str],
    suite: HullVolume,
) -> tuple[str, ...]:
    """Return the warnings of the space and those of the scores in it.

    ``repeated``: whether the agents' own repetitions were resampled; ``single``: agents with one repetition where
    others have more; ``suite``: its hull.
    """
    hulls = [*(agent.hull for agent in agents), suite]
    warnings = [*_none(space, suite), *space.warnings, *_sampled(space.dimensions, hulls)]
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


def _none(space: Space, suite: HullVolume) -> list[str]:
    """Return why there is no volume, where there is none."""
    if suite.rank >= suite.dimension:
        return []
    return [
        f"no volume can be compared: the suite spans {suite.rank} of the space's {space.dimensions} dimensions, as "
        f"tests of length 0 lie at the origin; for volumes build the space with at most {max(suite.rank, 1)} dimensions"
    ]


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
            "dimensions or raise quotient.facet_budget"
        )
    return said


# ---- Refusal of agents and performances that cannot be scored, in one sentence each --------------


def check_performance(
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


# ---- What AIQ adds to plain performances ----


def is_simplex(suite: HullVolume, agents: list[HullVolume]) -> bool:
    """Whether suite and agents have the same d vertices: relative AIQ is then a product of performances."""
    corners = set(suite.vertices)
    own = [set(hull.vertices) for hull in agents if hull.rank == hull.dimension]
    return len(corners) == suite.dimension == suite.rank and all(vertices == corners for vertices in own)


def geometric_means(performance: Floats) -> Floats:
    """Return geometric means over the last axis; 0 where a performance is 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.exp(np.log(performance).mean(axis=-1)))


def beyond(
    per_dimension: Floats, table: Floats, boot: Replicates | None, order: Sequence[int], confidence: float, seed: int
) -> Beyond | None:
    """Return how much of the agents' differences the geometric mean leaves unexplained; None for fewer than 3 agents.

    AIQ per dimension (A,) and performances (A, n) are of the agents as listed; ``order`` is where replicates have them.
    """
    count = per_dimension.size
    if count < FEWEST_AGENTS:
        return None
    rank, residual = _compare(per_dimension[None], geometric_means(table)[None])
    ranks = residuals = None
    if boot is not None and boot.used >= FEWEST:
        values, performance = boot.per_dimension[boot.solid][:, order], boot.performance[boot.solid][:, order]
        ranks, residuals = _compare(values, geometric_means(performance))

    def estimate(value: float, series: Floats | None, how: str) -> Estimate:
        interval = None if series is None else percentile_interval(series, confidence)
        return Estimate(value, interval, count, how, seed, confidence)

    return Beyond(
        estimate(float(rank[0]), ranks, "rank correlation of AIQ per dimension and geometric mean over the agents"),
        estimate(float(residual[0]), residuals, "1 - squared correlation of AIQ per dimension and geometric mean"),
    )


def _compare(values: Floats, other: Floats) -> tuple[Floats, Floats]:
    """Return rank correlations and residual shares of rows (B, A); rows without differences correlate by 1."""
    return _correlation(_ranks(values), _ranks(other)), 1 - _correlation(values, other) ** 2


def _ranks(values: Floats) -> Floats:
    """Return midranks within each row; differences of 1e-9 are ties."""
    rounded = np.round(values, 9)
    above = (rounded[:, :, None] > rounded[:, None, :]).sum(axis=2)
    equal = (rounded[:, :, None] == rounded[:, None, :]).sum(axis=2)
    return np.asarray(above + (equal - 1) / 2, dtype=np.float64)


def _correlation(first: Floats, second: Floats) -> Floats:
    """Return Pearson's correlation of rows (B, A); 1 where one of them does not vary."""
    x, y = (part - part.mean(axis=1, keepdims=True) for part in (first, second))
    size = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    flat = size <= _FLAT
    return np.clip(np.where(flat, 1.0, (x * y).sum(axis=1) / np.where(flat, 1.0, size)), -1.0, 1.0)
