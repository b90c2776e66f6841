"""Records of the intelligence space: where the tests lie, in how many dimensions, and how surely."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from aiq.records.arrays import Floats, read_only
from aiq.records.skills import Weights


def _listed(array: Floats) -> list[object]:
    """Return nested lists for JSON, with None where a number is not finite."""
    nested = np.where(np.isfinite(array), array, np.nan).astype(object)
    nested[~np.isfinite(array)] = None
    return list(nested.tolist())


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
        """Refuse a count outside the spectrum."""
        if not 1 <= self.kept <= self.thresholds.size:
            raise ValueError(f"{self.kept} dimensions kept out of {self.thresholds.size}")
        object.__setattr__(self, "thresholds", read_only(self.thresholds))

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping of all fields."""
        return {
            "kept": self.kept,
            "rule": self.rule,
            "thresholds": _listed(self.thresholds),
            "source": self.source,
            "quantile": self.quantile,
            "floor": self.floor,
            "propagated": self.propagated,
            "cut": self.cut,
            "share": self.share,
        }


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
        """Refuse non-finite coordinates; make the arrays read-only."""
        if self.coordinates.ndim != 3 or not np.all(np.isfinite(self.coordinates)):
            raise ValueError("bootstrap coordinates must be finite, of shape (replicates, domains, dimensions)")
        arrays = ("coordinates", "displacement", "standard_error", "congruence", "spectrum_low", "spectrum_high")
        for name in arrays:
            object.__setattr__(self, name, read_only(getattr(self, name)))
        if self.numbers is not None:
            object.__setattr__(self, "numbers", read_only(self.numbers))
        object.__setattr__(self, "by_dimension", {k: read_only(x) for k, x in self.by_dimension.items()})

    def reordered(self, order: npt.NDArray[np.intp]) -> SpaceBootstrap:
        """Return the same replicates with their domains in another order."""
        return replace(
            self,
            coordinates=self.coordinates[:, order],
            displacement=self.displacement[order],
            standard_error=self.standard_error[order],
            by_dimension={k: x[:, order] for k, x in self.by_dimension.items()},
        )

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready summary (without the replicates themselves)."""
        return {
            "replicates": int(self.coordinates.shape[0]),
            "failed": self.failed,
            "collapsed": self.collapsed,
            "displacement": _listed(self.displacement),
            "standard_error": _listed(self.standard_error),
            "congruence": _listed(self.congruence),
            "spectrum_interval": [_listed(self.spectrum_low), _listed(self.spectrum_high)],
            "dimension_counts": list(self.dimension_counts),
            "confidence": self.confidence,
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
        """Refuse shapes that do not fit together; make the arrays read-only."""
        n, d = len(self.domains), self.dimensionality.kept
        if self.coordinates.shape != (n, d) or self.directions.shape != (n, d):
            raise ValueError(f"coordinates {self.coordinates.shape} do not fit {n} domains in {d} dimensions")
        if not np.all(np.isfinite(self.coordinates)):
            raise ValueError("coordinates of a space must be finite")
        for name in ("coordinates", "directions", "complexity", "dissimilarity", "kept_length", "spectrum"):
            object.__setattr__(self, name, read_only(getattr(self, name)))
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

    @property
    def composition(self) -> Floats:
        """Share of each dimension in each domain, shape (n, d): squared directions, rows sum to 1."""
        return np.asarray(self.directions**2)

    def reordered(self, order: npt.NDArray[np.intp]) -> Space:
        """Return the same space with its domains in another order (a permutation of row numbers)."""
        names = tuple(self.domains[i] for i in order)
        return replace(
            self,
            domains=names,
            coordinates=self.coordinates[order],
            directions=self.directions[order],
            complexity=self.complexity[order],
            dissimilarity=self.dissimilarity[np.ix_(order, order)],
            kept_length=self.kept_length[order],
            vanished=tuple(name for name in names if name in self.vanished),
            bootstrap=None if self.bootstrap is None else self.bootstrap.reordered(order),
            alternatives={k: x[order] for k, x in self.alternatives.items()},
        )

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping (bootstrap summarised)."""
        return {
            "domains": list(self.domains),
            "coordinates": _listed(self.coordinates),
            "dimensions": self.dimensions,
            "share": self.dimensionality.share,
            "spectrum": _listed(self.spectrum),
            "stress": self.stress,
            "negative_share": self.negative_share,
            "directions": _listed(self.directions),
            "complexity": _listed(self.complexity),
            "shares": _listed(self.shares),
            "kept_length": _listed(self.kept_length),
            "vanished": list(self.vanished),
            "merged": [list(group) for group in self.merged],
            "scale": self.scale,
            "anchor": self.anchor,
            "refined": self.refined,
            "length": self.length,
            "distance": self.distance,
            "dimensionality": self.dimensionality.as_dict(),
            "dimension_probabilities": {str(k): p for k, p in self.dimensionality.probabilities.items()},
            "warnings": list(self.warnings),
            **({} if self.weights is None else {"tests": [test.as_dict() for test in self.weights.tests]}),
            "independent": None
            if self.weights is None
            else {
                "value": self.weights.independent.value,
                "interval": None if (found := self.weights.independent.interval) is None else list(found),
            },
            "bootstrap": None if self.bootstrap is None else self.bootstrap.as_dict(),
            "seed": self.seed,
            "method": self.method,
        }
