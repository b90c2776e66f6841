"""The agents' values: a weighted mean over independent skills, with intervals, differences and ranks.

M_q(v) = (sum w_i (v_i + .05)^q / sum w_i)^(1/q) - .05, for q = 0 the limit exp(sum w_i log(v_i + .05) / sum w_i) - .05.
The headline is M_0: hard tests count more, kin and copies share one place, and an uneven agent does not beat an even
one. M_1 is the weighted arithmetic mean, M_-1 the harmonic one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aiq.measures import check_confidence
from aiq.records.estimate import Estimate, Floats, StandardError
from aiq.records.quotient import AgentSkill, Skills
from aiq.records.space import Weights
from aiq.seeding import generator
from aiq.stats import clipped, fieller_set, moderated_interval, moderated_means, ranks, student_quantile

SHIFT = 0.05  # added to every performance, so that a 0 on one test does not end everything
PROFILE = (1, 0, -1)
POINT = 1e-9  # a narrower interval is a point, which would claim what was not measured
DRAWS = 2000  # of errors, for the ranks


@dataclass(frozen=True, slots=True, eq=False)
class _Measured:
    """Means (m, n) of m agents with variances (0 where unknown) and degrees of freedom (m, n)."""

    names: tuple[str, ...]
    means: Floats
    variance: Floats
    df: Floats
    single: tuple[str, ...]

    def span(self, a: int, critical: float) -> tuple[float, float]:
        """Return what no weighted mean of agent a lies outside of: the ends of its tests' own intervals."""
        half = critical * np.sqrt(self.variance[a])
        return max(float((self.means[a] - half).min()), 0.0), min(float((self.means[a] + half).max()), 1.0)


def mean(performance: npt.ArrayLike, weights: npt.ArrayLike, q: int = 0) -> Floats:
    """Return M_q over the last axis.

    Args:
        performance: in [0, 1], (..., n).
        weights: at least 0, some above, (n,) or broadcast to the performances.
        q: 1, 0 or -1 of the profile; any real number.
    """
    w = np.asarray(weights, dtype=np.float64)
    return _back((w * _bent(np.asarray(performance, dtype=np.float64), q)).sum(axis=-1) / w.sum(axis=-1), q)


def _bent(v: Floats, q: int) -> Floats:
    return np.asarray(np.log(v + SHIFT) if q == 0 else (v + SHIFT) ** q)


def _slope(v: Floats, q: int) -> Floats:
    return np.asarray(1 / (v + SHIFT) if q == 0 else q * (v + SHIFT) ** (q - 1))


def _back(average: Floats, q: int) -> Floats:
    """Return the performance whose ``_bent`` is the average."""
    return np.asarray((np.exp(average) if q == 0 else average ** (1 / q)) - SHIFT)


def score(
    weights: Weights,
    performances: Mapping[str, Sequence[npt.ArrayLike]],
    *,
    se: Mapping[str, npt.ArrayLike] | None = None,
    seed: int = 0,
    confidence: float = 0.95,
) -> Skills:
    """Return the values of all agents, best first.

    ``performances`` are for every agent its repetitions on each test, in the order of the weights' tests: n series in
    [0, 1], of at least one number each. Every test has its own variance: agents spread very differently from test to
    test, and one drawn towards the others covers too little. A test with one repetition has the mean variance of the
    agent's other tests, or the squared standard error ``se`` of the agent's mean, (n,), where that is known (not NaN).
    """
    check_confidence(confidence)
    agents = _measured(weights, performances, se or {})
    if weights.reason:
        return _without(weights, agents, seed, confidence)
    reading = {q: _Reading.of(weights, agents, q, confidence) for q in PROFILE}
    return _table(weights, agents, reading, seed, confidence)


def variances(weights: Weights, performances: Mapping[str, Sequence[npt.ArrayLike]]) -> tuple[Floats, Floats, Floats]:
    """Return what lengths, directions and agents' own trainings add to the variance of each agent's value, (m,) each.

    They are independent, so a value's variance is their sum: its place on the diagonal of ``Skills.covariance``.

    Raises:
        StorageError: the run is not finished.
        InputError: nobody is scored.
    """
    lengths, directions, own = _Reading.of(weights, _measured(weights, performances, {}), 0, 0.95).parts
    return lengths, directions, own


def _measured(
    weights: Weights, performances: Mapping[str, Sequence[npt.ArrayLike]], se: Mapping[str, npt.ArrayLike]
) -> _Measured:
    n, means, variance, df, single = len(weights.tests), [], [], [], []
    for agent, series in performances.items():
        values = [np.atleast_1d(np.asarray(trainings, dtype=np.float64)) for trainings in series]
        average, errors = moderated_means(values, prior_df=0)
        squared = np.array([np.nan if error is None else error.se**2 for error in errors])
        freedom = np.array([np.inf if error is None else error.df for error in errors])
        given = np.asarray(se.get(agent, np.full(n, np.nan)), dtype=np.float64)
        stated = np.isfinite(given) & (np.array([trainings.size for trainings in values]) == 1)
        squared, freedom = np.where(stated, given**2, squared), np.where(stated, np.inf, freedom)
        if np.isnan(squared).any():
            single.append(agent)
        means.append(average)
        variance.append(np.nan_to_num(squared))
        df.append(freedom)
    return _Measured(tuple(performances), np.array(means), np.array(variance), np.array(df), tuple(single))


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    """M_q of m agents: values, ends of their intervals (NaN where unknown), covariance of errors (m, m), df (m,).

    ``parts`` (3, m): of the variances, by lengths, directions and the agents themselves.
    """

    value: Floats
    low: Floats
    high: Floats
    covariance: Floats
    df: Floats
    parts: Floats

    @classmethod
    def of(cls, weights: Weights, agents: _Measured, q: int, confidence: float) -> _Reading:
        """Return M_q of all agents with its errors.

        Errors of the lengths enter in first order, so that signed lengths do no harm; those of the uniquenesses as
        whole means (each draw is divided by its own sum of weights); those of the agents by the delta method.
        """
        counted = weights.counted * weights.uniqueness
        bent, total = _bent(agents.means, q), counted.sum()
        average = bent @ counted / total
        value = _back(average, q)
        back = 1 / _slope(value, q)
        apart = bent - average[:, None]
        own = (counted * _slope(agents.means, q) / total) ** 2 * agents.variance
        common = _by_length(weights, apart / total) + (by_place := _by_place(weights, apart))
        shared = np.stack([np.diag(common - by_place), np.diag(by_place)], axis=1)
        freedom = np.broadcast_to([weights.length_df, weights.uniqueness_df], shared.shape)
        df = _degrees(np.hstack([shared, own]), np.hstack([freedom, agents.df]))
        ends = []
        for a in range(len(value)):
            variance = float((shared[a, 1] + own[a].sum()) * total**2)
            critical = student_quantile((1 + confidence) / 2, float(df[a]))
            ends.append(_interval(weights, bent[a], variance, agents.span(a, critical), critical, q))
        low, high = np.array(ends).T
        wide = high - low > POINT
        low, high = np.where(wide, np.minimum(low, value), np.nan), np.where(wide, np.maximum(high, value), np.nan)
        covariance = np.outer(back, back) * (common + np.diag(own.sum(axis=1)))
        return cls(value, low, high, covariance, df, back**2 * np.vstack([shared.T, own.sum(axis=1)]))


def _by_length(weights: Weights, apart: Floats) -> Floats:
    """Return the covariance (m, m) that the lengths' errors cause in means with terms (m, n) apart from the mean."""
    if weights.length_covariance is None:
        return np.zeros((len(apart), len(apart)))
    turned = apart * weights.uniqueness
    return np.asarray(turned @ weights.length_covariance @ turned.T)


def _by_place(weights: Weights, apart: Floats) -> Floats:
    """Return the covariance (m, m) that the uniquenesses' errors cause."""
    if weights.uniqueness_replicates is None:
        return np.zeros((len(apart), len(apart)))
    drawn = weights.counted * weights.uniqueness_replicates
    moved = drawn @ apart.T / drawn.sum(axis=1, keepdims=True)
    return np.asarray(moved.T @ moved / len(moved))


def _degrees(parts: Floats, df: Floats) -> Floats:
    spread = (parts**2 / df).sum(axis=1)
    degrees = np.full(len(parts), np.inf)
    return np.asarray(np.divide(parts.sum(axis=1) ** 2, spread, out=degrees, where=spread > 0))


def _interval(
    weights: Weights, bent: Floats, own: float, span: tuple[float, float], critical: float, q: int
) -> tuple[float, float]:
    """Return Fieller's interval of M_q of one agent with signed lengths, cut at ``span``.

    ``bent`` (n,): what is averaged; ``own``: variance of the weighted sum from all but the lengths.
    """
    signed = weights.length * weights.uniqueness
    turned = np.stack([bent * weights.uniqueness, weights.uniqueness])
    errors = np.zeros((2, 2))
    if weights.length_covariance is not None:
        errors = turned @ weights.length_covariance @ turned.T
    variances = (float(errors[0, 0] + own), float(errors[0, 1]), float(errors[1, 1]))
    limits = sorted(float(_bent(np.array(end), q)) for end in span)
    whole = fieller_set(float(signed @ bent), float(signed.sum()), variances, critical)
    parts = clipped(whole, limits[0], limits[1])
    ends = sorted(float(_back(np.array(end), q)) for end in (parts[0][0], parts[-1][1]))
    return ends[0], ends[1]


def _table(weights: Weights, agents: _Measured, reading: dict[int, _Reading], seed: int, confidence: float) -> Skills:
    head, plain = reading[0], agents.means.mean(axis=1)
    order = sorted(range(len(agents.names)), key=lambda i: (-head.value[i], -plain[i], agents.names[i]))
    covariance = head.covariance[np.ix_(order, order)]
    uncertain = bool(np.diag(covariance).any())
    low, high, above = np.ones(len(order), int), np.full(len(order), len(order)), None
    if uncertain:
        values, df = head.value[order], float(np.median(head.df))
        rng = generator(seed, "skills", "ranks")
        sets = ranks.rank_sets(values, ranks.deviations(covariance, DRAWS, rng), df=df, confidence=confidence, rng=rng)
        low, high = sets.low, sets.high
        above = ranks.order_probabilities(values, covariance)
    n, ranked = agents.means.shape[1], []
    for k, i in enumerate(order):
        profile = {}
        for q, at_q in reading.items():
            ends = None if np.isnan(at_q.low[i]) else (float(at_q.low[i]), float(at_q.high[i]))
            profile[q] = Estimate(float(at_q.value[i]), ends, n, f"M_{q} over independent skills", seed, confidence)
        next_ = None if above is None or k + 1 == len(order) else float(above[k, k + 1])
        mean_, places = _mean(agents, i, seed, confidence), (int(low[k]), int(high[k]))
        ranked.append(AgentSkill(agents.names[i], profile[0], profile, mean_, places, next_))
    return Skills(
        weights,
        tuple(ranked),
        covariance if uncertain else np.full_like(covariance, np.nan),
        head.df[order],
        above,
        (*weights.warnings, *_warnings(agents)),
        "weighted geometric mean over independent skills, Fieller's interval",
        seed,
        confidence,
    )  # fmt: skip


def _mean(agents: _Measured, i: int, seed: int, confidence: float) -> Estimate:
    n = agents.means.shape[1]
    parts = agents.variance[i][None] / n**2
    df = _degrees(parts, agents.df[i][None])[0]
    value = float(agents.means[i].mean())
    interval = moderated_interval(value, StandardError(float(np.sqrt(parts.sum())), float(df)), confidence)
    if interval is not None:
        interval = (min(max(interval[0], 0.0), value), max(min(interval[1], 1.0), value))
    return Estimate(value, interval, n, "mean performance over tests", seed, confidence)


def _without(weights: Weights, agents: _Measured, seed: int, confidence: float) -> Skills:
    """Return a table without values, sorted by the plain mean."""
    m = len(agents.names)
    order = sorted(range(m), key=lambda i: (-agents.means[i].mean(), agents.names[i]))
    nothing = Estimate(math.nan, None, len(weights.tests), weights.reason, seed, confidence)
    profile = dict.fromkeys(PROFILE, nothing)
    return Skills(
        weights,
        tuple(AgentSkill(agents.names[i], nothing, profile, _mean(agents, i, seed, confidence), (1, m), None)
              for i in order),
        np.full((m, m), np.nan),
        np.full(m, np.inf),
        None,
        (weights.reason, *weights.warnings, *_warnings(agents)),
        "no headline",
        seed,
        confidence,
    )  # fmt: skip


def _warnings(agents: _Measured) -> tuple[str, ...]:
    if len(agents.single) == len(agents.names):
        return ("no agent has more than one repetition: no interval carries the agents' own uncertainty",)
    if not agents.variance.any():
        return ("all repetitions of an agent are equal: no interval carries the agents' own uncertainty",)
    if agents.single:
        return (f"one repetition: the interval of {', '.join(agents.single)} leaves the agent's own uncertainty out",)
    return ()


def difference(scores: Skills, first: str, second: str) -> Estimate:
    """Return how far the first agent is above the second, with its interval."""
    names = [agent.agent for agent in scores.agents]
    i, j = names.index(first), names.index(second)
    value = scores.agents[i].value.value - scores.agents[j].value.value
    c = scores.covariance
    variance = float(c[i, i] + c[j, j] - 2 * c[i, j])
    error = None
    if math.isfinite(variance):
        error = StandardError(math.sqrt(max(variance, 0.0)), float(min(scores.df[i], scores.df[j])))
    interval = moderated_interval(value, error, scores.confidence)
    return Estimate(
        value, interval, len(scores.weights.tests), "difference of two values", scores.seed, scores.confidence
    )
