"""Records of the intelligence space: where the tests lie, in how many dimensions, and how surely."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from aiq.records.estimate import Estimate, Floats, freeze, jsonable, plain, read_only

_BY_TEST = ("length", "counted", "uniqueness", "uniqueness_replicates")


@dataclass(frozen=True, slots=True)
class TestWeight:
    """What one test counts.

    ``weight``: its share of all weights, in [0, 1]; ``hardness``: its length as measured (relative excess), below 0
    only by noise; ``uniqueness``: in (0, 1], 1 where no other test is like it. ``why``: the two in words.
    """

    __test__ = False  # for pytest: no test of its own

    domain: str
    weight: Estimate
    hardness: Estimate
    uniqueness: Estimate
    why: str


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """What the n tests of a suite count.

    ``independent``: the effective number of tests, the sum of the uniquenesses, from 1 to n. ``length`` (n,) as
    measured, with its sign; ``counted`` (n,) as it counts in the estimate (0 where it is below its own standard
    error); ``uniqueness`` (n,). ``length_covariance`` (n, n) of the lengths' errors and ``uniqueness_replicates``
    (B, n), draws about the uniquenesses: None where the errors are not known. ``length_df`` and ``uniqueness_df``:
    degrees of freedom of the two errors.
    ``reason``: why there is no headline, in one sentence; empty where there is one.
    """

    tests: tuple[TestWeight, ...]
    independent: Estimate
    length: Floats
    counted: Floats
    uniqueness: Floats
    length_covariance: Floats | None
    uniqueness_replicates: Floats | None
    length_df: float
    uniqueness_df: float
    reason: str
    warnings: tuple[str, ...]
    method: str
    seed: int

    def __post_init__(self) -> None:
        n = len(self.tests)
        for name in ("length", "counted", "uniqueness"):
            if getattr(self, name).shape != (n,):
                raise ValueError(f"{name} of shape {getattr(self, name).shape} does not fit {n} tests")
        if self.length_covariance is not None and self.length_covariance.shape != (n, n):
            raise ValueError(f"a covariance of shape {self.length_covariance.shape} does not fit {n} tests")
        freeze(self)

    @property
    def domains(self) -> tuple[str, ...]:
        """Names of the tests."""
        return tuple(test.domain for test in self.tests)

    def reordered(self, order: npt.NDArray[np.intp]) -> Weights:
        """Return the same weights with the tests in another order (a permutation of row numbers)."""
        moved = {name: getattr(self, name)[..., order] for name in _BY_TEST if getattr(self, name) is not None}
        if self.length_covariance is not None:
            moved["length_covariance"] = self.length_covariance[np.ix_(order, order)]
        return replace(self, tests=tuple(self.tests[i] for i in order), **moved)

    @property
    def shares(self) -> Floats:
        """What each test counts, (n,), adding up to 1; all 0 where no test counts."""
        weights = self.counted * self.uniqueness
        total = weights.sum()
        return np.asarray(weights / total if total > 0 else np.zeros_like(weights))


@dataclass(frozen=True, slots=True, eq=False)
class Dimensionality:
    """How many dimensions were kept, and against which noise.

    ``thresholds[k]`` is what eigenvalue k (counted from 0) had to exceed, NaN where none was asked of it
    (the first is always kept) or where the sequence had already stopped. ``source`` says in words
    where the thresholds come from. ``propagated`` is the count that the uncertainty of *all*
    dissimilarities would leave, None where no such uncertainty is known: if it is smaller than
    ``kept``, the last dimensions are not established by these measurements. ``probabilities``: share of the
    replicates by the number of dimensions that they keep; empty where there are no replicates. ``cut``: the last
    kept eigenvalue equals the first dropped one, so the choice between their directions is arbitrary. ``share``: of
    the positive spectrum that was asked for, None where the number was found in another way.
    """

    kept: int
    rule: str
    thresholds: Floats
    source: str
    quantile: float
    floor: float | None
    propagated: int | None
    probabilities: Mapping[int, float] = field(default_factory=dict)
    cut: bool = False
    share: float | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.kept <= self.thresholds.size:
            raise ValueError(f"{self.kept} dimensions kept out of {self.thresholds.size}")
        freeze(self)

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping of all fields."""
        return plain(self, "kept", "rule", "thresholds", "source", "quantile", "floor", "propagated", "cut", "share")


@dataclass(frozen=True, slots=True, eq=False)
class SpaceBootstrap:
    """The space under the bootstrap of complexities and dissimilarities, B replicates that could be embedded.

    ``coordinates`` (B, n, d) are turned onto the point estimate by an orthogonal Procrustes rotation (no
    scaling, no shift: the origin is the empty test). ``displacement`` (n,) is the root mean square
    distance of each domain from its point estimate; ``standard_error`` (n, d) the standard deviation of
    each coordinate; ``congruence`` (d,) the mean |cosine| between an axis of the replicates and the point
    estimate's (1 = the axis is stable). ``dimension_counts[k - 1]`` counts the replicates that keep k dimensions;
    ``numbers`` (B,) are these of each replicate. ``by_dimension``: the coordinates (B, n, k), not turned, in k
    dimensions for the other numbers k that are read by the quotient. ``failed`` replicates held a
    non-finite number or a complexity of 0; they are counted here and used nowhere. ``collapsed`` ones had
    fewer positive eigenvalues than kept dimensions; they are used, flat as they are.
    """

    coordinates: Floats
    displacement: Floats
    standard_error: Floats
    congruence: Floats
    spectrum_low: Floats
    spectrum_high: Floats
    dimension_counts: tuple[int, ...]
    failed: int
    collapsed: int
    confidence: float
    numbers: Floats | None = None
    by_dimension: Mapping[int, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.coordinates.ndim != 3 or not np.all(np.isfinite(self.coordinates)):
            raise ValueError("bootstrap coordinates must be finite, of shape (replicates, domains, dimensions)")
        freeze(self)
        object.__setattr__(self, "by_dimension", {k: read_only(x) for k, x in self.by_dimension.items()})

    def reordered(self, order: npt.NDArray[np.intp]) -> SpaceBootstrap:
        """Return the same replicates with their domains in another order."""
        moved: dict[str, Any] = {"displacement": self.displacement[order], "standard_error": self.standard_error[order]}
        by_dimension = {k: x[:, order] for k, x in self.by_dimension.items()}
        return replace(self, coordinates=self.coordinates[:, order], by_dimension=by_dimension, **moved)

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready summary (without the replicates themselves)."""
        errors = ("failed", "collapsed", "displacement", "standard_error", "congruence")
        return {
            "replicates": len(self.coordinates),
            **plain(self, *errors, "dimension_counts", "confidence"),
            "spectrum_interval": [jsonable(self.spectrum_low), jsonable(self.spectrum_high)],
        }


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """Tests as points of the intelligence space (Eqs. 10-12), n domains in d kept dimensions.

    ``coordinates`` (n, d): location I = direction x normalised complexity, on principal axes (largest
    first; the largest |coordinate| of an axis is positive). ``directions`` (n, d): unit vectors, a row
    of zeros for a domain in ``vanished``. ``kept_length`` (n,): length of a domain's vector in the kept
    dimensions over its distance from the origin before dimensions were dropped (1 = nothing lost).
    ``spectrum`` (n,): all eigenvalues of the Gram matrix, largest first, negative ones included;
    ``negative_share``: sum of their negative absolute values over the sum of all absolute values.
    ``stress``: Kruskal's stress-1 of the vectors in the kept dimensions against all distances, those
    to the origin included. ``scale``: factor lambda by which the normalised dissimilarities were multiplied.
    ``merged``: groups of tests that the noise floor cannot tell apart and that share one direction;
    ``dissimilarity`` holds their mean. ``length``: what the distance from the origin is, ``complexity`` or
    ``relative_excess``. ``distance``: what ``dissimilarity`` is, ``departure`` from the line or distance by
    ``transfer``. ``alternatives``: coordinates (n, k) with one dimension fewer and one more, where they exist.
    ``warnings``: sentences that belong beside every number of this space. ``weights``: what each test counts in the
    mean over independent skills; None where that was not computed (files of earlier versions).
    """

    domains: tuple[str, ...]
    coordinates: Floats
    directions: Floats
    complexity: Floats
    dissimilarity: Floats
    largest_complexity: float
    largest_dissimilarity: float
    kept_length: Floats
    vanished: tuple[str, ...]
    spectrum: Floats
    negative_share: float
    stress: float
    scale: float
    anchor: str
    refined: bool
    dimensionality: Dimensionality
    merged: tuple[tuple[str, ...], ...]
    bootstrap: SpaceBootstrap | None
    seed: int
    method: str
    length: str = "complexity"
    distance: str = "departure"
    alternatives: Mapping[int, Floats] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    weights: Weights | None = None

    def __post_init__(self) -> None:
        n, d = len(self.domains), self.dimensionality.kept
        if self.coordinates.shape != (n, d) or self.directions.shape != (n, d):
            raise ValueError(f"coordinates {self.coordinates.shape} do not fit {n} domains in {d} dimensions")
        if not np.all(np.isfinite(self.coordinates)):
            raise ValueError("coordinates of a space must be finite")
        freeze(self)
        object.__setattr__(self, "alternatives", {k: read_only(x) for k, x in self.alternatives.items()})

    @property
    def dimensions(self) -> int:
        """Number of dimensions kept."""
        return self.dimensionality.kept

    @property
    def shares(self) -> Floats:
        """Share of each domain in each dimension, shape (n, d): squared coordinates over their column sums."""
        squares = self.coordinates**2
        total = squares.sum(axis=0)
        return np.asarray(np.divide(squares, total, out=np.zeros_like(squares), where=total > 0))

    def reordered(self, order: npt.NDArray[np.intp]) -> Space:
        """Return the same space with its domains in another order (a permutation of row numbers)."""
        names = tuple(self.domains[i] for i in order)
        by_row = ("coordinates", "directions", "complexity", "kept_length")
        return replace(
            self,
            **{name: getattr(self, name)[order] for name in by_row},
            domains=names,
            dissimilarity=self.dissimilarity[np.ix_(order, order)],
            vanished=tuple(name for name in names if name in self.vanished),
            bootstrap=None if self.bootstrap is None else self.bootstrap.reordered(order),
            alternatives={k: x[order] for k, x in self.alternatives.items()},
        )

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping (bootstrap summarised)."""
        weights = self.weights
        tests = {} if weights is None else {"tests": jsonable(weights.tests)}
        places = ("domains", "coordinates", "dimensions", "spectrum", "stress", "negative_share", "directions")
        lengths = ("complexity", "shares", "kept_length", "vanished", "merged", "scale", "anchor", "refined", "length")
        return {
            **plain(self, *places, *lengths, "distance", "dimensionality", "warnings", "bootstrap", "seed", "method"),
            "share": self.dimensionality.share,
            "dimension_probabilities": jsonable(self.dimensionality.probabilities),
            **tests,
            "independent": None if weights is None else plain(weights.independent, "value", "interval"),
        }
