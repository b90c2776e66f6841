"""Records of the complexity of a domain: curve, value, normalised values of a suite, growth with the pool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from aiq.records.arrays import Floats, json_number, read_only
from aiq.records.best_of_k import KEYS, BestOfK
from aiq.records.estimate import Estimate

# ---- Records of how far the complexities of two domains are apart --------------------------------


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


# ---- Records of the complexity of a domain -------------------------------------------------------


ESTIMATORS = ("best_of_k", "minimum")
FILLINGS = ("observed", "interpolated", "held", "extrapolated", "omitted")


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
        """Refuse curves whose parts do not fit one another."""
        object.__setattr__(self, "edges", read_only(self.edges))
        object.__setattr__(self, "size", read_only(self.size))
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

    def as_list(self) -> list[dict[str, object]]:
        """Return one JSON-ready mapping a bin, lowest performance first."""
        return [
            {
                "performance": float(centre),
                "low": float(low),
                "high": float(high),
                "size": json_number(size),
                "observed": how == "observed",
                "filling": how,
            }
            for centre, low, high, size, how in zip(
                self.centres, self.edges[:-1], self.edges[1:], self.size, self.filling, strict=True
            )
        ]


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
        """Refuse a share outside [0, 1] and counts that no measurement can have."""
        object.__setattr__(self, "replicates", read_only(self.replicates))
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
        """Return a JSON-ready mapping."""
        interval = self.estimate.interval
        expected = self.best_of_k
        bins = self.curve.as_list()
        for i, row in enumerate(bins):
            row["best_of_k"] = None if expected is None else json_number(expected.size[i])
            row["missed"] = None if expected is None else float(expected.missed[i])
        return {
            "estimator": self.estimator,
            "mccp": self.minimum,
            **(dict.fromkeys(KEYS) if expected is None else expected.as_dict()),
            "interval": None if interval is None else list(interval),
            "confidence": self.estimate.confidence,
            "extrapolated_share": self.extrapolated_share,
            "mostly_extrapolated": self.mostly_extrapolated,
            "n": self.n_trials,
            "n_failed": self.n_failed,
            "n_units": self.estimate.n,
            "method": self.estimate.method,
            "seed": self.estimate.seed,
            "envelope": self.envelope,
            "extrapolate": self.extrapolate,
            "bins": bins,
        }


@dataclass(frozen=True, slots=True, eq=False)
class NormalisedComplexity:
    """Complexities of a suite divided by the largest of it, in (0, 1].

    ``replicates`` (resamples, D) are normalised within each resample, so each row has its own largest 1.
    """

    domains: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    replicates: Floats
    mostly_extrapolated: tuple[bool, ...]

    def __post_init__(self) -> None:
        """Refuse parts that do not name the same domains, and values that are not normalised."""
        object.__setattr__(self, "replicates", read_only(self.replicates))
        count = len(self.domains)
        if not (len(self.estimates) == len(self.mostly_extrapolated) == self.replicates.shape[-1] == count):
            raise ValueError("every domain of a suite needs one estimate, one flag and one column of replicates")
        if max(self.values) != 1 or min(self.values) < 0:
            raise ValueError(f"normalised complexities {self.values} do not lie in [0, 1] with largest 1")

    @property
    def values(self) -> tuple[float, ...]:
        """The normalised complexity of each domain, in the order of ``domains``."""
        return tuple(estimate.value for estimate in self.estimates)

    def as_dict(self) -> Mapping[str, object]:
        """Return a JSON-ready mapping from domain to estimate."""
        flags = self.mostly_extrapolated
        return {
            name: {**estimate.as_dict(), "mostly_extrapolated": flag}
            for name, estimate, flag in zip(self.domains, self.estimates, flags, strict=True)
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
        """Refuse parts of different lengths and sizes that do not rise."""
        object.__setattr__(self, "extrapolated_share", read_only(self.extrapolated_share))
        if not len(self.units) == len(self.estimates) == self.extrapolated_share.size:
            raise ValueError("every pool size needs one estimate and one extrapolated share")
        if any(low >= high for low, high in zip(self.units, self.units[1:], strict=False)):
            raise ValueError(f"pool sizes {self.units} do not rise")

    def as_list(self) -> list[dict[str, object]]:
        """Return one JSON-ready mapping a pool size, smallest first."""
        return [
            {"units": units, "extrapolated_share": float(share), **estimate.as_dict()}
            for units, estimate, share in zip(self.units, self.estimates, self.extrapolated_share, strict=True)
        ]
