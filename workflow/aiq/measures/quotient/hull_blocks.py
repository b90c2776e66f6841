"""Points that fall into blocks, each in a subspace of its own: the volume of their hull with the origin is a product.

Where the space is the direct sum of subspaces and every point lies in one of them, the gauge of the hull is the sum
of the blocks' gauges. From the integral of exp(-gauge), which is d! times the volume, follows for blocks of d_1 + ...
+ d_k = d dimensions in an orthogonal position: vol = (d_1! vol_1) ... (d_k! vol_k) / d!. A simplex is d blocks of one
point, a cross-polytope d blocks of two.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.linalg import qr, solve_triangular
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from aiq.measures.tolerance import ZERO

Floats = npt.NDArray[np.float64]


def blocks(points: Floats) -> tuple[list[npt.NDArray[np.intp]], Floats, float]:
    """Return the rows of each block, the points in a basis in which blocks have axes of their own, and its log volume.

    In a basis of d of the points, two basis points belong together where some point has both coordinates: the
    connected components are the finest blocks there are, whichever basis is taken.

    Args:
        points: shape (m, d), of full rank, none of them the origin.

    Returns:
        the blocks; coordinates (m, d) in the basis; the logarithm of the absolute determinant of the basis.
    """
    d = points.shape[1]
    _, triangle, order = qr(points.T, mode="economic", pivoting=True)
    coordinates = np.zeros_like(points)
    coordinates[order] = solve_triangular(triangle[:, :d], triangle).T
    used = np.abs(coordinates) > ZERO * np.abs(coordinates).max()
    count, label = connected_components(csr_array(used.T.astype(np.int8) @ used.astype(np.int8)), directed=False)
    own = label[used.argmax(axis=1)]
    return (
        [np.flatnonzero(own == k) for k in range(count)],
        coordinates * used,
        float(np.log(np.abs(np.diag(triangle))).sum()),
    )
