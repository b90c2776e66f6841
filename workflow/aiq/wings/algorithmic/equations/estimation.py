"""From pair outcomes to numbers with intervals: quotient, paired difference, values by stratum and length.

With p_i the probability of stratum i, m_i, s_i and n_i mean, standard deviation and number of its pairs, and
N = sum n_i, the quotient is sum p_i m_i (Legg and Veness 2013, section 3.6). Its variance has two parts: that of
the trials, and that of the p_i, which are frequencies in a sample of M programs:
sum p_i (m_i - m)**2 / M. Pairs that share a program (after a stratum was used up) are not
independent, so the variance of a stratum's mean is computed over programs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aiq.errors import InputError, choice
from aiq.records.estimate import Estimate
from aiq.stats import Z
from aiq.wings.algorithmic.equations import Array, Population
from aiq.wings.algorithmic.equations.machine import LENGTH_BOUNDS
from aiq.wings.algorithmic.equations.runs import Integers, PairOutcomes, draw_keys, dropped


@dataclass(frozen=True, slots=True)
class StratumValue:
    """An agent's mean pair reward in one stratum (0: the whole sample); standard deviation of its pair means."""

    stratum: int
    probability: float
    deviation: float
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class LengthValue:
    """An agent's mean pair reward over programs of some lengths, whose ``share`` of the sample is told."""

    shortest: int
    longest: int
    share: float
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class AlgorithmicQuotient:
    """The Algorithmic Intelligence Quotient of one agent at one episode length.

    ``half_sampling`` and ``half_weights``: half-widths of the interval from the trials and from the uncertain
    probabilities of the strata (NaN where a stratum has fewer than two pairs); ``estimate`` contains both. ``runs``
    counts trials (two a pair), ``failures`` dropped pairs, ``reused`` valid pairs on a program used before; of
    ``dropped`` strata all draws failed.
    """

    estimate: Estimate
    half_sampling: float
    half_weights: float
    runs: int
    failures: int
    reused: int
    dropped: tuple[int, ...]
    strata: tuple[StratumValue, ...]


INTERVALS = ("optimal", "realised", "legacy")


@dataclass(frozen=True, slots=True)
class _Strata:
    """Per stratum: number, probability, mean, variance of the mean, count of pairs and of programs."""

    numbers: Array
    probabilities: Array
    means: Array
    variances: Array
    counts: Array
    distinct: Array

    @property
    def mean(self) -> float:
        return float(self.probabilities @ self.means)

    def trial_variance(self, interval: str) -> float:
        """Return the variance of the mean from the trials: as allocated, or for the optimal allocation."""
        if interval == "realised":
            return float(self.probabilities**2 @ self.variances)
        return float((self.probabilities @ np.sqrt(self.variances * self.counts)) ** 2 / self.counts.sum())

    def values(self, seed: int | None) -> tuple[StratumValue, ...]:
        strata = []
        columns = (self.numbers, self.probabilities, self.means, self.variances, self.counts)
        for number, probability, mean, variance, n in zip(*(column.tolist() for column in columns), strict=True):
            error = math.sqrt(variance)
            estimate = _estimate(mean, Z * error, n, "stratum mean of antithetic pairs", seed)
            strata.append(StratumValue(number, probability, error * math.sqrt(n), estimate))
        return tuple(strata)

    def weight_variance(self, programs: int) -> float:
        """Return the variance of the mean from the strata's probabilities, frequencies among ``programs``."""
        return float(self.probabilities @ (self.means - self.mean) ** 2 / programs)


def _mean_variance(values: Array, programs: Array) -> float:
    """Return the variance of the mean of ``values``, clustered by program; NaN for fewer than two values."""
    n = values.size
    if n < 2:
        return math.nan
    _, cluster = np.unique(programs, return_inverse=True)
    size = int(cluster.max()) + 1
    if size in (1, n):
        return float(np.var(values, ddof=1) / n)
    sums = np.bincount(cluster, weights=values - values.mean())
    return float(sums @ sums / n**2 * size / (size - 1))


def _by_stratum(stratum: Array, program: Array, value: Array, population: Population) -> _Strata:
    """Return the strata's statistics for valid rows; probabilities add up to 1 over the strata present."""
    numbers = np.unique(stratum)
    if numbers.size == 0:
        raise InputError("zero strata left: there is no pair of trials without failure; run the agent on more programs")
    rows = [stratum == number for number in numbers]
    probabilities = np.array([population.probability(int(number)) for number in numbers])
    return _Strata(
        numbers,
        probabilities / probabilities.sum(),
        np.array([value[row].mean() for row in rows]),
        np.array([_mean_variance(value[row], program[row]) for row in rows]),
        np.array([np.count_nonzero(row) for row in rows]),
        np.array([np.unique(program[row]).size for row in rows]),
    )


def _estimate(value: float, half: float, n: int, method: str, seed: int | None) -> Estimate:
    """Return an estimate with a symmetric 95 % interval, none where ``half`` is NaN."""
    interval = None if math.isnan(half) else (value - half, value + half)
    return Estimate(value, interval, n, method, seed)


def _valid(outcomes: PairOutcomes) -> tuple[Array, Array, Array]:
    rows = outcomes.valid
    return outcomes.stratum[rows], outcomes.program[rows], outcomes.value[rows]


def quotient(
    outcomes: PairOutcomes, population: Population, interval: str = "optimal", seed: int | None = None
) -> AlgorithmicQuotient:
    """Return the quotient of the agent whose outcomes these are, of a root seed.

    Interval ``optimal``: half-width 1.96 sqrt((sum p_i s_i)**2 / N + var(p)), right for adaptive runs, whose allocation
    tends to the optimal one; ``realised``: sum p_i**2 s_i**2 / n_i in place of the first term, right for any
    allocation; ``legacy``: 1.96 sum p_i s_i / sqrt(2 N), too small by sqrt 2, as published.

    Raises:
        InputError: no pair without failure, or an unknown kind of interval.
    """
    if interval not in INTERVALS:
        raise InputError(choice("interval", interval, INTERVALS))
    strata = _by_stratum(*_valid(outcomes), population)
    trials = strata.trial_variance(interval)
    weights = 0.0 if interval == "legacy" else strata.weight_variance(population.size)
    sampling = math.sqrt(trials / 2 if interval == "legacy" else trials) * Z
    kind = "stratified" if population.stratified else "plain Monte Carlo"
    method = f"{kind} mean of antithetic pairs, {interval} interval"
    half = math.hypot(sampling, Z * math.sqrt(weights))
    return AlgorithmicQuotient(
        estimate=_estimate(strata.mean, half, outcomes.pairs, method, seed),
        half_sampling=sampling,
        half_weights=Z * math.sqrt(weights),
        runs=2 * outcomes.pairs,
        failures=outcomes.failures,
        reused=int(strata.counts.sum() - strata.distinct.sum()),
        dropped=dropped(outcomes, population),
        strata=strata.values(seed),
    )


def difference(first: PairOutcomes, second: PairOutcomes, population: Population, seed: int | None = None) -> Estimate:
    """Return the quotient of ``first`` minus that of ``second`` on the draws that both ran without failure.

    With common random numbers the two are positively correlated, so that the interval of the difference is smaller than
    theirs suggest (Legg and Veness 2013, section 3.6). Realised variance.

    Raises:
        InputError: there is no common draw, or the outcomes come from different program samples.
    """
    ran, other_ran = (draw_keys(o.stratum, o.draw)[o.valid] for o in (first, second))
    common, mine, theirs = np.intersect1d(ran, other_ran, assume_unique=True, return_indices=True)
    if common.size == 0:
        raise InputError("the two agents have no draw in common; run them on the same programs with one seed")
    stratum, program, value = (column[mine] for column in _valid(first))
    _, other_program, other = (column[theirs] for column in _valid(second))
    if not np.array_equal(program, other_program):
        raise InputError("the two agents ran on different program samples; run them on the same one to compare them")
    strata = _by_stratum(stratum, program, value - other, population)
    variance = strata.trial_variance("realised") + strata.weight_variance(population.size)
    method = "stratified mean of paired differences, common random numbers"
    return _estimate(strata.mean, Z * math.sqrt(variance), common.size, method, seed)


def by_length(
    outcomes: PairOutcomes, population: Population, bounds: Sequence[int] = LENGTH_BOUNDS, seed: int | None = None
) -> tuple[LengthValue, ...]:
    """Return the agent's value over programs of different lengths, which are cut at ``bounds`` (first lengths of bins).

    Pairs are weighted by p_i / n_i of their stratum; ratio estimator over strata. Bins without a valid pair are left
    out.
    """
    stratum, program, value = _valid(outcomes)
    lengths = outcomes.length[outcomes.valid]
    strata = _by_stratum(stratum, program, value, population)
    weight = (strata.probabilities / strata.counts)[np.searchsorted(strata.numbers, stratum)]
    edges = [1, *bounds, int(population.lengths.max()) + 1]
    result = []
    for low, high in itertools.pairwise(edges):
        inside = (lengths >= low) & (lengths < high)
        n = int(np.count_nonzero(inside))
        if n == 0:
            continue
        mass = float(weight[inside].sum())
        mean = float(weight[inside] @ value[inside]) / mass
        residual = np.where(inside, value - mean, 0.0) / mass
        variance = _by_stratum(stratum, program, residual, population).trial_variance("realised")
        share = float(np.mean((population.lengths >= low) & (population.lengths < high)))
        half = Z * math.sqrt(variance) if n > 1 else math.nan
        result.append(LengthValue(low, high - 1, share, _estimate(mean, half, n, "stratified ratio", seed)))
    return tuple(result)


# ---- what a run finds ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SampleSummary:
    """A sample: programs of strata 1 ..., of lengths 0 ..., and `ProgramShard`'s counts (None: made elsewhere)."""

    size: int
    strata: tuple[int, ...]
    lengths: Integers
    candidates: int | None
    without_io: int | None
    failed: int | None
    passive: int | None


@dataclass(frozen=True, slots=True)
class AgentQuotient:
    """An agent's quotient at one length, and by length of programs; ``lengths[l]`` valid pairs had l instructions."""

    agent: str
    label: str
    kind: str
    length: int
    parameters: dict[str, float | bool | str]
    quotient: AlgorithmicQuotient
    by_length: tuple[LengthValue, ...]
    lengths: Integers


@dataclass(frozen=True, slots=True)
class AgentDifference:
    """Quotient of ``first`` minus that of ``second`` at one length, and the probability that it is above 0."""

    first: str
    second: str
    length: int
    estimate: Estimate
    probability: float | None


@dataclass(frozen=True, slots=True)
class Quotients:
    """The outcome of a run: agents at all lengths, differences between agents at one length, the sample."""

    agents: tuple[AgentQuotient, ...]
    differences: tuple[AgentDifference, ...]
    sample: SampleSummary
