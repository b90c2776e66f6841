"""A space that is built already, with other replicates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from aiq.measures.space import bootstrap as space_bootstrap
from aiq.measures.space import duplicates
from aiq.measures.space.embedding import Placement, decompose
from aiq.measures.space.suite import usable
from aiq.records.space import Space

Floats = npt.NDArray[np.float64]


def replicated(built: Space, complexity: Floats, dissimilarity: Floats) -> Space:
    """Return a space with the replicates that are given in the place of its own; the estimate stays as it is.

    Noise thresholds are those of the estimate, so that each replicate keeps the number of dimensions that it would
    have kept among the space's own. Replicates that cannot be placed (a number that is not finite, or no length above
    0) are left out and counted.

    Args:
        built: the space.
        complexity: replicates of the tests' lengths in their own unit, (B, n), the tests in the order of the space.
        dissimilarity: replicates of the debiased dissimilarities in their own unit, (B, n, n), symmetric, the
            diagonal 0.
    """
    unit = built.largest_dissimilarity or 1.0
    matrices = duplicates.shared(np.asarray(dissimilarity) / unit, _groups(built))
    resampled = usable(np.asarray(complexity) / built.largest_complexity, matrices)
    spectrum = decompose(built.complexity, built.dissimilarity, built.anchor)
    kept = built.dimensionality
    common = built.anchor == "unit" and kept.rule == "auto"
    confidence = 0.95 if built.bootstrap is None else built.bootstrap.confidence
    how = space_bootstrap.How(built.anchor, built.refined, common, confidence, built.distance == "relative")
    placed = Placement(built.directions, built.directions, built.coordinates, built.kept_length, built.stress)
    boot, _ = space_bootstrap.bootstrap(resampled, spectrum, placed, kept, how)
    return replace(built, bootstrap=boot)


def _groups(built: Space) -> npt.NDArray[np.int64]:
    """Return a group number for each test, (n,): tests that were merged have the same."""
    found = np.arange(len(built.domains))
    for names in built.merged:
        found[[built.domains.index(name) for name in names]] = built.domains.index(names[0])
    return found
