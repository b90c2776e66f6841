"""Records of the complexity of a domain: curve, value at a fixed number of policies, differences, a whole suite."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aiq.records.estimate import Estimate, Floats, freeze, jsonable, plain

ESTIMATORS = ("best_of_k", "minimum")
FILLINGS = ("observed", "interpolated", "held", "extrapolated", "omitted")
QUANTITIES = ("mccp_k", "base", "excess", "relative_excess")
"""The columns of ``BestOfK.deleted``."""
ENOUGH = 128
"""Policies below which intervals of excesses are called too narrow (studies/results/complexity.md)."""

USUAL_K = 16

KEYS = (
    *("mccp_k", "mccp_k_interval", "k", "excess", "excess_interval", "relative_excess", "relative_excess_interval"),
    *("base", "base_interval", "fill", "largest", "start", "filled_share", "n_policies"),
)
"""The keys of ``BestOfK.as_dict``, which stand with null where it was not measured."""


def affordable_k(policies: int, largest_chunk: int) -> int:
    """Return the usual k, or as many policies as a small pool has without its largest chunk, so that it has intervals.

    A pool that is one chunk has none anyway: then k is at most the whole pool.
    """
    rest = policies - largest_chunk
    return min(USUAL_K, rest if rest >= 1 else policies)


@dataclass(frozen=True, slots=True, eq=False)
class ComplexityCurve:
    """Smallest policy size against performance (Fig. 2 of the 2025 paper), one value a bin.

    ``edges`` (B + 1,) are the performance edges of the B bins, ascending; ``size`` (B,) is the smallest
    size that reaches each bin, in the unit of the sizes supplied, NaN where a bin is left out;
    ``filling`` says for every bin how the size came about: ``observed``, ``interpolated`` between
    observed bins, ``held`` from the lowest observed bin downwards, ``extrapolated`` above the highest
    observed bin, ``omitted`` (no size, not part of the integral).
    """

    edges: Floats
    size: Floats
    filling: tuple[str, ...]

    def __post_init__(self) -> None:
        freeze(self)
        if self.edges.shape != (self.size.size + 1,) or len(self.filling) != self.size.size:
            raise ValueError("a complexity curve needs one size and one filling a bin and one edge more")
        if not np.all(np.diff(self.edges) > 0):
            raise ValueError("the edges of a complexity curve must rise")
        unknown = set(self.filling) - set(FILLINGS)
        if unknown:
            raise ValueError(f"unknown filling of a bin: {sorted(unknown)}")
        if not np.array_equal(np.isnan(self.size), [how == "omitted" for how in self.filling]):
            raise ValueError("exactly the omitted bins have no size")

    @property
    def centres(self) -> Floats:
        """Performance at the middle of each bin, shape (B,)."""
        return np.asarray((self.edges[1:] + self.edges[:-1]) / 2, dtype=np.float64)

    @property
    def observed(self) -> tuple[bool, ...]:
        """Whether the size of each bin was observed rather than filled."""
        return tuple(how == "observed" for how in self.filling)


@dataclass(frozen=True, slots=True, eq=False)
class BestOfK:
    """Complexity of a domain as the expected smallest of ``k`` policies of its pool (MCCP@k).

    ``estimate`` is MCCP@k, ``base`` what it would be if every policy reached every performance, ``excess`` the
    difference, all in units of size times performance; ``relative_excess`` = excess / (c − base) with c =
    ``largest``, integrated over performances from ``start`` on, lies in [0, 1]: 0 where any policy does, 1 where
    none does. Its value is NaN where the pool has policies of one size alone, ``largest``.

    ``size`` (B,) is the expected smallest size of each bin, ``missed`` (B,) the probability that none of k policies
    reaches it; there ``fill`` stands in: ``largest``, the largest network of the pool's design, or ``linear``, a
    straight line. ``filled`` (B,) is what that adds to each size, ``filled_share`` the fraction of the value that is
    filled.

    ``deleted`` (G, 4) holds the four numbers without each chunk of the pool, ``members`` (G,) how many policies each
    chunk has; ``deleted`` is (0, 4) where that cannot be had. ``n_policies`` counts the failed ones too: they are
    policies that reach nothing.
    """

    k: int
    fill: str
    largest: float
    start: float
    estimate: Estimate
    base: Estimate
    excess: Estimate
    relative_excess: Estimate
    size: Floats
    missed: Floats
    filled: Floats
    filled_share: float
    deleted: Floats
    members: Floats
    n_policies: int

    def __post_init__(self) -> None:
        freeze(self)
        if not 1 <= self.k <= self.n_policies:
            raise ValueError(f"the best of {self.k} policies cannot be had from {self.n_policies}")
        if not self.size.shape == self.missed.shape == self.filled.shape:
            raise ValueError("every bin needs an expected size and a probability that nobody reaches it")
        if self.deleted.shape not in ((0, len(QUANTITIES)), (self.members.size, len(QUANTITIES))):
            raise ValueError(f"values without each chunk have shape {self.deleted.shape}")
        if not 0 <= self.filled_share <= 1:
            raise ValueError(f"filled share {self.filled_share} is outside [0, 1]")

    @property
    def values(self) -> Floats:
        """The four numbers, in the order of ``QUANTITIES``, shape (4,)."""
        return np.array([e.value for e in (self.estimate, self.base, self.excess, self.relative_excess)])

    @property
    def caution(self) -> str:
        """What to say where the pool is too small for intervals of excesses that can be trusted; else nothing."""
        if self.n_policies >= ENOUGH:
            return ""
        return (
            f"with fewer than {ENOUGH} policies 95 % intervals of excess and relative excess covered in .86 to .96 of "
            "simulated pools, most misses being too low"
        )

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping; every number with its interval, or null."""
        mccp = {"mccp_k": self.estimate.value, "mccp_k_interval": jsonable(self.estimate.interval)}
        rest = ("k", "excess", "relative_excess", "base", "fill", "largest", "start", "filled_share", "n_policies")
        return mccp | plain(self, *rest)


@dataclass(frozen=True, slots=True, eq=False)
class Complexity:
    """The Monte Carlo cross performance complexity of one domain (Eq. 5).

    ``estimate``, in units of size times performance, is that of the ``estimator`` asked for: ``best_of_k`` (MCCP@k)
    or ``minimum`` (the paper's, the area under ``curve``). ``extrapolated_share`` is the fraction of it that rests on
    no policy: for MCCP@k the filled part, for the minimum the bins below the lowest or above the highest observed
    one. ``replicates`` (resamples,) are draws of the estimate. ``n_trials`` counts the trials with a performance,
    ``n_failed`` those without (training diverged or failed): MCCP@k counts them as policies that reach nothing, the
    minimum leaves them out. ``best_of_k`` is None where the pool has fewer than k policies, and in files from before
    it was measured.
    """

    estimate: Estimate
    curve: ComplexityCurve
    extrapolated_share: float
    replicates: Floats
    n_trials: int
    n_failed: int
    envelope: str
    extrapolate: str
    estimator: str = "minimum"
    best_of_k: BestOfK | None = None

    def __post_init__(self) -> None:
        freeze(self)
        if not 0 <= self.extrapolated_share <= 1:
            raise ValueError(f"extrapolated share {self.extrapolated_share} is outside [0, 1]")
        if self.n_trials < 1 or self.n_failed < 0:
            raise ValueError(f"a complexity cannot rest on {self.n_trials} trials with {self.n_failed} failed")
        if self.estimator not in ESTIMATORS or (self.estimator == "best_of_k" and self.best_of_k is None):
            raise ValueError(f"a complexity by {self.estimator!r} lacks what was measured")

    @property
    def value(self) -> float:
        """The complexity itself."""
        return self.estimate.value

    @property
    def minimum(self) -> float:
        """The paper's own value: the area under the smallest of all policies, with its extrapolation."""
        return float(np.nansum(self.curve.size * np.diff(self.curve.edges)))

    @property
    def mostly_extrapolated(self) -> bool:
        """Whether more than half of the value rests on no policy that was found; show it wherever True."""
        return self.extrapolated_share > 0.5

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping; ``bins``: one mapping a bin, lowest performance first."""
        expected = self.best_of_k
        return {
            "estimator": self.estimator,
            "mccp": self.minimum,
            **(dict.fromkeys(KEYS) if expected is None else expected.as_dict()),
            **plain(self.estimate, "interval", "confidence", "method", "seed"),
            **plain(self, "extrapolated_share", "mostly_extrapolated", "n_failed", "envelope", "extrapolate"),
            "n": self.n_trials,
            "n_units": self.estimate.n,
            "bins": [self._bin(i) for i in range(self.curve.size.size)],
        }

    def _bin(self, i: int) -> dict[str, object]:
        curve, expected = self.curve, self.best_of_k
        return {
            "performance": float(curve.centres[i]),
            "low": float(curve.edges[i]),
            "high": float(curve.edges[i + 1]),
            "size": jsonable(curve.size[i]),
            "observed": curve.observed[i],
            "filling": curve.filling[i],
            "best_of_k": None if expected is None else jsonable(expected.size[i]),
            "missed": None if expected is None else float(expected.missed[i]),
        }


@dataclass(frozen=True, slots=True, eq=False)
class PoolSizeCurve:
    """Complexity against the size of the pool, from subsamples drawn without replacement; in older files alone.

    ``units`` are the numbers of chunks (single trials where no chunks were given) in each subsample,
    ascending; each estimate is the mean over the subsamples with their central interval.
    ``extrapolated_share`` is the mean share at each size.
    """

    units: tuple[int, ...]
    estimates: tuple[Estimate, ...]
    extrapolated_share: Floats
    subsamples: int

    def __post_init__(self) -> None:
        freeze(self)


@dataclass(frozen=True, slots=True, eq=False)
class KCurve:
    """Complexity of one pool against the number of policies k of which the smallest counts.

    ``ks`` rise; ``estimates`` are MCCP@k with their intervals (none where leaving out a chunk leaves fewer than k
    policies), ``base`` (K,) what it would be if every policy reached everything, ``filled_share`` (K,) the share
    that is filled; ``chosen`` is the k of the complexity, or None where the paper's minimum was asked for.
    """

    ks: tuple[int, ...]
    estimates: tuple[Estimate, ...]
    base: Floats
    filled_share: Floats
    chosen: int | None

    def __post_init__(self) -> None:
        freeze(self)
        if not len(self.ks) == len(self.estimates) == self.base.size == self.filled_share.size:
            raise ValueError("every number of policies needs one estimate, one base and one filled share")
        if any(low >= high for low, high in zip(self.ks, self.ks[1:], strict=False)):
            raise ValueError(f"numbers of policies {self.ks} do not rise")


@dataclass(frozen=True, slots=True)
class ComplexityDifference:
    """The complexity of ``first`` minus that of ``second``, in units of size times performance.

    ``complexity`` is of the estimator that was asked for; ``excess`` and ``relative_excess`` are of MCCP@k, None where
    one of the two has none. ``shared``: both domains were measured on the same chunks of one pool, so that what the
    draw of the policies does to both drops out; else the errors are those of two pools apart.
    """

    first: str
    second: str
    complexity: Estimate
    excess: Estimate | None
    relative_excess: Estimate | None
    shared: bool

    def told_apart(self) -> bool | None:
        """Return whether the interval of the complexity leaves out 0; None without an interval."""
        around = self.complexity.interval
        return None if around is None else not around[0] <= 0 <= around[1]
