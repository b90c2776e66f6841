"""Difficulty, discrimination and ability: the graded response model by its marginal likelihood.

The probability of grade k or more is logistic in ability, with one slope a test, its discrimination (Samejima 1969);
with answers of 0 and 1 that is the two-parameter logistic model. Ability is standard normal over agents. Estimates are
those of the EM algorithm of Bock and Aitkin (1981, Psychometrika 46, 443-459) with weak normal priors; one step costs
cells × nodes × grades. Missing cells say nothing about ability and are left out of the likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit

from aiq.records.estimate import Floats

Integers = npt.NDArray[np.int64]

GRADES = 5
PER_GRADE = 6  # agents a grade, at least: fewer agents have fewer grades
FEWEST = 10  # agents below which no model is fitted
NODES = 61
STEPS, TOLERANCE = 200, 1e-3
SLOPE = (1.5, 2.0)  # mean and standard deviation of the prior of slopes
LEAST = 1e-9  # of the probability of an answer
PLACE = 3.0  # standard deviation of the prior of intercepts
_THETA = np.linspace(-4.5, 4.5, NODES)
_WEIGHT = np.exp(-(_THETA**2) / 2) / np.exp(-(_THETA**2) / 2).sum()


@dataclass(frozen=True, slots=True)
class Responses:
    """A fitted model, by test (NaN: none) and by agent.

    ``difficulty``: 1 - expected performance at average ability, with its error. ``discrimination``: slope in ability,
    with its error. ``location``: ability at which the performance asked for is expected. ``ability``: mean of the
    agent's posterior distribution.
    """

    difficulty: Floats
    difficulty_error: Floats
    discrimination: Floats
    discrimination_error: Floats
    location: Floats
    ability: Floats


def grades(performance: Floats, count: int) -> Integers:
    """Return each test's performances as grades 0, 1, ..., (A, T); -1 where missing.

    Up to ``count`` different values are grades as they are; more are cut at the test's own quantiles. A test that does
    not say the same of all agents has two grades at least, however few agents pass.
    """
    graded = np.full(performance.shape, -1, dtype=np.int64)
    for place, column in enumerate(performance.T):
        there = ~np.isnan(column)
        values = np.unique(column[there])
        cuts = values[1:]
        if values.size > count:
            quantiles = np.unique(np.quantile(column[there], np.arange(1, count) / count))
            cuts = quantiles[quantiles > values[0]]
            cuts = cuts if cuts.size else values[1:2]
        graded[there, place] = np.searchsorted(cuts, column[there], side="right")
    return graded


def fit(performance: Floats, at: float = 0.5) -> Responses:
    """Return the model of performances (A, T), NaN: missing, A at least ``FEWEST``; ``at``: what is to be located."""
    agents, tests = performance.shape
    graded = grades(performance, int(np.clip(agents // PER_GRADE, 2, GRADES)))
    moving = np.flatnonzero((graded.max(axis=0) > 0) & ((graded >= 0).sum(axis=0) > 2))
    estimates = {
        name: np.full(tests, np.nan) for name in ("difficulty_error", "discrimination", "discrimination_error")
    }
    difficulty, location = 1 - np.nanmean(performance, axis=0), np.full(tests, np.nan)
    ability = np.full(agents, np.nan)
    if moving.size < 2:
        return Responses(difficulty, ability=ability, location=location, **estimates)
    model = _Model.of(graded[:, moving])
    model.climb()
    expected, slope_at, worth = model.expected(performance[:, moving])
    difficulty[moving] = 1 - expected[:, NODES // 2]
    estimates["discrimination"][moving] = model.slope
    errors = model.errors(worth, slope_at)
    estimates["difficulty_error"][moving], estimates["discrimination_error"][moving] = errors
    for place, curve in zip(moving, expected, strict=True):
        rising = curve if curve[-1] >= curve[0] else curve[::-1]
        if rising[0] < at < rising[-1]:
            location[place] = float(np.interp(at, rising, _THETA if rising is curve else _THETA[::-1]))
    ability[:] = model.posterior() @ _THETA
    return Responses(difficulty, ability=ability, location=location, **estimates)


@dataclass(slots=True)
class _Model:
    """Slopes (T,) and intercepts (T, K - 1), -inf beyond a test's own grades; grades as indicators (K, A, T)."""

    slope: Floats
    place: Floats
    shares: list[Floats]
    counts: Integers

    @classmethod
    def of(cls, graded: Integers) -> _Model:
        counts = graded.max(axis=0) + 1
        most = int(counts.max())
        shares = [(graded == k).astype(np.float64) for k in range(most)]
        total = (graded >= 0).sum(axis=0)
        above = np.stack([(graded >= k).sum(axis=0) for k in range(1, most)], axis=1)
        place = 1.5 * np.log((above + 0.5) / (total[:, None] - above + 0.5))
        place = np.where(np.arange(1, most)[None, :] < counts[:, None], place, -np.inf)
        return cls(np.ones(len(counts)), place, shares, counts)

    def chances(self, slope: Floats | None = None, place: Floats | None = None) -> Floats:
        """Return the probability of each grade at each node, (T, K, nodes)."""
        above = self.above(slope, place)
        ends = np.concatenate([np.ones_like(above[:, :1]), above, np.zeros_like(above[:, :1])], axis=1)
        return np.asarray(np.maximum(ends[:, :-1] - ends[:, 1:], 1e-12))

    def above(self, slope: Floats | None = None, place: Floats | None = None) -> Floats:
        """Return the probability of each grade above the lowest, or more, (T, K - 1, nodes)."""
        a, c = self.slope if slope is None else slope, self.place if place is None else place
        return np.asarray(expit(a[:, None, None] * _THETA + c[:, :, None]))

    def posterior(self) -> Floats:
        """Return each agent's distribution of ability over the nodes, (A, nodes)."""
        logs = np.log(self.chances())
        density = np.log(_WEIGHT) + sum(share @ logs[:, k] for k, share in enumerate(self.shares))
        density = np.exp(density - density.max(axis=1, keepdims=True))
        return np.asarray(density / density.sum(axis=1, keepdims=True))

    def climb(self) -> None:
        """Go up the likelihood until slopes and intercepts stand still."""
        for _ in range(STEPS):
            posterior = self.posterior()
            expected = np.stack([share.T @ posterior for share in self.shares], axis=1)
            before = np.concatenate([self.slope[:, None], np.where(np.isfinite(self.place), self.place, 0.0)], axis=1)
            for _ in range(2):
                self.step(expected)
            after = np.concatenate([self.slope[:, None], np.where(np.isfinite(self.place), self.place, 0.0)], axis=1)
            if np.abs(after - before).max() < TOLERANCE:
                return

    def step(self, expected: Floats) -> None:
        """Take one step of Fisher's scoring for every test by itself, half as long until it is no step down."""
        gradient, information = self.slopes(expected)
        move = np.linalg.solve(information, gradient[:, :, None])[:, :, 0]
        move *= np.minimum(1.0, 1.5 / np.maximum(np.abs(move).max(axis=1, keepdims=True), 1e-12))
        before = self.height(expected, self.slope, self.place)
        for _ in range(8):
            slope, place = self.slope + move[:, 0], self.place + move[:, 1:]
            finite = np.where(np.isfinite(place), place, -1e9 * np.arange(1, place.shape[1] + 1))
            ordered = np.asarray((np.diff(finite, axis=1) < 0).all(axis=1))
            height = self.height(expected, slope, np.where(ordered[:, None], place, self.place))
            better = np.logical_and(ordered, height >= before - 1e-9)
            if better.all():
                break
            move[~better] /= 2
        self.slope = np.where(better, slope, self.slope)
        self.place = np.where(better[:, None], place, self.place)

    def height(self, expected: Floats, slope: Floats, place: Floats) -> Floats:
        """Return the expected log likelihood with the priors, by test."""
        likely = (expected * np.log(self.chances(slope, place))).sum(axis=(1, 2))
        own = np.where(np.isfinite(place), place, 0.0)
        return np.asarray(likely - ((slope - SLOPE[0]) / SLOPE[1]) ** 2 / 2 - (own**2).sum(axis=1) / (2 * PLACE**2))

    def rates(self) -> tuple[Floats, Floats]:
        """Return the chances (T, K, nodes) and their derivatives by slope and intercepts, (T, K, K, nodes)."""
        above = self.above()
        bell = above * (1 - above)
        tests, most, _ = above.shape
        rates = np.zeros((tests, most + 1, most + 1, NODES))
        for k in range(most):
            for sign, grade in ((1.0, k + 1), (-1.0, k)):
                rates[:, 0, grade] += sign * bell[:, k] * _THETA
                rates[:, k + 1, grade] += sign * bell[:, k]
        return self.chances(), rates

    def slopes(self, expected: Floats) -> tuple[Floats, Floats]:
        """Return gradient (T, K) and information (T, K, K) of ``height``."""
        chance, rates = self.rates()
        gradient = (rates * (expected / chance)[:, None]).sum(axis=(2, 3))
        total = expected.sum(axis=1)
        information = np.einsum("tpkq,trkq,tkq->tpr", rates, rates, total[:, None] / chance, optimize=True)
        placed = np.isfinite(self.place)
        gradient[:, 0] -= (self.slope - SLOPE[0]) / SLOPE[1] ** 2
        gradient[:, 1:] -= np.where(placed, self.place, 0.0) / PLACE**2
        prior = np.concatenate(
            [np.full((len(placed), 1), 1 / SLOPE[1] ** 2), np.where(placed, 1 / PLACE**2, 1.0)], axis=1
        )
        return gradient, information + prior[:, :, None] * np.eye(prior.shape[1])

    def expected(self, performance: Floats) -> tuple[Floats, Floats, Floats]:
        """Return expected performance (T, nodes), its slope at average ability (T,), the mean of each grade (T, K)."""
        filled = np.where(np.isnan(performance), 0.0, performance)
        members = np.stack([share.sum(axis=0) for share in self.shares], axis=1)
        sums = np.stack([(share * filled).sum(axis=0) for share in self.shares], axis=1)
        worth = np.divide(sums, members, out=np.zeros_like(sums), where=members > 0)
        curve = np.einsum("tk,tkq->tq", worth, self.chances())
        middle = NODES // 2
        return curve, (curve[:, middle + 1] - curve[:, middle - 1]) / (_THETA[middle + 1] - _THETA[middle - 1]), worth

    def errors(self, worth: Floats, slope_at: Floats) -> tuple[Floats, Floats]:
        """Return standard errors of difficulty and discrimination, each (T,).

        From the agents' own parts of each test's gradient, and from the agents being a draw: their mean ability has
        the error 1/sqrt(A), the spread of abilities 1/sqrt(2A).
        """
        posterior = self.posterior()
        chance, rates = self.rates()
        relative = rates / chance[:, None]
        agents, tests = self.shares[0].shape
        size = relative.shape[1]
        parts = np.zeros((size, agents, tests))
        for p in range(size):
            for k, share in enumerate(self.shares):
                parts[p] += share * (posterior @ relative[:, p, k].T)
        information = np.einsum("pat,rat->tpr", parts, parts, optimize=True)
        placed = np.isfinite(self.place)
        prior = np.concatenate([np.full((tests, 1), 1 / SLOPE[1] ** 2), np.where(placed, 1 / PLACE**2, 1.0)], axis=1)
        covariance = np.linalg.inv(information + prior[:, :, None] * np.eye(size))
        at_zero = np.einsum("tk,tpk->tp", worth, rates[:, :, :, NODES // 2])
        own = np.einsum("tp,tpr,tr->t", at_zero, covariance, at_zero)
        return (np.sqrt(own + slope_at**2 / agents), np.sqrt(covariance[:, 0, 0] + self.slope**2 / (2 * agents)))


# ---- Tables of answers of 0 and 1 as agents of one ability would give them -----------------------


def chances(scores: Floats, fitted: Responses | None = None) -> Floats | None:
    """Return the probability of each answer under one ability, (A, T), NaN where missing, for the count of abilities.

    Pearson's correlations of such answers depend on how difficult two items are, too: a table of one ability has
    several large eigenvalues ("difficulty factors"). How large, tables simulated from a model of one ability show. That
    is modified parallel analysis (Drasgow and Lissak 1983, Applied Psychological Measurement 7, 127-143).

    Abilities are the model's, brought to the spread of 1 that the model gives them: means of what is likely for each
    agent are nearer to each other than abilities are. None where scores are not all 0 or 1, or all agents are alike.
    """
    there = ~np.isnan(scores)
    if not np.isin(scores[there], (0.0, 1.0)).all():
        return None
    fitted = fit(scores) if fitted is None else fitted
    spread = float(fitted.ability.std())
    if not spread > 0:
        return None
    ability = (fitted.ability - fitted.ability.mean()) / spread
    place = logit(np.clip(1 - fitted.difficulty, LEAST, 1 - LEAST))
    chance = expit(np.nan_to_num(fitted.discrimination) * ability[:, None] + place)
    return np.where(there, chance, np.nan)


def answers(chance: Floats, rng: np.random.Generator) -> Floats:
    """Return a table of answers drawn with these probabilities; missing cells stay where they are."""
    return np.where(np.isnan(chance), np.nan, rng.random(chance.shape) < chance)
