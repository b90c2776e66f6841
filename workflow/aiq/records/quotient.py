"""Records of the quotient: volumes of hulls, the score of an agent, the scores of several agents."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from aiq.records.estimate import Estimate, Floats, freeze, jsonable, plain
from aiq.records.space import Weights

HEADLINES = {"skills": "mean over skills", "volume": "AIQ per dimension"}
"""What the headline is called."""
THE_HEADLINE = {"skills": "the mean over skills", "volume": "AIQ per dimension"}
"""The same in a sentence."""


@dataclass(frozen=True, slots=True)
class AgentSkill:
    """The mean over independent skills of one agent.

    ``value``: M_0, NaN where there is no headline. ``profile``: M_q by q (1: mean, 0: the value, -1: harmonic).
    ``mean``: of the performances, every test alike. ``rank``: (low, high), the simultaneous confidence set of its
    rank; (1, m) where nothing is known of the errors. ``order``: calibrated probability of being above the next agent
    of the table; None for the last one and where errors are unknown.
    """

    agent: str
    value: Estimate
    profile: Mapping[int, Estimate]
    mean: Estimate
    rank: tuple[int, int]
    order: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Skills:
    """The values of m agents over one suite, best first, with what each test counts.

    ``covariance`` (m, m): of the errors of the values, in the order of ``agents``; NaN where they are not known.
    ``df`` (m,): degrees of freedom of each value's error, infinite where it is known. ``order_probabilities`` (m, m):
    calibrated probability that the agent of the row is truly above that of the column. ``warnings``: sentences that
    belong beside the table; those of ``weights`` are among them.
    """

    weights: Weights
    agents: tuple[AgentSkill, ...]
    covariance: Floats
    df: Floats
    order_probabilities: Floats | None
    warnings: tuple[str, ...]
    method: str
    seed: int
    confidence: float = 0.95

    def __post_init__(self) -> None:
        m = len(self.agents)
        if self.covariance.shape != (m, m) or self.df.shape != (m,):
            raise ValueError(f"errors of shapes {self.covariance.shape} and {self.df.shape} do not fit {m} agents")
        freeze(self)

    @property
    def reason(self) -> str:
        """Why there is no headline, in one sentence; empty where there is one."""
        return self.weights.reason


@dataclass(frozen=True, slots=True)
class HullVolume:
    """Volume of the convex hull of points and the origin.

    ``volume`` is measured in the ``dimension`` of the space and is 0 where the points span less;
    ``span_volume`` is the ``rank``-dimensional volume in the space that they do span (the same number where
    rank = dimension; 0 for rank 0). ``vertices`` are row numbers of the points that are vertices.
    ``method``: ``determinant``, ``qhull``, ``length`` (one dimension), ``product`` (points in subspaces of their own),
    ``none`` (no extent), or ``sampled`` (an estimate, with its standard error ``error``, which is ``relative_error`` of
    the span's volume; exact methods have error 0). ``log_span_volume``: natural logarithm of ``span_volume``, known
    also where that is too small for a number.
    """

    volume: float
    dimension: int
    rank: int
    span_volume: float
    vertices: tuple[int, ...]
    method: str
    error: float = 0.0
    log_span_volume: float | None = None
    relative_error: float = 0.0

    @property
    def log_volume(self) -> float:
        """Natural logarithm of the volume; minus infinity where there is none."""
        if self.rank < self.dimension:
            return -math.inf
        if self.log_span_volume is not None:
            return self.log_span_volume
        return math.log(self.volume) if self.volume > 0 else -math.inf

    def __post_init__(self) -> None:
        if not (self.volume >= 0 and self.span_volume >= 0 and self.error >= 0):
            raise ValueError(f"volumes and errors are at least 0, not {self.volume}, {self.span_volume}, {self.error}")
        if self.rank < self.dimension and self.volume != 0:
            raise ValueError(f"points of rank {self.rank} have no volume in {self.dimension} dimensions")


@dataclass(frozen=True, slots=True)
class Beyond:
    """What AIQ per dimension adds to the geometric mean of the performances, over the agents of a table.

    ``rank_correlation`` of the two; ``residual``: the share of the agents' differences in AIQ per dimension that a
    straight line in the geometric mean does not explain, in [0, 1].
    """

    rank_correlation: Estimate
    residual: Estimate


@dataclass(frozen=True, slots=True)
class AgentScore:
    """The score of one agent: the headline, and the volume of the paper.

    ``value``: the headline, NaN where there is none (None in files of earlier versions: it is then ``per_dimension``);
    ``profile``: means over independent skills by exponent, empty where the headline is the volume; ``ranks``: (low,
    high), the ranks by the headline that are possible for all agents at once. ``per_dimension``: relative^(1/d), NaN
    where the suite has no volume; its interval carries the uncertainty of the number of dimensions d. ``relative``:
    volume over that of an agent at performance 1 everywhere, in d dimensions, its interval with d given;
    ``by_dimensions``: the same in d - 1, d and d + 1 dimensions. ``volume``: AIQ (Eq. 14). ``mean`` and
    ``geometric_mean``: of the performances over domains. ``order``: probability of being above the next agent of the
    table by the headline, None for the last one or where no error is known. ``rank``: 1 is best by volume, equal
    volumes share a rank. ``vertices``: the domains on the agent's hull. ``losses`` (one per domain, in the order of the
    domains): the volume lost when that domain is left out, None above the facet budget. ``hull``: how the volume was
    found; its ``span_volume`` is the volume in the agent's own span where that has fewer dimensions than the space.
    """

    agent: str
    volume: Estimate
    relative: Estimate
    per_dimension: Estimate
    mean: Estimate
    rank: int
    vertices: tuple[str, ...]
    losses: tuple[float, ...] | None
    hull: HullVolume
    geometric_mean: Estimate | None = None
    by_dimensions: Mapping[int, float] = field(default_factory=dict)
    order: float | None = None
    value: Estimate | None = None
    profile: Mapping[int, Estimate] = field(default_factory=dict)
    ranks: tuple[int, int] | None = None

    @property
    def headline(self) -> Estimate:
        """The number by which agents are listed."""
        return self.per_dimension if self.value is None else self.value

    @property
    def rank_words(self) -> str:
        """The rank as it is printed: one number where it is sure, else the first and last that are possible."""
        low, high = self.ranks or (self.rank, self.rank)
        return f"{low}" if low == high else f"{low}–{high}"

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping; ``interval`` is that of the headline ``value``."""
        return {
            "agent": self.agent,
            **plain(self.headline, "value", "interval"),
            "profile": {str(q): plain(mean, "value", "interval") for q, mean in self.profile.items()},
            **plain(self, "volume", "relative", "per_dimension", "mean"),
            "rank": list(self.ranks or (self.rank, self.rank)),
            "volume_rank": self.rank,
            "geometric_mean_interval": None,
            **plain(self, "by_dimensions", "order", "geometric_mean", "vertices", "losses"),
            "span_dimension": self.hull.rank,
            **plain(self.hull, "span_volume", "method", "error", "log_volume", "relative_error"),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """The scores of A agents over one suite, best first by the headline.

    ``headline``: what the agents' ``value`` is, ``skills`` (the mean over independent skills) or ``volume`` (AIQ per
    dimension); ``skills``: these means with the weights of all tests, None in files of earlier versions; ``share``: of
    the positive spectrum that the dimensions hold at least, None where they were chosen otherwise.
    ``order_probabilities`` (A, A): probability that agent i (as listed) is above agent j by the headline, None where no
    error is known. By the volume: the share of the bootstrap in which agent i has more AIQ, ties half, over the
    replicates in which the suite has volume, each in its own number of dimensions, and as if each order had been seen
    half a time more.
    ``suite``: hull of an agent at performance 1 everywhere; ``suite_losses``: what each domain is worth to the
    suite, in volume. ``replicates``: used; ``replicates_given``: offered; ``replicates_flat``: used ones in which
    the suite itself had no volume, so that there is no relative score. ``simplex``: relative AIQ is the product of
    the performances on ``suite_vertices``; elsewhere ``beyond`` says what AIQ adds to their geometric mean (None for
    fewer than three agents). ``warnings``: sentences that belong beside the table.
    """

    domains: tuple[str, ...]
    dimensions: int
    agents: tuple[AgentScore, ...]
    order_probabilities: Floats | None
    suite: HullVolume
    suite_vertices: tuple[str, ...]
    suite_losses: tuple[float, ...] | None
    replicates: int
    replicates_given: int
    replicates_flat: int
    method: str
    seed: int
    simplex: bool = False
    beyond: Beyond | None = None
    warnings: tuple[str, ...] = ()
    headline: str = "volume"
    skills: Skills | None = None
    share: float | None = None

    @property
    def note(self) -> str:
        """What AIQ is here beside the geometric mean of the performances, in one sentence; empty where unknown."""
        if self.simplex:
            where = "" if len(self.suite_vertices) == len(self.domains) else f" on {', '.join(self.suite_vertices)}"
            return f"here AIQ per dimension is the geometric mean of the performances{where}"
        if self.beyond is None:
            return ""
        rank, rest = self.beyond.rank_correlation, self.beyond.residual
        interval = "" if rest.interval is None else f" [{rest.interval[0]:.2f}, {rest.interval[1]:.2f}]"
        return (
            f"the geometric mean of the performances leaves {rest.value:.2f}{interval} of the agents' differences in "
            f"AIQ per dimension unexplained (rank correlation {rank.value:.2f})"
        )

    def __post_init__(self) -> None:
        by_volume = zip(self.agents, self.agents[1:], strict=False) if self.headline == "volume" else ()
        if any(a.rank > b.rank for a, b in by_volume):
            raise ValueError("agents must be listed best first")
        freeze(self)

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping of all scores."""
        weights = None if self.skills is None else self.skills.weights
        suite = {"vertices": list(self.suite_vertices), "losses": jsonable(self.suite_losses)}
        named = ("headline", "agents", "dimensions", "share", "simplex", "note", "warnings", "beyond", "domains")
        counts = ("order_probabilities", "replicates", "replicates_given", "replicates_flat", "method", "seed")
        return {
            **plain(self, *named),
            "tests": None if weights is None else jsonable(weights.tests),
            "independent": None if weights is None else plain(weights.independent, "value", "interval"),
            "suite": suite | plain(self.suite, "volume", "method", "error", "log_volume", "relative_error"),
            **plain(self, *counts),
        }
