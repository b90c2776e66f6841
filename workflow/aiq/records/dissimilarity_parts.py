"""Records of what a dissimilarity is made of: its error, its parts, what a suite's errors have in common."""

from __future__ import annotations

from dataclasses import dataclass

from aiq.records.arrays import Floats, freeze, jsonable, plain
from aiq.records.estimate import Estimate, StandardError


@dataclass(frozen=True, slots=True)
class AreaError:
    """The standard error of a signed area and where it comes from, in units of performance.

    ``se`` with ``df`` degrees of freedom (infinite where the standard errors were given); ``se_inner`` (``df_inner``)
    is the part of the pair's own inner points, ``end_a`` and ``end_b`` are those of the two ends, weight times
    standard error of a domain alone. ``shared`` says that the ends belong to the domains: their errors are then
    the same in every pair of a domain. A shared end of a pair of a domain with itself is all in ``end_a``.
    """

    se: float
    df: float
    se_inner: float
    df_inner: float
    end_a: float
    end_b: float
    df_a: float
    df_b: float
    shared: bool


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a signed area with its error.

    ``error`` has the standard error and its degrees of freedom; ``own`` is what the pair's own trainings put into
    it (the rest comes from trainings of single domains). Both are None where repetitions are missing.
    """

    estimate: Estimate
    error: StandardError | None
    own: StandardError | None

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        se = None if self.error is None else self.error.se
        return {"value": self.estimate.value, "interval": jsonable(self.estimate.interval), "se": se}


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """What a signed area is made of; all parts are positive where they make mixtures do worse than the line.

    ``starvation`` is the line minus the control (each domain alone at the numbers of samples that it has in the
    mixtures: learning curves, nothing else), ``confusion`` told minus observed (samples taken for samples of the
    other domain; told: scored over a domain's own outputs only), ``transfer`` control minus told (negative where
    domains help each other). Their sum is the signed area. ``interference`` is confusion + transfer. What was not
    measured is None. ``control`` and ``told`` (P,) are the mean curves.
    """

    control: Floats | None = None
    told: Floats | None = None
    starvation: Part | None = None
    confusion: Part | None = None
    transfer: Part | None = None
    interference: Part | None = None

    def __post_init__(self) -> None:
        freeze(self)

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping of the parts that are known."""
        return plain(self, "starvation", "confusion", "transfer", "interference")


@dataclass(frozen=True, slots=True, eq=False)
class Alone:
    """Performances of one domain trained alone with shares of the samples: the control of its mixtures.

    ``shares`` (S,) in (0, 1], distinct; ``performance`` (R, S), NaN where a training failed.
    """

    shares: Floats
    performance: Floats

    def __post_init__(self) -> None:
        freeze(self)
        if self.shares.ndim != 1 or self.performance.ndim != 2 or self.performance.shape[1] != self.shares.size:
            raise ValueError(f"performances {self.performance.shape} do not fit shares {self.shares.shape}")


@dataclass(frozen=True, slots=True, eq=False)
class SuiteErrors:
    """The signed areas of a suite and what their errors have in common.

    ``signed`` and ``se`` (n, n), symmetric, NaN where a pair was not measured; ``se_inner`` and ``df_inner`` (n, n)
    of the pairs' own noise; ``end`` (n, n) holds at [i, j] what the error of domain i alone puts into the pair
    (i, j), 0 where ends are not shared; ``df_end`` (n,).
    """

    signed: Floats
    se: Floats
    se_inner: Floats
    df_inner: Floats
    end: Floats
    df_end: Floats

    def __post_init__(self) -> None:
        freeze(self)
        shapes = {array.shape for array in (self.signed, self.se, self.se_inner, self.df_inner, self.end)}
        if shapes != {(self.df_end.size, self.df_end.size)}:
            raise ValueError("errors of a suite need matrices (n, n) and one number of degrees of freedom a domain")


@dataclass(frozen=True, slots=True, eq=False)
class TransferGeometry:
    """Distances from what domains do to each other; not free of starvation (see ``measures.dissimilarity.transfer``).

    ``inner`` (n, n) is T, minus the transfer area (positive: they help each other), which behaves like an inner
    product; ``squares`` (n, n) = T_AA + T_BB - 2 T_AB, unbiased, so noise can make them negative, with standard
    errors ``squares_se``; ``distances`` their roots (0 where negative) with ``distances_se`` by the delta method
    (at least at a distance of one root of the square's error). NaN where unknown.
    """

    inner: Floats
    squares: Floats
    squares_se: Floats
    distances: Floats
    distances_se: Floats

    def __post_init__(self) -> None:
        freeze(self)
