"""The complexity curve of a pool, and the expected smallest of k policies that reach a performance.

The curve is that of the 2025 paper (Eq. 5, Fig. 2, section 2.4.3).

Of n policies, m reach a performance V; their sizes are s_1 <= ... <= s_m. The mean over all subsets of k policies of
the smallest size that reaches V is, without drawing any subset,

    sum_j s_j C(n - j, k - 1) / C(n, k)  +  c C(n - m, k) / C(n, k),

where c stands for "none of the k reaches V". It is a U-statistic: its expectation is that of the smallest of k policies
drawn from the pool's design, whatever n is (as pass@k, Chen et al. 2021, is for the success of k attempts).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aiq.errors import InputError
from aiq.measures import vector
from aiq.records.complexity import FILLINGS
from aiq.records.estimate import Floats

Booleans = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]

_BLOCK = 100  # resamples at once

_OBSERVED, _INTERPOLATED, _HELD, _EXTRAPOLATED, _OMITTED = range(len(FILLINGS))


# ---- The complexity curve: bins of performance, the smallest policy of each, how the others are filled ----


@dataclass(frozen=True, slots=True, eq=False)
class Envelope:
    """Rule that turns trials into a complexity curve over bins of performance with ``edges`` (B + 1,).

    ``envelope``: which trials count for a bin, ``at_least`` those that reach it or more (the definition of the minimal
    policy: one that reaches .9 reaches .5), ``within`` only those that fall in it. ``extrapolate``: what happens above
    the highest observed bin, ``linear`` a least-squares line through the observed bins, never below the largest
    observed size, ``hold`` the size of the highest observed bin, ``none`` nothing: the integral stops there.
    """

    edges: Floats
    envelope: str = "at_least"
    extrapolate: str = "linear"

    def bin_of(self, performance: Floats) -> Integers:
        """Return the bin of each performance; a bin holds its lower edge, the last one its upper edge too."""
        index = np.searchsorted(self.edges, performance, side="right") - 1
        return np.clip(index, 0, self.edges.size - 2).astype(np.int64)

    def curve(self, smallest: Floats) -> tuple[Floats, Integers]:
        """Fill a curve from the smallest size that fell in each bin, (B,), infinite where none did, but not everywhere.

        Returns sizes (B,), NaN where omitted, and how each came about (B,), an index into ``FILLINGS``.
        """
        sizes = np.array(smallest, dtype=np.float64)
        occupied = np.flatnonzero(np.isfinite(sizes))
        bottom, top = int(occupied[0]), int(occupied[-1])
        filling = np.full(sizes.size, _OBSERVED, dtype=np.int64)
        if self.envelope == "at_least":
            sizes[: top + 1] = np.minimum.accumulate(sizes[top::-1])[::-1]
        else:
            bins = np.arange(sizes.size)
            empty = np.flatnonzero(~np.isfinite(sizes[: top + 1]))
            # Bins are equally wide, so one missing bin becomes the mean of its neighbours and a run a straight line.
            sizes[empty] = np.interp(empty, bins[occupied], sizes[occupied])
            filling[empty] = np.where(empty < bottom, _HELD, _INTERPOLATED)
        self._fill_above(sizes, filling, top)
        return sizes, filling

    def _fill_above(self, sizes: Floats, filling: Integers, top: int) -> None:
        """Fill, in place, the bins above the highest observed one by the declared extrapolation."""
        above = np.arange(top + 1, sizes.size)
        if above.size == 0:
            return
        if self.extrapolate == "none":
            sizes[above], filling[above] = np.nan, _OMITTED
            return
        filling[above] = _EXTRAPOLATED
        sizes[above] = sizes[top]
        if self.extrapolate == "linear":
            seen = np.flatnonzero(filling == _OBSERVED)
            offset = seen - seen.mean()
            spread = float(offset @ offset)
            slope = float(offset @ sizes[seen]) / spread if spread > 0 else 0.0
            line = sizes[seen].mean() + slope * (above - seen.mean())
            sizes[above] = np.maximum(line, sizes[seen].max())

    def area(self, sizes: Floats) -> float:
        """Return the integral of a curve: sum of its sizes times bin width, omitted bins left out."""
        return float(np.nansum(sizes * np.diff(self.edges)))

    def extrapolated_share(self, sizes: Floats, filling: Integers) -> float:
        """Return the fraction of the area held below or extrapolated above the observed bins, in [0, 1].

        Of an area of 0 (all sizes 0) the fraction of the performance range is taken instead.
        """
        outside = (filling == _HELD) | (filling == _EXTRAPOLATED)
        kept = filling != _OMITTED
        width = np.diff(self.edges)
        total = self.area(sizes)
        weight = sizes * width if total > 0 else width
        return float(np.clip(weight[outside].sum() / weight[kept].sum(), 0, 1))


# ---- The trials of one domain, arranged so that many subsets of a pool can be measured at once -----


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """Checked trials, the failed ones (performance NaN) among them; ``unit`` numbers the chunks from 0 without gaps."""

    performance: Floats
    size: Floats
    unit: Integers
    n_units: int

    @property
    def finished(self) -> Trials:
        """The trials that did not fail, their chunks numbered anew."""
        kept = ~np.isnan(self.performance)
        if kept.all():
            return self
        names, unit = np.unique(self.unit[kept], return_inverse=True)
        return Trials(self.performance[kept], self.size[kept], unit.astype(np.int64), names.size)


class Pool:
    """The trials of a pool arranged so that many subsets of its units can be measured at once."""

    def __init__(self, trials: Trials, rule: Envelope) -> None:
        """Sort the trials by bin and size."""
        self.rule, self.n_units = rule, trials.n_units
        self._bins: list[tuple[Integers, Floats]] = []
        in_bin = rule.bin_of(trials.performance)
        for k in range(rule.edges.size - 1):
            members = np.flatnonzero(in_bin == k)
            members = members[np.argsort(trials.size[members], kind="stable")]
            self._bins.append((trials.unit[members], trials.size[members]))

    def smallest(self, present: Booleans) -> Floats:
        """Return the smallest size in each bin among the units present, (S, units) → (S, B), inf where none."""
        result = np.full((present.shape[0], len(self._bins)), np.inf)
        for k, (unit, size) in enumerate(self._bins):
            if unit.size:
                hit = present[:, unit]
                first = hit.argmax(axis=1)
                result[:, k] = np.where(hit.any(axis=1), size[first], np.inf)
        return result

    def resampled(self, count: int, rng: np.random.Generator) -> Floats:
        """Return the minimum's area of ``count`` bootstrap resamples of the units, shape (count,)."""
        areas: list[float] = []
        while len(areas) < count:
            rows = min(_BLOCK, count - len(areas))
            present = np.zeros((rows, self.n_units), dtype=np.bool_)
            present[np.arange(rows)[:, None], rng.integers(self.n_units, size=(rows, self.n_units))] = True
            areas += [self.rule.area(self.rule.curve(smallest)[0]) for smallest in self.smallest(present)]
        return np.array(areas)


def checked_trials(performance: npt.ArrayLike, size: npt.ArrayLike, chunk: npt.ArrayLike | None) -> Trials:
    """Check the trials of one domain."""
    reached, given = vector("performances", performance), vector("sizes", size)
    labels = np.arange(reached.size) if chunk is None else np.asarray(chunk)
    failed = np.isnan(reached)
    outside = reached[~failed & ~((reached >= 0) & (reached <= 1))]
    if outside.size:
        raise InputError(f"a performance is {outside[0]:g}; performances must lie in [0, 1] (NaN: failed trial)")
    if failed.all():
        raise InputError(
            f"all {failed.size} trials failed (performance NaN); complexity needs at least one that did not"
        )
    names, unit = np.unique(labels, return_inverse=True)
    return Trials(reached, given, unit.astype(np.int64), names.size)


# ---- The expected smallest of k policies that reach a performance --------------------------------


def misses(n: int, k: int) -> Floats:
    """Return the probability that k policies drawn from n hold none of m given ones, for m = 0 ... n, shape (n + 1,).

    C(n − m, k)/C(n, k) is a running product of factors in [0, 1], so nothing overflows for any n.
    """
    factors = (n - k - np.arange(n, dtype=np.float64)) / (n - np.arange(n, dtype=np.float64))
    return np.concatenate([[1.0], np.cumprod(np.maximum(factors, 0.0))])


def weights(n: int, k: int) -> Floats:
    """Return the weight of the j-th smallest size, C(n − j, k − 1)/C(n, k), for j = 0 (which is 0) ... n."""
    left = n - np.arange(n, dtype=np.float64)
    return np.concatenate([[0.0], misses(n, k)[:-1] * k / left])


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """Expected best of k for each of B rows of a pool, shapes (..., B).

    ``reached``: the part of the expectation that is policies' sizes. ``missed``: the probability that none of the
    k reaches the row's performance, whose part is that probability times c.
    """

    reached: Floats
    missed: Floats


class Ranked:
    """The policies of a pool by ``size`` (n,), whether each reaches the performance of a row (B, n), its chunk (n,)."""

    def __init__(self, size: Floats, reach: Booleans, unit: Integers) -> None:
        order = np.argsort(size, kind="stable")
        self._size, self._reach, self._unit = size[order], reach[:, order], unit[order]
        self.members = np.bincount(unit)

    def whole(self, k: int) -> Expected:
        """Return the expected best of k among all policies, shapes (B,)."""
        return _expected(self._size, self._reach, k)

    def without_each(self, k: int) -> Expected:
        """Return the expected best of k without each chunk in turn, shapes (G, B); needs k policies in the rest."""
        if self.members.max() == 1:
            return self._without_each_policy(k)
        parts = [
            _expected(self._size[kept], self._reach[:, kept], k)
            for kept in (self._unit != g for g in range(self.members.size))
        ]
        return Expected(np.stack([p.reached for p in parts]), np.stack([p.missed for p in parts]))

    def _without_each_policy(self, k: int) -> Expected:
        """The same where every policy is a chunk of its own, by running sums: those behind the one left out move up."""
        n = self._size.size
        rank, miss = np.cumsum(self._reach, axis=1), misses(n - 1, k)
        weight = np.append(weights(n - 1, k), 0.0)  # rank n does not occur once a policy is left out
        sizes = np.where(self._reach, self._size, 0.0)
        stays = sizes * weight[rank]
        moves = sizes * weight[np.maximum(rank - 1, 0)]
        behind = moves.sum(axis=1, keepdims=True) - np.cumsum(moves, axis=1)
        ahead = np.cumsum(stays, axis=1)
        reached = np.where(self._reach, ahead - stays + behind, ahead[:, -1:])
        missed = miss[np.minimum(rank[:, -1:] - self._reach, n - 1)]
        own = np.argsort(self._unit)
        return Expected(reached[:, own].T, missed[:, own].T)


def _expected(size: Floats, reach: Booleans, k: int) -> Expected:
    """Return the expected best of k of policies sorted by size, one number a row of ``reach`` (B, n)."""
    n = size.size
    rank = np.cumsum(reach, axis=1)
    reached = np.where(reach, weights(n, k)[rank], 0.0) @ size
    return Expected(reached, misses(n, k)[rank[:, -1]])


def line(expected: Expected, largest: float) -> Floats:
    """Return the straight line that stands for policies that were not found, shapes (..., B) → (..., B).

    A least-squares line through the expected sizes of the bins, each weighted with the probability that some of the
    k policies reach it, never below the largest of these sizes. For k = n these are the observed bins with equal
    weights: the paper's reading (2.4.3). Without any reached bin, ``largest``.
    """
    share = 1 - expected.missed
    hit = share > 0
    mean = np.divide(expected.reached, share, out=np.zeros_like(share), where=hit)
    bins = np.arange(share.shape[-1], dtype=np.float64)
    total = share.sum(axis=-1, keepdims=True)
    some = np.where(total > 0, total, 1.0)
    centre = (share * bins).sum(axis=-1, keepdims=True) / some
    height = (share * mean).sum(axis=-1, keepdims=True) / some
    spread = (share * (bins - centre) ** 2).sum(axis=-1, keepdims=True)
    slope = (share * (bins - centre) * (mean - height)).sum(axis=-1, keepdims=True)
    slope = np.divide(slope, spread, out=np.zeros_like(slope), where=spread > 0)
    highest = np.where(hit, mean, 0.0).max(axis=-1, keepdims=True)
    filled = np.maximum(height + slope * (bins - centre), highest)
    return np.asarray(np.where(total > 0, filled, largest), dtype=np.float64)
