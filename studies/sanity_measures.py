"""The library's measures on the trainings of the sanity suite, and differences of them with intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from aiq.measures import complexity, dissimilarity
from aiq.records.complexity import QUANTITIES, BestOfK, Complexity
from aiq.records.dissimilarity import Alone, Dissimilarity, Part, Parts
from aiq.stats import jackknife
from studies import sanity_suite as suite
from studies.sanity_trainings import POINTS, Mixing, Trials

Floats = npt.NDArray[np.float64]

K = 16


@dataclass(frozen=True)
class Number:
    """A value with its interval and standard error; NaN where unknown."""

    value: float
    low: float
    high: float
    se: float = math.nan

    @property
    def holds_zero(self) -> bool:
        """Whether 0 cannot be excluded."""
        return self.low <= 0 <= self.high


def measured(trials: Trials) -> Complexity:
    """Return a domain's complexity by the library's defaults."""
    size = complexity.sizes(trials.parameters)
    return complexity.measure(
        trials.performance, size, chunk=trials.chunk, k=K, largest=float(np.log2(trials.largest)), resamples=0
    )


def hard(trials: Trials) -> BestOfK:
    """Return MCCP@k, base, excess and relative excess of a domain."""
    record = measured(trials).best_of_k
    assert record is not None
    return record


def paper(trials: Trials) -> float:
    """Return the paper's value: the smallest of all policies, straight line."""
    size = complexity.sizes(trials.parameters)
    return complexity.measure(trials.performance, size, chunk=trials.chunk, estimator="minimum", resamples=0).value


def of(record: BestOfK, what: str) -> Number:
    """Return one of the four numbers."""
    value = float(record.values[QUANTITIES.index(what)])
    return _jackknifed(value, record.deleted[:, QUANTITIES.index(what)], record.members)


def difference(one: BestOfK, other: BestOfK, what: str, same_pool: bool = True) -> Number:
    """Return ``one`` minus ``other``, jackknifed chunk by chunk: the pool's architectures are the same for both.

    With pools of their own the two errors are independent.
    """
    column = QUANTITIES.index(what)
    value = float(one.values[column] - other.values[column])
    if same_pool:
        return _jackknifed(value, one.deleted[:, column] - other.deleted[:, column], one.members)
    parts = [of(record, what) for record in (one, other)]
    df = min(len(one.members), len(other.members)) - 1.0
    return student(value, math.hypot(parts[0].se, parts[1].se), df)


def _jackknifed(value: float, deleted: Floats, members: Floats) -> Number:
    """Return a number with the t interval of the jackknife; an interval without width where nothing moves it."""
    error = math.sqrt(float(jackknife.covariance([value], deleted[:, None], members)[0, 0]))
    return student(value, error, members.size - 1.0)


def student(value: float, se: float, df: float) -> Number:
    """Return a number with its 95 % interval."""
    half = float(stdtrit(df, 0.975)) * se if math.isfinite(df) else 1.959964 * se
    return Number(value, value - half, value + half, se)


@dataclass(frozen=True, eq=False)
class Pair:
    """What mixtures of two domains say."""

    area: Dissimilarity
    parts: Parts

    def number(self, what: str) -> Number:
        """Return the plain or signed area, or a part of it."""
        if what == "plain":
            low, high = self.area.plain.interval or (math.nan, math.nan)
            return Number(self.area.plain.value, low, high, self.area.error.se if self.area.error else math.nan)
        if what == "signed":
            assert self.area.error is not None
            return student(self.area.signed.value, self.area.error.se, self.area.error.df)
        part: Part = getattr(self.parts, what)
        assert part.error is not None
        return student(part.estimate.value, part.error.se, part.error.df)


@cache
def pair(a: str, b: str, how: Mixing = suite.BASE, repetitions: int | None = None, same_steps: bool = True) -> Pair:
    """Measure a pair with ends shared by all pairs of a domain, and its parts; ``repetitions``: the first so many."""
    count = how.repetitions if repetitions is None else repetitions
    accuracy = suite.mixtures(a, b, how)[:count]
    p = np.array(POINTS)
    curves = p[None, :, None] * accuracy[:, :, 0] + (1 - p)[None, :, None] * accuracy[:, :, 1]
    observed, told = curves[:, 1:-1, 0], curves[:, 1:-1, 1]
    controls, ends, told_ends = [], [], []
    for name in (a,) if a == b else (a, b):
        inner, full = suite.alone(name, how, same_steps)
        controls.append(Alone(p[1:-1], inner[:count, :, 0]))
        ends.append(full[: suite.ENDS * count, 0])
        told_ends.append(full[: suite.ENDS * count, 1])
    area = dissimilarity.measure(p, observed, ends=ends, chosen="unbiased", resamples=400)
    parts = dissimilarity.decompose(p, observed, told=told, alone=controls, ends=ends, told_ends=told_ends)
    return Pair(area, parts)


def get(a: str, b: str, how: Mixing = suite.BASE, repetitions: int | None = None, same_steps: bool = True) -> Pair:
    """Return a pair in whichever order it was trained."""
    known = {*suite.pairs((*suite.SUITE, suite.COPY))}
    if (a, b) not in known and (b, a) in known:
        a, b = b, a
    return pair(a, b, how, repetitions, same_steps)


@dataclass(frozen=True, eq=False)
class Distances:
    """Distances (n, n) whose unbiased squares are ``squares``, and their errors.

    ``own`` (n, n) are the standard errors of the pairs' own trainings, ``end`` (n,) of what all pairs of a domain
    share, ``df`` the fewest degrees of freedom behind them.
    """

    squares: Floats
    own: Floats
    end: Floats
    df: float

    @property
    def values(self) -> Floats:
        """The distances: roots of the squares, 0 where noise made one negative."""
        return np.sqrt(np.maximum(self.squares, 0))

    @property
    def offered(self) -> Floats:
        """Distances from which a space takes off the squared errors again."""
        errors = self.own**2 + self.end[:, None] ** 2 + self.end[None, :] ** 2
        filled = np.sqrt(np.maximum(self.squares + errors, 0))
        np.fill_diagonal(filled, 0)
        return filled


KINDS = ("departure", "transfer")


def distances(names: tuple[str, ...], kind: str, how: Mixing = suite.BASE, repetitions: int | None = None) -> Distances:
    """Return the distances of a suite by their kind.

    ``departure``: the signed area. ``transfer``: d² = T_AA + T_BB − 2 T_AB with T = minus the transfer area.
    """
    pairs = {(a, b): get(a, b, how, repetitions) for a, b in suite.pairs(names)}
    if kind == "departure":
        return _departures(names, pairs)
    n = len(names)
    area, error = np.zeros((n, n)), np.zeros((n, n))
    for (a, b), found in pairs.items():
        part = found.parts.transfer
        assert part is not None
        assert part.own is not None
        i, j = names.index(a), names.index(b)
        area[i, j] = area[j, i] = part.estimate.value
        error[i, j] = error[j, i] = part.own.se
    geometry = dissimilarity.transfer_geometry(area, error)
    return Distances(np.asarray(geometry.squares), np.asarray(geometry.distances_se), np.zeros(n), 20.0)


def _departures(names: tuple[str, ...], pairs: dict[tuple[str, str], Pair]) -> Distances:
    """Return distances from signed areas."""
    errors = dissimilarity.suite_errors(names, {names_: found.area for names_, found in pairs.items()})
    off = ~np.eye(len(names), dtype=bool)
    squares = errors.signed**2 - errors.se**2
    np.fill_diagonal(squares, 0)
    end = errors.end[off].reshape(len(names), -1).max(axis=1)
    return Distances(squares, np.where(off, errors.se_inner, 0), end, float(errors.df_inner[off].min()))
