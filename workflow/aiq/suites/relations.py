"""What tests have in common: how agents agree on two, which is predicted by which, how many things all measure.

What is said of pairs of tests holds of any number of agents like these. None of it is a dissimilarity of the paper,
which needs training.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from aiq.records.estimate import Floats
from aiq.records.suite_report import Dimensions
from aiq.suites.response import Responses, answers, chances

Integers = npt.NDArray[np.int64]

NOT_THE_PAPERS = (
    "distances by agreement of agents, not the paper's dissimilarities: they say how alike these agents do on two "
    "tests, not what training on both together costs; no space and no AIQ is made from them"
)
MOST = 2_000
"""Tests up to which all their pairs are looked at: agreement, redundancy, what can go. Their cost is the square."""

FEWEST = 8  # agents that a test and its predictor must have in common
FOR_BINARY = 50  # agents below which answers of 0 and 1 have no interval: simulated, theirs held in .74 to .97
HYBRID = 0.1  # of the error rate: what an interval for all rivals at once takes
EQUAL = 1e-9  # correlations as near to 1 are 1
RIVALS = 12  # other tests, best first, that are looked at closely
_HALVINGS = 60
SHUFFLES, RESAMPLES = 20, 40  # of the number of dimensions
BOARDS = 40  # of one ability, whose largest second eigenvalue is a bar for answers of 0 and 1


def levelled(scores: Floats) -> Floats:
    """Return scores less the mean of their test, 0 where missing: what is missing moves no sum of tests."""
    there = ~np.isnan(scores)
    mean = np.where(there, scores, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    return np.asarray(np.where(there, scores - mean, 0.0))


def distances(scores: Floats) -> Floats:
    """Return the distance of every two tests by agreement of agents, (T, T), in [0, 2]; NaN where it cannot be had.

    1 - Pearson's correlation over the agents that have both: 0 where agents differ alike on both, 1 where the one says
    nothing of the other, 2 where the better are the worse. The diagonal is 0. ``scores``: (A, T), NaN where missing.
    """
    agreement, _ = correlations(levelled(scores), (~np.isnan(scores)).astype(np.float64))
    distance = 1 - agreement
    np.fill_diagonal(distance, 0.0)
    return np.asarray(distance)


def predicted(performance: Floats, confidence: float) -> tuple[Floats, Floats, Floats, Integers]:
    """Return how well the best single other test predicts each test, with its interval, and which it is.

    The share of variance is the squared correlation in the population of agents like these. The best of many is too
    good, and with few agents more so: value and interval are conditional on its being the best of the tests
    (Andrews, Kitagawa and McCloskey 2024, Inference on winners, Quarterly Journal of Economics 139, 305-358): on
    Fisher's scale its correlation is normal, cut where another test would have been chosen. What is taken off is much
    where the second best is near and measured apart from it, and nothing where both are one test in two forms. The
    value is median-unbiased; errors of correlations and what they share are those of their influences over agents. A
    share cannot be below 0, and the interval shares its error between its ends as ``tails`` says. Where another test is
    nearly as good, having been chosen would fit nearly any truth: so a tenth of the error goes to an interval for all
    tests at once, and no truth outside that is looked at (the hybrid inference of the same paper).

    Returns:
        share of variance (T,), its low and high end, all NaN where agents are alike or too few (the ends alone for
        answers of 0 and 1 of fewer than ``FOR_BINARY`` agents); the predictor (T,), -1 for none.
    """
    tests = performance.shape[1]
    there = ~np.isnan(performance)
    mask = there.astype(np.float64)
    centred = levelled(performance)
    value, low, high = np.full((3, tests), np.nan)
    by = np.full(tests, -1, dtype=np.int64)
    correlation, common = correlations(centred, mask)
    apart = HYBRID * (1 - confidence)
    reach, confidence = -float(ndtri(apart / (2 * max(tests - 1, 1)))), confidence / (1 - apart)
    for test in range(tests):
        size = np.abs(correlation[test])
        rivals = np.argsort(-size, kind="stable")[:RIVALS]
        rivals = rivals[size[rivals] >= 0]
        if rivals.size == 0 or common[test, rivals[0]] < FEWEST:
            continue
        by[test] = rivals[0]
        fisher = np.arctanh(np.minimum(size[rivals], 1 - EQUAL))
        error, cut, few = _cut(centred, mask, test, rivals, fisher, np.sign(correlation[test, rivals]))
        seen = fisher[0]
        if size[rivals[0]] >= 1 - EQUAL:  # no agent tells the two apart: what one more agent could make of it
            seen = min(seen, float(np.arctanh(np.sqrt(1 - 1 / (1 + few)))))
            value[test] = 1.0
        else:
            value[test] = np.tanh(max(_centre(seen, error, cut, reach, lambda _: 0.5), 0.0)) ** 2
        low[test] = np.tanh(max(_centre(seen, error, cut, reach, lambda at: tails(at, confidence)[0]), 0.0)) ** 2
        most = _centre(seen, error, cut, reach, lambda at: 1 - tails(at, confidence)[1])
        # never less than what was seen: beside an equal rival all that could be said would be said by the bound alone
        high[test] = max(np.tanh(max(most, fisher[0])) ** 2, value[test])
    binary = (np.isin(performance, (0.0, 1.0)) | ~there).all(axis=0)
    thin = binary & (np.where(by >= 0, common[np.arange(tests), by], 0) < FOR_BINARY)
    return value, np.where(thin, np.nan, low), np.where(thin, np.nan, high), by


def correlations(x: Floats, mask: Floats) -> tuple[Floats, Floats]:
    """Return Pearson's correlation of every two tests over the agents that both have, (T, T), and how many those are.

    -1 tells nothing apart from a true one, so what cannot be had is NaN; so is the diagonal. ``x``: (A, T), 0 where
    missing, near 0 on average; ``mask``: 1 where there is a cell, 0 where none is.
    """
    common = mask.T @ mask
    n = np.maximum(common, 1.0)
    total, squares = x.T @ mask, (x**2).T @ mask
    variance = np.maximum(squares - total**2 / n, 0.0)
    both = x.T @ x - total * total.T / n
    tiny = 1e-12 * max(float(squares.max(initial=0.0)), 1e-300)
    usable = (variance > tiny) & (tiny < variance.T) & (common >= FEWEST)
    correlation = np.divide(both, np.sqrt(variance * variance.T), out=np.full_like(both, np.nan), where=usable)
    np.fill_diagonal(correlation, np.nan)
    return np.clip(correlation, -1.0, 1.0), common


def _cut(
    x: Floats, mask: Floats, test: int, rivals: Integers, fisher: Floats, sign: Floats
) -> tuple[float, float, float]:
    """Return the best correlation's error on Fisher's scale, where another would have been chosen, and telling agents.

    Of agents on a test that few pass, hardly more than those few tell anything: as many as normal scores of the same
    kurtosis would take.
    """
    both = mask[:, [test]] * mask[:, rivals]
    n = both.sum(axis=0)
    y, z = (both * (levels - (both * levels).sum(axis=0) / n) for levels in (x[:, [test]], x[:, rivals]))
    y, z = (levels / np.sqrt((levels**2).sum(axis=0) / n) for levels in (y, z))
    r = np.tanh(fisher)
    influence = both * (y * z * sign - r * (y**2 + z**2) / 2) / (1 - r**2) / np.maximum(n - 3, 1)
    squares = influence.T @ influence[:, 0] * (n[0] - 3) / n[0]
    kurtosis = max(float((y[:, 0] ** 4).sum()), float((z[:, 0] ** 4).sum())) / n[0]
    telling = n[0] * min(1.0, 3 / kurtosis)
    usual = 1 / np.sqrt(max(telling - 3, 0.5))
    # with few agents their own spread says little of the error: the usual one has the weight of twenty agents
    error = float(np.sqrt((telling * squares[0] * (n[0] - 3) / n[0] + 20 * usual**2) / (telling + 20)))
    free = max(telling, 4.0)
    error *= float(np.sqrt(free / (free - 2)))  # it is estimated: the spread of Student's t
    shared = np.clip(squares[1:] / max(squares[0], 1e-300), -1.0, 1.0)
    apart = (shared < 1 - 1e-3) & (fisher[1:] < np.arctanh(1 - EQUAL))
    cuts = fisher[0] - (fisher[0] - fisher[1:][apart]) / (1 - shared[apart])
    return error, float(cuts.max(initial=-np.inf)), n[0] / kurtosis


def tails(at: float, confidence: float) -> tuple[float, float]:
    """Return how probable it is that an interval lies above the truth, and below it, where the truth is 0 or more.

    At 0 no interval can lie below the truth, so that two equal tails would hold too often, half of the error given
    away. These are the tails of Feldman and Cousins (1998, Physical Review D 57, 3873-3889), who take what is the most
    likely of all seen values beside the best explanation of each; far from 0 both are equal. ``at``: the truth, in
    standard errors.
    """
    above = np.interp(at, _TAILS, _above(confidence))
    return float(above), float(1 - confidence - above)


@lru_cache
def _above(confidence: float) -> Floats:
    """Return the tail above the truth at the truths of ``_TAILS``."""
    equal = -float(ndtri((1 - confidence) / 2))

    def far(at: float) -> float:
        """How far above the truth acceptance ends: what is as likely below 0 ends it on the other side."""
        return float(brentq(lambda z: ndtr(z) - ndtr(-(at**2 + z**2) / (2 * at)) - confidence, 0.0, 40.0))

    return np.array([1 - confidence if at == 0 else float(ndtr(-(far(at) if at < equal else equal))) for at in _TAILS])


_TAILS = np.linspace(0.0, 4.0, 401)


def _centre(x: float, error: float, cut: float, reach: float, level: Callable[[float], float]) -> float:
    """Return the mean of a normal variable that is above ``x``, what was seen, with a probability.

    It could not have been seen below ``cut``, and may be ``reach`` standard errors above its mean. ``level``: the
    probability, by the mean in standard errors.
    """
    beyond = ndtr(-reach)
    low, high = x - reach * error, x + 10 * error
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        above, seen = ndtr((middle - x) / error) - beyond, ndtr((middle - cut) / error) - beyond
        low, high = (low, middle) if above > max(seen, 0.0) * level(middle / error) else (middle, high)
    return (low + high) / 2


def dimensions(
    scores: Floats, confidence: float, rng: np.random.Generator, fitted: Responses | None = None
) -> Dimensions | None:
    """Return how many eigenvalues of the tests' correlations are larger than without any relation of tests.

    That is parallel analysis (Horn 1965, Psychometrika 30, 179-185). Without relation: each test's scores are dealt to
    the agents at random; its missing cells stay where they are. The interval is that of agents drawn with replacement,
    each draw against the same agents of shuffled tables.

    Of answers of 0 and 1 all eigenvalues but the first must also exceed the second that tables of one ability have
    (``response.chances``): the largest of ``BOARDS`` such tables. ``confidence`` is also the quantile of the shuffles
    that an eigenvalue must exceed; ``fitted`` the response model, fitted where it is needed. None with fewer than two
    tests that tell agents apart.
    """
    usable = np.array([np.unique(column[~np.isnan(column)]).size > 1 for column in scores.T])
    if usable.sum() < 2 or len(scores) < 4:
        return None
    kept, single = scores[:, usable], chances(scores, fitted)
    chance, apart = None if single is None else single[:, usable], rng.spawn(1)[0]
    values, all_ = eigenvalues(kept), np.arange(len(kept))
    bar = np.quantile([eigenvalues(_shuffled(kept, rng)) for _ in range(SHUFFLES)], confidence, axis=0)
    count = _leading(values, bar, max(_second(chance, all_, apart) for _ in range(BOARDS)))
    own, noise = np.empty((2, RESAMPLES, values.size))
    second = np.empty(RESAMPLES)
    for draw in range(RESAMPLES):
        drawn = rng.integers(len(kept), size=len(kept))
        own[draw], second[draw] = eigenvalues(kept[drawn]), _second(chance, drawn, apart)
        noise[draw] = np.maximum(eigenvalues(_shuffled(kept, rng)[drawn]), eigenvalues(_shuffled(kept, rng)[drawn]))
    single_bar = float(np.quantile(second, confidence))
    counts = [_leading(*pair, single_bar) for pair in zip(own, noise, strict=True)]
    first = own[:, 0] / np.maximum(own.sum(axis=1), 1e-300)
    tail = (1 - confidence) / 2
    low, high = np.quantile(counts, [tail, 1 - tail], method="nearest")
    share = float(values[0] / values.sum())
    around = np.quantile(first, [tail, 1 - tail]) - np.median(first) + share
    return Dimensions(
        count, (min(int(low), count), max(int(high), count)), share, (float(around[0]), float(min(around[1], 1.0)))
    )


def _second(chance: Floats | None, agents: Integers, rng: np.random.Generator) -> float:
    """Return the second eigenvalue of a table of one ability, of some of the agents; 0 without a model."""
    return 0.0 if chance is None else float(eigenvalues(answers(chance, rng)[agents])[1])


def eigenvalues(scores: Floats) -> Floats:
    """Return the eigenvalues of the tests' correlations, largest first; missing cells stand at their test's mean."""
    centred = levelled(scores)
    spread = np.sqrt((centred**2).sum(axis=0))
    standard = np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)
    small = standard.T @ standard if scores.shape[1] <= len(scores) else standard @ standard.T
    return np.asarray(np.maximum(np.linalg.eigvalsh(small)[::-1], 0.0))


def _shuffled(scores: Floats, rng: np.random.Generator) -> Floats:
    """Return the scores of each test dealt to other agents; gaps stay where they are."""
    key = np.where(np.isnan(scores), np.inf, rng.random(scores.shape))
    dealt = np.take_along_axis(scores, np.argsort(key, axis=0), axis=0)
    place = np.argsort(np.isnan(scores), axis=0, kind="stable")
    shuffled = np.full_like(scores, np.nan)
    np.put_along_axis(shuffled, place, dealt, axis=0)
    return shuffled


def _leading(values: Floats, bar: Floats, second: float) -> int:
    """Return how many values in a row are above their bar, all but the first above ``second`` as well."""
    below = np.flatnonzero((values <= bar) | ((values <= second) & (np.arange(values.size) > 0)))
    return int(below[0]) if below.size else int(values.size)
