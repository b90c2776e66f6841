"""What intervals of a signed area cover where the points of a repetition share something, such as one seed.

Curves have 11 proportions with normal noise in every point. Each repetition also has an effect of its own, ``shared``
times the noise: of all points between the ends (``inside``: the mixtures share a seed, the ends do not), or a hump
(``hump``: most where the shares are even). ``whole``: errors from whole repetitions (``paired: yes``, which a column
``repetition`` chooses); ``points``: from the points, as if nothing was shared. Nominal .95.
"""

from __future__ import annotations

import numpy as np

from aiq import stats
from aiq.measures.dissimilarity.mixture_curves import area_weights
from aiq.records.estimate import Floats, StandardError
from studies.cells import Cells

Row = dict[str, object]

AT = np.linspace(0.0, 1.0, 11)
SHAPES = {"inside": np.where((AT > 0) & (AT < 1), 1.0, 0.0), "hump": 4 * AT * (1 - AT)}
NOISE, DEPTH = 0.01, 0.02
NOTES = (
    "Whole repetitions cover what they promise whatever is shared, at the price of few degrees of freedom (R - 1): "
    "with three repetitions their intervals are nearly twice as wide as those of points where nothing is shared. "
    "Leaning on the points' variances (weighted by how well they explain the areas') covered .92 and less where three "
    "times the noise is shared, so errors of whole repetitions are not moderated."
)


def drawn(rng: np.random.Generator, repetitions: int, shared: float, shape: str) -> Floats:
    """Return the curves of one pair, (R, 11), in [0, 1]; their true signed area is that of ``truth``."""
    own = shared * NOISE * rng.standard_normal((repetitions, 1)) * SHAPES[shape]
    noise = NOISE * rng.standard_normal((repetitions, AT.size))
    return np.clip(0.6 - DEPTH * 6 * AT * (1 - AT) + own + noise, 0.0, 1.0)


def truth() -> float:
    """Return the signed area of the curve without noise, by the trapezoid rule."""
    return float(np.trapezoid(DEPTH * 6 * AT * (1 - AT), AT))


def intervals(curves: Floats) -> dict[str, tuple[float, float]]:
    """Return the intervals of one pair's signed area, of curves (R, 11), as ``dissimilarity.measure`` has them."""
    weights, count = area_weights(AT), len(curves)
    areas = curves @ weights
    whole = StandardError(float(areas.std(ddof=1)) / np.sqrt(count), count - 1.0)
    points = stats.contrast_error(stats.sample_variances(curves), np.full(AT.size, count), weights, at=AT)
    found = {name: stats.moderated_interval(float(areas.mean()), error)
             for name, error in (("whole", whole), ("points", points))}  # fmt: skip
    return {name: interval for name, interval in found.items() if interval is not None}


def covered(repetitions: int, shared: float, shape: str, tries: int) -> list[Row]:
    """Return what both intervals cover, and their mean width in units of the noise."""
    rng = np.random.default_rng(28)
    found = [intervals(drawn(rng, repetitions, shared, shape)) for _ in range(tries)]
    rows: list[Row] = []
    for name in ("whole", "points"):
        low, high = np.array([one[name] for one in found]).T
        share = float(((low <= truth()) & (truth() <= high)).mean())
        rows.append({"errors from": name, "covers": share, "width over noise": float((high - low).mean() / NOISE)})
    return rows


def run(quick: bool, cells: Cells | None = None) -> list[Row]:
    """Return one row per number of repetitions, shared effect, its shape and way to an interval.

    Args:
        quick: 1000 tries of three repetitions with one shape.
        cells: what was finished before.
    """
    cells = cells or Cells(None, "", lambda line: None)
    tries, counts, shapes = (1000, (3,), ("inside",)) if quick else (4000, (2, 3, 5, 10), tuple(SHAPES))
    rows: list[Row] = []
    for repetitions in counts:
        for shape in shapes:
            for shared in (0.0, 1.0, 3.0):
                key = {"R": repetitions, "shape": shape, "shared": shared, "tries": tries}
                rows += cells.of(
                    key,
                    lambda key=key, r=repetitions, s=shared, h=shape: [{**key, **x} for x in covered(r, s, h, tries)],
                )
    return rows
