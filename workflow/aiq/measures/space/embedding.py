"""From normalised complexities and dissimilarities to points: spectrum, directions, locations (Eq. 10)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aiq.measures.arguments import ZERO
from aiq.measures.space import anchors, smacof

Floats = npt.NDArray[np.float64]

VANISHED = 1e-6  # a domain with less than this part of its length in the kept dimensions has no direction there


@dataclass(frozen=True, slots=True)
class Spectrum:
    """Eigen-decomposition of a Gram matrix, largest eigenvalue first, with the geometry it came from."""

    values: Floats
    vectors: Floats
    radius: Floats
    square: float
    dissimilarity: Floats

    @property
    def negative_share(self) -> float:
        """Sum of |negative eigenvalues| over the sum of all |eigenvalues|."""
        return float(-self.values[self.values < 0].sum() / np.abs(self.values).sum()) + 0.0

    @property
    def positive(self) -> int:
        """Number of positive eigenvalues."""
        return int((self.values > 0).sum())


@dataclass(frozen=True, slots=True)
class Placement:
    """Tests in d kept dimensions: vectors before normalisation, unit directions, locations (n, d), lengths (n,)."""

    vectors: Floats
    directions: Floats
    coordinates: Floats
    length: Floats
    stress: float


def decompose(complexity: Floats, dissimilarity: Floats, anchor: str) -> Spectrum:
    """Return the spectrum of the Gram matrix of normalised input, complexity (n,), dissimilarity (n, n).

    Eigenvalues below ``tolerance.ZERO`` of the largest are exactly 0.
    """
    radius = anchors.radii(complexity, anchor)
    square = anchors.fit_square(radius, dissimilarity, anchor)
    values, vectors = np.linalg.eigh(anchors.gram(radius, dissimilarity, square))
    values = np.where(np.abs(values) <= ZERO * values[-1], 0.0, values)
    return Spectrum(values[::-1].copy(), vectors[:, ::-1].copy(), radius, square, dissimilarity)


def place(
    spectrum: Spectrum,
    complexity: Floats,
    kept: int,
    refine: bool,
    gain: float = smacof.GAIN,
    common: bool = False,
) -> Placement:
    """Return the tests in the ``kept`` leading dimensions, on the principal axes of their locations.

    A test of length 0 has kept all of it. An eigenvalue below 0 among the kept ones gives an axis without extent. A
    domain whose vector vanishes in the kept dimensions has a direction of zeros and lies at the origin. With ``common``
    all tests share the one direction: noise cannot tell them apart, so no eigenvector of that noise may choose among
    them.
    """
    if common:
        vectors = spectrum.radius[:, None]
    else:
        vectors = spectrum.vectors[:, :kept] * np.sqrt(np.maximum(spectrum.values[:kept], 0.0))
    target = smacof.with_origin(spectrum.radius, np.sqrt(spectrum.square) * spectrum.dissimilarity)
    if refine and not common:
        vectors = smacof.refine(vectors, target, gain)
    norm = np.linalg.norm(vectors, axis=1)
    length = np.divide(norm, spectrum.radius, out=np.ones_like(norm), where=spectrum.radius > 0)
    present = (length > VANISHED) & (norm > 0)
    directions = np.zeros_like(vectors)
    directions[present] = vectors[present] / norm[present, None]
    rotation = _principal_rotation(directions * complexity[:, None])
    directions = directions @ rotation
    coordinates = directions * complexity[:, None]
    return Placement(vectors @ rotation, directions, coordinates, length, smacof.stress(vectors, target))


def _principal_rotation(points: Floats) -> Floats:
    """Return the rotation R (d, d) for which ``points @ R`` lies on its principal axes about the origin.

    Axes are ordered by their sum of squares, largest first, and the coordinate of largest absolute value
    on each axis (the first such row) is positive.
    """
    right = np.linalg.svd(points, full_matrices=True)[2].T
    turned = points @ right
    largest = np.argmax(np.round(np.abs(turned), 12), axis=0)
    signs = np.where(turned[largest, np.arange(turned.shape[1])] < 0, -1.0, 1.0)
    return np.asarray(right * signs)
