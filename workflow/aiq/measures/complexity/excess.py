"""MCCP@k of a pool with its base, excess and relative excess, each with a jackknife interval, and against k.

See ``best_of_k`` for the estimator; the paper's own value is the minimum of ``value``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aiq.errors import InputError, choice
from aiq.measures.complexity.best_of_k import Expected, Ranked, Trials, line
from aiq.measures.complexity.envelope import Envelope
from aiq.records.arrays import Floats
from aiq.records.complexity import QUANTITIES, BestOfK, KCurve
from aiq.records.estimate import Estimate
from aiq.stats import jackknife

FILLS = ("largest", "linear")

_ROUNDING = 1e-12

SCALES = {"mccp_k": "plain", "base": "plain", "excess": "log", "relative_excess": "logit"}
"""On which scale each number's interval is symmetric."""


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """The four numbers of a pool, shape (..., 4) in the order of ``QUANTITIES``, and what the value is made of.

    ``size``, ``missed`` and ``filled`` (..., B) by bin; ``filled_share`` (...,).
    """

    four: Floats
    size: Floats
    missed: Floats
    filled: Floats
    filled_share: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """How the expected best of k becomes a complexity: bins, what stands for policies not found, where it starts."""

    edges: Floats
    fill: str
    largest: float
    start: float

    def __post_init__(self) -> None:
        """Refuse an unknown filling and a start beyond the performance range."""
        if self.fill not in FILLS:
            raise InputError(choice("the filling of performances that were not reached", self.fill, FILLS))
        if not 0 <= self.start < self.edges[-1]:
            raise InputError(
                f"relative excess starts at performance {self.start:g}; it must lie in [0, {self.edges[-1]:g}), below "
                "the upper end of the performance range"
            )

    def numbers(self, expected: Expected) -> Numbers:
        """Return the numbers of one or many pools; the last row of ``expected`` is that which every policy reaches."""
        base = expected.reached[..., -1]
        bins = Expected(expected.reached[..., :-1], expected.missed[..., :-1])
        width = np.diff(self.edges)
        bounded = bins.reached + bins.missed * self.largest
        stand_in = line(bins, self.largest) if self.fill == "linear" else np.full_like(bounded, self.largest)
        filled = bins.missed * stand_in
        size = bins.reached + filled
        value = size @ width
        whole = base * width.sum()
        part = np.maximum(self.edges[1:] - np.maximum(self.edges[:-1], self.start), 0.0)
        over = _without_rounding(size - base[..., None], base[..., None]) @ width
        above = _without_rounding(bounded - base[..., None], base[..., None]) @ part
        room = _without_rounding(self.largest - base, base) * part.sum()
        relative = np.divide(above, room, out=np.full_like(room, np.nan), where=room > 0)
        share = np.where(
            value > 0, (filled @ width) / np.where(value > 0, value, 1.0), bins.missed @ width / width.sum()
        )
        four = np.stack([value, whole, over, relative], axis=-1)
        return Numbers(four, size, bins.missed, filled, np.clip(share, 0.0, 1.0))


def _without_rounding(difference: Floats, scale: Floats) -> Floats:
    """Return differences of sums in which those that are nothing but rounding are 0."""
    return np.where(np.abs(difference) <= _ROUNDING * scale, 0.0, difference)


def ranked(trials: Trials, rule: Envelope) -> Ranked:
    """Return the policies by size with what each reaches: all bins up to its own, and one row that all reach."""
    in_bin = rule.bin_of(np.where(np.isnan(trials.performance), 0.0, trials.performance))
    in_bin[np.isnan(trials.performance)] = -1
    bins = np.arange(rule.edges.size - 1)[:, None]
    return Ranked(trials.size, np.vstack([in_bin >= bins, np.ones((1, in_bin.size), dtype=np.bool_)]), trials.unit)


def best_of_k(policies: Ranked, reading: Reading, k: int, confidence: float, unit: str) -> BestOfK:
    """Measure the expected best of ``k`` policies of a pool.

    Args:
        policies: the pool, see ``ranked``.
        reading: bins, filling and start.
        k: number of policies of which the smallest counts, 1 ... n.
        confidence: of the intervals.
        unit: what a chunk is called in the method, ``chunks`` or ``trials``.

    Raises:
        InputError: there are fewer than k policies.
    """
    n = int(policies.members.sum())
    check_k(k, n)
    found = reading.numbers(policies.whole(k))
    deleted, why = _without_each(policies, reading, k, unit)
    ends = _ends(reading, float(found.four[1]))
    estimates = [
        _estimate(float(found.four[i]), deleted[:, i], policies, confidence, _words(name, k, reading, why), name, ends)
        for i, name in enumerate(QUANTITIES)
    ]
    return BestOfK(
        k=k,
        fill=reading.fill,
        largest=reading.largest,
        start=reading.start,
        estimate=estimates[0],
        base=estimates[1],
        excess=estimates[2],
        relative_excess=estimates[3],
        size=found.size,
        missed=found.missed,
        filled=found.filled,
        filled_share=float(found.filled_share),
        deleted=deleted,
        members=policies.members.astype(np.float64),
        n_policies=n,
    )


def by_k(
    policies: Ranked, reading: Reading, ks: Sequence[int], chosen: int | None, confidence: float, unit: str
) -> KCurve:
    """Measure MCCP@k for several k, rising, each 1 ... n.

    Raises:
        InputError: a k cannot be had, or they do not rise.
    """
    if not ks or list(ks) != sorted(set(ks)):
        raise InputError(f"the numbers of policies are {list(ks)}; they must rise")
    found = [best_of_k(policies, reading, k, confidence, unit) for k in ks]
    return KCurve(
        ks=tuple(ks),
        estimates=tuple(record.estimate for record in found),
        base=np.array([record.base.value for record in found]),
        filled_share=np.array([record.filled_share for record in found]),
        chosen=chosen,
    )


def usual_ks(n: int, chosen: int | None) -> list[int]:
    """Return the powers of 2 up to n, n itself, and the k that was chosen (where n has as many)."""
    more = {chosen} if chosen is not None and chosen <= n else set()
    return sorted({2**i for i in range(n.bit_length()) if 2**i <= n} | {n} | more)


def check_k(k: int, n: int, domain: str = "") -> None:
    """Refuse a number of policies that a pool cannot give; ``domain`` is named if it is given.

    Raises:
        InputError: k is no whole number from 1 to n.
    """
    if k < 1 or k != int(k):
        raise InputError(f"k is {k}; the number of policies of which the smallest counts must be a whole number from 1")
    if k > n:
        raise InputError(
            f"k is {k}, but {f'domain {domain} has' if domain else 'there are'} only {n} policies to choose from; "
            f"take k of at most {n}, or train more policies"
        )


def _without_each(policies: Ranked, reading: Reading, k: int, unit: str) -> tuple[Floats, str]:
    """Return the numbers without each chunk, (G, 4) or (0, 4), and what to say of the interval."""
    groups, rest = policies.members.size, int(policies.members.sum() - policies.members.max())
    if groups < 2:
        return np.empty((0, len(QUANTITIES))), f"no interval (all in one of the {unit})"
    if rest < k:
        return np.empty((0, len(QUANTITIES))), f"no interval (without one of the {unit} fewer than {k} policies remain)"
    words = f"Student t, delete-one jackknife over {groups} {unit}"
    return reading.numbers(policies.without_each(k)).four, words


def _ends(reading: Reading, base: float) -> Mapping[str, tuple[float, float]]:
    """Return between which values each number lies; a straight line has no largest size."""
    bounded = reading.fill == "largest"
    most = reading.largest * float(reading.edges[-1] - reading.edges[0])
    return {
        "mccp_k": (0.0, most if bounded else np.inf),
        "base": (0.0, most),
        "excess": (0.0, most - base) if bounded else (-np.inf, np.inf),
        "relative_excess": (0.0, 1.0),
    }


def _words(name: str, k: int, reading: Reading, interval: str) -> str:
    """Return the method of one of the four numbers in words."""
    what = {
        "mccp_k": f"MCCP@{k}, filling {reading.fill}",
        "base": f"MCCP@{k} if every policy reached everything",
        "excess": f"MCCP@{k} above its base, filling {reading.fill}",
        "relative_excess": f"excess over its largest possible value, from performance {reading.start:.3g}",
    }[name]
    return f"{what}; {interval}"


def _estimate(
    value: float,
    deleted: Floats,
    policies: Ranked,
    confidence: float,
    method: str,
    name: str,
    ends: Mapping[str, tuple[float, float]],
) -> Estimate:
    """Return one number with its interval, which keeps to the values that the number can have."""
    found = None
    if deleted.size:
        found = jackknife.interval(value, deleted, policies.members, confidence, SCALES[name])
        if found is None and np.isfinite(value):
            method = f"{method.partition(';')[0]}; no interval: leaving out any of them changes nothing"
    if found is not None:
        least, most = ends[name]
        found = (min(max(found[0], least), value), max(min(found[1], most), value))
    return Estimate(value, found, policies.members.size, method, None, confidence)
