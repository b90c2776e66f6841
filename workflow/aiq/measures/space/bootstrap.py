"""The intelligence space under resampled complexities and dissimilarities, many replicates at once.

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

from aiq.measures import ZERO
from aiq.measures.draws import scaled
from aiq.measures.space.embedding import UNIT_SQUARE, VANISHED, Spectrum, by_share, decompose, gram, place
from aiq.measures.space.suite import Resampled, share_rows, usable
from aiq.records.estimate import Floats
from aiq.records.space import Dimensionality, Space, SpaceBootstrap

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
    absolute: bool


def null_grams(resampled: Resampled, point: Spectrum, how: How) -> Floats:
    """Return what the noise does to the Gram matrix: replicates minus the estimate, (B, n, n).

    Anchor ``unit``: every replicate is scaled by its own largest dissimilarity, as the estimate was; where they are
    absolute neither is.
    """
    own = gram(point.radius, point.dissimilarity, point.square)
    d = resampled.dissimilarity
    if how.absolute:
        return unit_grams(d) - own
    if how.anchor == "unit":
        top = d.max(axis=(1, 2), keepdims=True)
        return unit_grams(np.divide(d, top, out=np.zeros_like(d), where=top > 0)) - own
    matrices = [gram(r, distances, point.square) for r, distances in zip(resampled.complexity, d, strict=True)]
    return np.array(matrices).reshape(-1, point.values.size, point.values.size) - own


def bootstrap(
    resampled: Resampled, spectrum: Spectrum, point: Floats, dimensionality: Dimensionality, how: How
) -> tuple[SpaceBootstrap, Dimensionality]:
    """Embed every replicate about the estimate ``point`` (n, d); return them, and numbers of dimensions as they say."""
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
            coordinates = [place(s, c, k, True, GAIN).coordinates for s, c in zip(spectra, complexity, strict=True)]
            return np.array(coordinates).reshape(-1, values.shape[1], k)
        return stack_coordinates(values, vectors, complexity, k, common)

    turned = procrustes(placed(kept), point)
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
        d = resampled.dissimilarity if how.absolute else scaled(resampled.dissimilarity, point.dissimilarity)
        values, vectors = np.linalg.eigh(unit_grams(d))
        values, vectors = values[:, ::-1].copy(), vectors[:, :, ::-1]
        values[np.abs(values) <= ZERO * values[:, :1]] = 0.0  # what rounding leaves of a zero
        spectra = [Spectrum(w, v, point.radius, point.square, x) for w, v, x in zip(values, vectors, d, strict=True)]
        return values, vectors, spectra
    pairs = zip(complexity, resampled.dissimilarity, strict=True)
    spectra = [decompose(c, d / d.max() if d.any() else d, anchor) for c, d in pairs]
    values = np.array([spectrum.values for spectrum in spectra]).reshape(-1, n)
    return values, np.array([spectrum.vectors for spectrum in spectra]).reshape(-1, n, n), spectra


def _numbers(values: Floats, rule: Dimensionality) -> npt.NDArray[np.int64]:
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
    distinct, counts = np.unique(numbers, return_counts=True)
    often = np.array(sorted({kept, *(int(k) for k in distinct[counts >= _RARE * numbers.size])}))
    return np.asarray(often[np.abs(numbers[:, None] - often).argmin(axis=1)], dtype=np.int64)


def _summary(
    turned: Floats, spectra: Floats, point: Floats, counts: npt.NDArray[np.int64], confidence: float
) -> SpaceBootstrap:
    """Reduce aligned replicates (B, n, d) to what they say about stability; NaN where B = 0."""
    empty = turned.shape[0] == 0
    tail = (1 - confidence) / 2
    missing = np.full(spectra.shape[1], np.nan)
    offset = turned - point
    congruence = [_congruence(replicate, point) for replicate in turned]
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


def alternatives(spectrum: Spectrum, complexity: Floats, kept: int, how: How) -> Mapping[int, Floats]:
    """Return the estimate's coordinates (n, k) with one dimension fewer and with one more, where they exist."""
    numbers = [k for k in (kept - 1, kept + 1) if 1 <= k <= spectrum.positive]
    return {k: place(spectrum, complexity, k, how.refine, common=how.common and k == 1).coordinates for k in numbers}


def _congruence(points: Floats, reference: Floats) -> Floats:
    """Return |cosine| between equal axes (columns) of two configurations, shape (d,); 0 where an axis is empty."""
    top = np.abs((points * reference).sum(axis=0))
    bottom = np.linalg.norm(points, axis=0) * np.linalg.norm(reference, axis=0)
    return np.asarray(np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0))


def replicated(built: Space, complexity: Floats, dissimilarity: Floats) -> Space:
    """Return a space with the replicates that are given in the place of its own; the estimate stays as it is.

    Noise thresholds are those of the estimate, so that each replicate keeps the number of dimensions that it would have
    kept among the space's own. Replicates that cannot be placed (a number that is not finite, or no length above 0) are
    left out and counted. ``complexity`` (B, n) and ``dissimilarity`` (B, n, n), debiased and with a zero diagonal, are
    in their own units, the tests in the order of the space.
    """
    unit, group = built.largest_dissimilarity or 1.0, np.arange(len(built.domains))
    for names in built.merged:
        group[[built.domains.index(name) for name in names]] = built.domains.index(names[0])
    matrices = share_rows(np.asarray(dissimilarity) / unit, group)
    resampled = usable(np.asarray(complexity) / built.largest_complexity, matrices)
    spectrum = decompose(built.complexity, built.dissimilarity, built.anchor)
    kept = built.dimensionality
    common = built.anchor == "unit" and kept.rule == "auto"
    confidence = 0.95 if built.bootstrap is None else built.bootstrap.confidence
    how = How(built.anchor, built.refined, common, confidence, built.distance == "relative")
    boot, _ = bootstrap(resampled, spectrum, built.coordinates, kept, how)
    return replace(built, bootstrap=boot)


def unit_grams(dissimilarity: Floats) -> Floats:
    """Return Gram matrices (B, n, n) of dissimilarities that are scaled already."""
    return gram(np.ones(dissimilarity.shape[-1]), dissimilarity, UNIT_SQUARE)


def stack_coordinates(values: Floats, vectors: Floats, complexity: Floats, kept: int, common: bool) -> Floats:
    """Return locations (B, n, kept): unit directions in the leading dimensions, each at its complexity (B, n).

    An axis of a non-positive eigenvalue has no extent. With ``common`` all tests share the one direction.
    """
    if common:
        return complexity[:, :, None].copy()
    leading = vectors[:, :, :kept] * np.sqrt(np.maximum(values[:, None, :kept], 0.0))
    norm = np.linalg.norm(leading, axis=2, keepdims=True)
    directions = np.divide(leading, norm, out=np.zeros_like(leading), where=norm > VANISHED)
    return np.asarray(directions * complexity[:, :, None])


def procrustes(points: Floats, reference: Floats) -> Floats:
    """Return points (B, n, d) turned onto the reference (n, d), each by its best orthogonal rotation."""
    left, _, right = np.linalg.svd(points.transpose(0, 2, 1) @ reference)
    return np.asarray(points @ (left @ right))
