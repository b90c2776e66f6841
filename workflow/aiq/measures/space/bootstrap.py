"""The intelligence space under resampled complexities and dissimilarities.

Each replicate decides anew how many dimensions it keeps. It holds the noise twice, that of the measurement and that
of the draw: what is noise there is larger by the root of 2, what is no noise is not. So its eigenvalues are judged
against thresholds that are larger by 1.2: with 1 the right number is called too improbable where it is clear, with
the root of 2 where it is not (studies/coverage_space.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from aiq.measures.space import anchors, axes, stacked
from aiq.measures.space.dimensions import by_share
from aiq.measures.space.embedding import Placement, Spectrum, decompose, place
from aiq.measures.space.suite import Resampled
from aiq.records.space import Dimensionality, SpaceBootstrap

Floats = npt.NDArray[np.float64]

GAIN = 1e-6  # relative gain at which the refinement of a replicate stops
LARGER = 1.2  # thresholds of a replicate over those of the estimate
_RARE = 0.01  # share of replicates below which a number of dimensions is counted with its nearest common one


@dataclass(frozen=True, slots=True)
class How:
    """How replicates are embedded: anchor, refinement, whether one dimension is one direction for all, or unscaled."""

    anchor: str
    refine: bool
    common: bool
    confidence: float
    absolute: bool = False


def null_grams(resampled: Resampled, point: Spectrum, anchor: str, absolute: bool = False) -> Floats:
    """Return what the noise does to the Gram matrix: replicates minus the estimate, (B, n, n).

    Anchor ``unit``: every replicate is scaled by its own largest dissimilarity, as the estimate was; where they are
    absolute neither is.
    """
    own = anchors.gram(point.radius, point.dissimilarity, point.square)
    d = resampled.dissimilarity
    if absolute:
        return stacked.unit_grams(d) - own
    if anchor == "unit":
        top = d.max(axis=(1, 2), keepdims=True)
        return stacked.unit_grams(np.divide(d, top, out=np.zeros_like(d), where=top > 0)) - own
    matrices = [anchors.gram(r, one, point.square) for r, one in zip(resampled.complexity, d, strict=True)]
    return np.array(matrices).reshape(-1, point.values.size, point.values.size) - own


def bootstrap(
    resampled: Resampled, spectrum: Spectrum, point: Placement, dimensionality: Dimensionality, how: How
) -> tuple[SpaceBootstrap, Dimensionality]:
    """Embed every replicate, and return them with the number of dimensions as probable as they say."""
    complexity = resampled.complexity
    if not how.absolute:
        complexity = complexity / complexity.max(axis=1, keepdims=True)
    kept = dimensionality.kept
    values, vectors, spectra = _spectra(resampled, complexity, spectrum, how)
    numbers = _numbers(values, dimensionality)
    counts = np.bincount(numbers, minlength=values.shape[1] + 1)[1:]
    probable = {int(k) + 1: float(counts[k] / counts.sum()) for k in np.flatnonzero(counts)}
    resampled_number = dimensionality.rule in ("auto", "share")
    own = _common_numbers(numbers, kept) if resampled_number else np.full(len(numbers), kept)

    def placed(k: int) -> Floats:
        common = how.common and k == 1
        if how.refine and not common:
            found = [place(s, c, k, True, GAIN).coordinates for s, c in zip(spectra, complexity, strict=True)]
            return np.array(found).reshape(-1, values.shape[1], k)
        return stacked.coordinates(values, vectors, complexity, k, common)

    turned = stacked.procrustes(placed(kept), point.coordinates)
    record = _summary(turned, values, point, counts, how.confidence)
    record = replace(
        record,
        failed=resampled.failed,
        collapsed=int((values[:, kept - 1] <= 0).sum()),
        numbers=own.astype(np.float64),
        by_dimension={k: placed(k) for k in sorted({int(k) for k in np.unique(own)} - {kept})},
    )
    return record, replace(dimensionality, probabilities=probable)


def _spectra(
    resampled: Resampled, complexity: Floats, point: Spectrum, how: How
) -> tuple[Floats, Floats, list[Spectrum]]:
    """Return eigenvalues (B, n), eigenvectors (B, n, n), and the same as a list."""
    n = point.values.size
    anchor = how.anchor
    if anchor == "unit":
        d = resampled.dissimilarity if how.absolute else stacked.scaled(resampled.dissimilarity, point.dissimilarity)
        values, vectors = stacked.decompose(stacked.unit_grams(d))
        found = [Spectrum(w, v, point.radius, point.square, x) for w, v, x in zip(values, vectors, d, strict=True)]
        return values, vectors, found
    pairs = zip(complexity, resampled.dissimilarity, strict=True)
    found = [decompose(c, d / d.max() if d.any() else d, anchor) for c, d in pairs]
    values = np.array([one.values for one in found]).reshape(-1, n)
    return values, np.array([one.vectors for one in found]).reshape(-1, n, n), found


def _numbers(values: Floats, rule: Dimensionality) -> npt.NDArray[np.int64]:
    """Return how many dimensions each replicate keeps, (B,)."""
    if rule.share is not None:
        return by_share(values, rule.share)
    thresholds = rule.thresholds
    if values.shape[1] == 1:  # a suite of one domain
        return np.ones(len(values), dtype=np.int64)
    below = ~(values[:, 1:] > LARGER * thresholds[1:])
    stop = np.where(below.any(axis=1), below.argmax(axis=1) + 1, values.shape[1])
    return np.asarray(stop, dtype=np.int64)


def _common_numbers(numbers: npt.NDArray[np.int64], kept: int) -> npt.NDArray[np.int64]:
    """Return the numbers with each rare one moved to the nearest that is not, so that few need to be placed."""
    if not numbers.size:
        return numbers
    found, counts = np.unique(numbers, return_counts=True)
    often = np.array(sorted({kept, *(int(k) for k in found[counts >= _RARE * numbers.size])}))
    return np.asarray(often[np.abs(numbers[:, None] - often).argmin(axis=1)], dtype=np.int64)


def _summary(
    turned: Floats, spectra: Floats, point: Placement, counts: npt.NDArray[np.int64], confidence: float
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
        failed=0,
        collapsed=0,
        confidence=confidence,
    )


def alternatives(spectrum: Spectrum, complexity: Floats, kept: int, refine: bool, common: bool) -> Mapping[int, Floats]:
    """Return the estimate's coordinates (n, k) with one dimension fewer and with one more, where they exist."""
    numbers = [k for k in (kept - 1, kept + 1) if 1 <= k <= spectrum.positive]
    return {k: place(spectrum, complexity, k, refine, common=common and k == 1).coordinates for k in numbers}
