"""The next landmark of a table of dissimilarities, without a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aiq import storage
from aiq.errors import InputError
from aiq.measures.dissimilarity import completing, landmarks
from aiq.records.arrays import Floats
from aiq.storage import Source
from aiq.tables import columns


@dataclass(frozen=True, slots=True)
class NextLandmark:
    """The domain farthest from the landmarks so far, and its distance to the nearest of them.

    ``error``: relative error of completed pairs as the landmarks tell that are left out in turn, rather too large; None
    with fewer than three.
    """

    landmarks: tuple[str, ...]
    domain: str
    distance: float
    noise_floor: float
    error: float | None = None

    @classmethod
    def of(cls, names: Sequence[str], at: Sequence[int], rows: Floats, floor: float) -> NextLandmark:
        """Choose farthest-point: ``rows`` (L, n) are the distances of all from the landmarks ``at``, 0 from itself."""
        chosen = landmarks.next_landmark(rows, at)
        error = completing.left_out_error(rows, at, completing.left_out_dimensions(rows, at))
        return cls(tuple(names[i] for i in at), names[chosen], float(rows[:, chosen].min()), floor, error)


def next_from_table(path: Source) -> NextLandmark:
    """Return the domain farthest from the landmarks of a table ``a,b,dissimilarity``: those measured against all.

    Values below 0 (signed areas) count as 0. The noise floor is the largest dissimilarity of a domain with itself, 0
    where none is given.

    Raises:
        InputError: no domain was measured against all others, every one was, or the table cannot be used.
    """
    table = storage.read_table(
        path, ("a", "b", "dissimilarity"), ("se",), ("dissimilarity", "se"), blank=("se",), known=columns.of_pairs
    )
    pairs = list(zip(*(table.column(name) for name in ("a", "b", "dissimilarity")), strict=True))
    names = list(dict.fromkeys(str(name) for a, b, _ in pairs for name in (a, b)))
    matrix = np.full((len(names), len(names)), np.nan)
    seen: set[frozenset[str]] = set()
    for a, b, value in pairs:
        i, j = names.index(str(a)), names.index(str(b))
        pair = frozenset((str(a), str(b)))
        if pair in seen:
            raise InputError(f"{storage.called(path)}: the pair {a}, {b} stands twice; keep one row of each pair")
        seen.add(pair)
        matrix[i, j] = matrix[j, i] = max(float(value or 0.0), 0.0)
    floor = float(np.nan_to_num(np.diag(matrix)).max(initial=0.0))
    np.fill_diagonal(matrix, 0.0)
    at = [i for i in range(len(names)) if np.isfinite(matrix[i]).all()]
    if not at:
        raise InputError(
            f"{storage.called(path)}: no domain is measured against all {len(names) - 1} others; measure one so first"
        )
    if len(at) == len(names):
        raise InputError(f"{storage.called(path)} holds every pair of its {len(names)} domains; no landmark is needed")
    return NextLandmark.of(names, at, matrix[at], floor)
