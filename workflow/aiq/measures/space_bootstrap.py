"""The intelligence space under resampled complexities and dissimilarities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aiq.measures import anchors, axes, dimensions
from aiq.measures.embedding import Placement, Spectrum, decompose, place
from aiq.records.space import Dimensionality, SpaceBootstrap

Floats = npt.NDArray[np.float64]

GAIN = 1e-6  # relative gain at which the refinement of a replicate stops


@dataclass(frozen=True, slots=True)
class Resampled:
    """Usable replicates in units of the point estimate's largest values: (B, n) and (B, n, n); ``failed`` dropped."""

    complexity: Floats
    dissimilarity: Floats
    failed: int


def usable(complexity: Floats, dissimilarity: Floats) -> Resampled:
    """Keep the replicates that can be embedded (finite, complexities above 0) and count the others."""
    good = np.isfinite(dissimilarity).all(axis=(1, 2)) & np.isfinite(complexity).all(axis=1)
    good &= np.where(np.isfinite(complexity), complexity, 0.0).min(axis=1) > 0
    return Resampled(complexity[good], dissimilarity[good], int((~good).sum()))


def grams(resampled: Resampled, point: Spectrum, anchor: str) -> Floats:
    """Return Gram matrices of all replicates at the point estimate's scales, (B, n, n)."""
    radius = resampled.complexity if anchor == "complexity" else np.ones_like(resampled.complexity)
    matrices = [anchors.gram(r, d, point.square) for r, d in zip(radius, resampled.dissimilarity, strict=True)]
    return np.array(matrices).reshape(-1, point.values.size, point.values.size)


def bootstrap(
    resampled: Resampled,
    point: Placement,
    dimensionality: Dimensionality,
    *,
    anchor: str,
    refine: bool,
    common: bool,
    confidence: float,
) -> SpaceBootstrap:
    """Embed every replicate, normalised by its own largest values, and turn it onto the point estimate."""
    n, kept = point.coordinates.shape
    coordinates, spectra, collapsed = [], [], 0
    counts = np.zeros(n, dtype=np.int64)
    for c, d in zip(resampled.complexity, resampled.dissimilarity, strict=True):
        c_unit = c / c.max()
        spectrum = decompose(c_unit, d / d.max() if d.any() else d, anchor)
        placed = place(spectrum, c_unit, kept, refine, GAIN, common).coordinates
        coordinates.append(placed @ axes.procrustes(placed, point.coordinates))
        spectra.append(spectrum.values)
        collapsed += bool(spectrum.values[kept - 1] <= 0)
        counts[dimensions.count_above(spectrum.values, dimensionality.thresholds) - 1] += 1
    turned = np.array(coordinates).reshape(-1, n, kept)
    return _summary(turned, np.array(spectra).reshape(-1, n), point, counts, resampled.failed, collapsed, confidence)


def _summary(
    turned: Floats,
    spectra: Floats,
    point: Placement,
    counts: npt.NDArray[np.int64],
    failed: int,
    collapsed: int,
    confidence: float,
) -> SpaceBootstrap:
    """Reduce aligned replicates (B, n, d) to what they say about stability; NaN where B = 0."""
    empty = turned.shape[0] == 0
    tail = (1 - confidence) / 2
    missing = np.full(spectra.shape[1], np.nan)
    offset = turned - point.coordinates
    congruence = [axes.congruence(one, point.coordinates) for one in turned]
    return SpaceBootstrap(
        coordinates=turned,
        displacement=missing if empty else np.sqrt((offset**2).sum(axis=2).mean(axis=0)),
        standard_error=np.full(turned.shape[1:], np.nan) if empty else turned.std(axis=0),
        congruence=np.full(turned.shape[2], np.nan) if empty else np.mean(congruence, axis=0),
        spectrum_low=missing if empty else np.quantile(spectra, tail, axis=0),
        spectrum_high=missing if empty else np.quantile(spectra, 1 - tail, axis=0),
        dimension_counts=tuple(int(k) for k in counts),
        failed=failed,
        collapsed=collapsed,
        confidence=confidence,
    )
