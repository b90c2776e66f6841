"""Relative dissimilarity: a departure divided by that of unrelated tests that are as hard.

A *twin* of a test is the test with its inputs and its outputs permuted. For a network without built-in geometry it is
as hard as the test, and unrelated to it. With one output space for both tests,

    rho(A, B) = D(A, B) / ½ [D(A, twin B) + D(B, twin A)],    D the signed area of a mixture.

0: not told apart at this budget. About 1: unrelated. Above 1: the same inputs ask for other answers. No other test of a
suite enters, so the number does not change when a suite grows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import stdtrit

from aiq.errors import InputError
from aiq.measures import check_confidence
from aiq.records.estimate import Estimate, Floats, StandardError
from aiq.records.matrix import Relative
from aiq.stats import PRIOR_DF

CLEAR = 3.0  # standard errors by which the twins' mean must lie above 0
SPREAD = 0.3  # of the twins' mean: largest standard deviation between twins
CONTRADICTION = 0.25  # of the end: departure where at every share the rarer test's samples are all answered wrongly
OWN = {"dense": 0.08, "convolutional": 0.13}
"""Over the mean: how far that of both tests' own twins is from that of each with the other's (studies/kinship.py)."""
FAR = 50.0  # a ratio whose interval reaches beyond this has no end on that side


@dataclass(frozen=True, slots=True, eq=False)
class _Measured:
    """Departures from the other test and from the twins, and what is known of their noise.

    ``pair`` (R,) and ``against`` (R,), the mean over twins. A departure is its mean, a part that a repetition gives to
    all (variance ``common``) and a part of its own (variance ``own``, of which a mean over twins keeps ``share``).
    Other twins would move the mean over them with variance ``between``, known with ``between_df`` degrees of freedom.
    """

    pair: Floats
    against: Floats
    own: float
    common: float
    share: float
    between: float
    between_df: float

    def residual(self, rho: float) -> tuple[float, float, float]:
        """Return mean, squared error and degrees of freedom of pair - rho against."""
        values = self.pair - rho * self.against
        repetitions = values.size
        prior = self.own * (1 + rho**2 * self.share) + self.common * (1 - rho) ** 2
        df = repetitions - 1 + PRIOR_DF
        moderated = (PRIOR_DF * prior + (repetitions - 1) * float(values.var(ddof=1))) / df
        parts = np.array([moderated / repetitions, rho**2 * self.between])
        total = float(parts.sum())
        spread = float((parts**2 / np.array([df, self.between_df])).sum())
        return float(values.mean()), total, total**2 / spread if spread > 0 else df

    @property
    def error(self) -> float:
        """Standard error of the mean over twins."""
        return math.sqrt(float(self.against.var(ddof=1)) / self.against.size + self.between)


def relative(
    departure: npt.ArrayLike,
    twins: npt.ArrayLike,
    sides: npt.ArrayLike | None = None,
    *,
    confidence: float = 0.95,
    why: str = "",
    apart: float = 0.0,
) -> Relative:
    """Return the relative dissimilarity of a pair with its interval.

    ``departure`` (R,) are signed areas of the pair's mixtures by repetition, NaN where it failed, ``twins`` (K, R)
    those of the mixtures with twins; ``sides`` (K,) says which of the two tests each twin is of: their means count
    equally (None: all of one). ``apart``: standard deviation, over the mean, of what the twins stand for about what
    they give (``OWN``). ``why``: why a ratio to these twins is known to say nothing (see ``kin``); empty where nothing
    speaks against it.

    The interval holds every ratio r for which the mean of departure - r · (mean over twins) lies within its error of 0
    (Fieller's argument on residuals). Repetitions that share something, such as their ends, share it in the residual
    too. The variance over repetitions is moderated by that within the twins; other twins would have given other
    departures, so r² · (variance between twins) / (number of twins) is added.

    Raises:
        InputError: fewer than two repetitions are whole.
    """
    check_confidence(confidence)
    pair, against = np.asarray(departure, dtype=np.float64), np.asarray(twins, dtype=np.float64)
    side = np.zeros(len(against)) if sides is None else np.asarray(sides)
    whole = np.isfinite(pair) & np.isfinite(against).all(axis=0)
    if whole.sum() < 2:
        raise InputError(f"{int(whole.sum())} repetitions are whole; a relative dissimilarity needs at least 2")
    pair, against = pair[whole], against[:, whole]
    measured, spread = _measured(pair, against, side, apart)
    mean, count = float(measured.against.mean()), against.shape[0]
    undefined = why or _undefined(mean, measured.error, spread)
    method = f"departure over the mean of {count} departures from twins, Fieller's set on residuals"
    if undefined:
        return Relative(Estimate(math.nan, None, pair.size, f"undefined: {undefined}"), mean, spread, count, undefined)
    value = float(measured.pair.mean()) / mean
    few = count <= len(np.unique(side))
    interval = None if few else _interval(measured, value, confidence)
    if interval is None:
        lacking = "one twin of a test says nothing of what another would give" if few else "no end is known"
        method = f"{method.partition(',')[0]}; no interval ({lacking})"
    _, square, df = measured.residual(value)
    error = None if interval is None else StandardError(math.sqrt(square) / mean, df)
    estimate = Estimate(value, interval, pair.size, method, None, confidence)
    return Relative(estimate, mean, spread, count, error=error)


def kin(own: npt.ArrayLike, end: float | None = None) -> str:
    """Return why the twins of a test are no strangers to it, by its areas with them (K, R); empty where they are.

    They are copies where they do not depart, and contradictions where permuted inputs leave the test as it is while its
    classes have other names: a network then gives the answers of the test that it sees more often, so that the mixture
    has no more than max(p, 1 - p) of the ``end`` (the test alone, where answers can contradict: labelled data), which
    departs by a quarter of it.
    """
    values = np.asarray(own, dtype=np.float64)
    values = values[:, np.isfinite(values).all(axis=0)]
    if values.shape[1] < 2:
        return "fewer than two repetitions with its own twins are whole"
    measured, _ = _measured(values.mean(axis=0), values, np.zeros(len(values)))
    mean = float(measured.against.mean())
    if end is not None and mean >= CONTRADICTION * end:
        return (
            f"its own twins depart from it by {mean:.2g}, {mean / end:.2f} of its performance; from "
            f"{CONTRADICTION:g} on they contradict it, as where permuted inputs leave a test as it is"
        )
    if mean > CLEAR * measured.error:
        return ""
    return f"its own twins depart from it by {mean:.2g} with standard error {measured.error:.2g}: they are no strangers"


def _measured(pair: Floats, against: Floats, side: npt.NDArray[Any], apart: float = 0.0) -> tuple[_Measured, float]:
    """Return what is measured, and the spread between twins of one side over the mean of all."""
    groups = [against[side == word] for word in np.unique(side)]
    repetitions = pair.size
    over = np.mean([group.mean(axis=0) for group in groups], axis=0)
    share = float(np.mean([1 / len(group) for group in groups])) / len(groups)
    rest = against - against.mean(axis=1, keepdims=True)
    if len(against) > 1:
        own = float(((rest - rest.mean(axis=0)) ** 2).sum()) / ((len(against) - 1) * (repetitions - 1))
    else:
        own = float(rest.var(ddof=1))
    common = max(0.0, float(over.var(ddof=1)) - own * share)
    df = sum(len(group) - 1 for group in groups)
    squares = sum(float(((group.mean(axis=1) - group.mean()) ** 2).sum()) for group in groups)
    raw = squares / df if df else 0.0
    mean = float(over.mean())
    spread = math.sqrt(max(0.0, raw - own / repetitions)) / abs(mean) if mean else math.inf
    return _Measured(pair, over, own, common, share, raw * share + (apart * mean) ** 2, max(df, 1)), spread


def _undefined(mean: float, error: float, spread: float) -> str:
    """Return why a ratio to these twins says nothing; empty where it does."""
    if mean <= CLEAR * error:
        return (
            f"the departure from twins is {mean:.2g} with standard error {error:.2g}; below {CLEAR:g} errors a "
            "twin is no stranger, or both tests are too easy"
        )
    if spread > SPREAD:
        return f"the twins differ by {spread:.2f} of their mean; above {SPREAD:g} some of them are no strangers"
    return ""


def _interval(measured: _Measured, value: float, confidence: float) -> tuple[float, float] | None:
    """Return the ends of the set of ratios that the residuals do not deny; None where an end is beyond all bounds."""

    def beyond(rho: float) -> float:
        mean, square, df = measured.residual(rho)
        return float(mean**2 - stdtrit(df, (1 + confidence) / 2) ** 2 * square)

    ends = []
    for far in (-FAR, FAR):
        if beyond(far) <= 0 or beyond(value) >= 0:
            return None
        ends.append(float(brentq(beyond, value, far)))
    return ends[0], ends[1]
