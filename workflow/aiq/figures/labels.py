"""Names beside points without collisions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from aiq.figures.style import BLACK, GREY, SMALL
from aiq.records.arrays import Floats

_RINGS = (6.0, 11.0, 17.0, 25.0, 35.0, 47.0, 61.0)
_TURNS = 16
_NAMED = 40  # points that are named in one picture


def place_labels(
    axes: Axes,
    points: Floats,
    names: Sequence[str],
    avoid: Floats | None = None,
    lines: Sequence[Floats] = (),
    written: Sequence[Bbox] = (),
) -> list[Annotation]:
    """Write ``names`` beside ``points`` (n, 2; data coordinates of ``axes``) so that they do not overlap.

    Each name tries rings of growing distance and 16 directions, and takes the place that covers least of
    what is there already: names placed before, the boxes ``written`` (pixels), all points, and what lies
    outside the axes. It counts for less to cover the small points ``avoid`` (m, 2) or the paths ``lines``,
    each (k, 2), and to lie nearer to another point; farther places cost a little. A name that lies off its
    point gets a thin leader.
    Names are placed in the order of their crowdedness. The axes' limits and position must be final. Of more than 40
    points the 40 farthest from their median are named (:func:`unnamed` says so in captions).
    """
    figure = axes.figure
    renderer = figure.canvas.get_renderer()
    pixels = axes.transData.transform(points)
    minor = [np.empty((0, 2)), *(_sampled(axes.transData.transform(line)) for line in lines)]
    if avoid is not None and len(avoid):
        minor.append(axes.transData.transform(avoid))
    soft = np.vstack(minor)
    dot = figure.dpi / 72
    frame = axes.get_window_extent(renderer)
    taken: list[Bbox] = list(written)
    made: list[Annotation] = []
    kept = _outermost(pixels)
    for index in (place for place in _crowded_first(pixels) if place in kept):
        text = axes.annotate(
            names[index], points[index], xytext=(0, 0), textcoords="offset points", fontsize=SMALL,
            color=BLACK, ha="center", va="center", annotation_clip=False, zorder=5,
        )  # fmt: skip
        extent = text.get_window_extent(renderer)
        half = np.array([extent.width, extent.height]) / 2 + dot
        place, ring = _best_place(index, half, (pixels, soft), taken, frame, dot)
        taken.append(Bbox([place - half, place + half]))
        offset = (place - pixels[index]) / dot
        text.xyann = (float(offset[0]), float(offset[1]))
        if ring > _RINGS[0]:
            axes.annotate(
                "", points[index], xytext=(float(offset[0]), float(offset[1])), textcoords="offset points",
                arrowprops={"arrowstyle": "-", "lw": 0.4, "color": GREY, "shrinkA": 3, "shrinkB": 3, "patchB": None},
                annotation_clip=False, zorder=4,
            )  # fmt: skip
        made.append(text)
    return made


def unnamed(count: int, what: str = "domains") -> str:
    """Return the sentence on points without names, or nothing."""
    return f" Of {count} {what} the {_NAMED} outermost are named; the table has all." if count > _NAMED else ""


def _outermost(pixels: Floats) -> set[int]:
    far = np.linalg.norm(pixels - np.median(pixels, axis=0), axis=1)
    return {int(place) for place in np.argsort(-far, kind="stable")[:_NAMED]}


def _sampled(path: Floats, step: float = 4.0) -> Floats:
    """Return points every ``step`` pixels along a path of corners, (m, 2)."""
    parts = [path]
    for start, end in pairwise(path):
        count = int(np.linalg.norm(end - start) / step)
        parts.append(start + (end - start) * np.linspace(0, 1, count + 1)[:, None])
    return np.vstack(parts)


def _crowded_first(pixels: Floats) -> list[int]:
    """Return the order of the points by the distance to their nearest neighbour, closest first."""
    if len(pixels) < 2:
        return list(range(len(pixels)))
    distance = np.linalg.norm(pixels[:, None] - pixels[None], axis=-1)
    np.fill_diagonal(distance, np.inf)
    return [int(i) for i in np.argsort(np.round(distance.min(axis=1), 6), kind="stable")]


def _best_place(
    index: int, half: Floats, obstacles: tuple[Floats, Floats], taken: list[Bbox], frame: Bbox, dot: float
) -> tuple[Floats, float]:
    """Return the centre (pixels) of the cheapest place of a box of half-width and half-height ``half``."""
    point = obstacles[0][index]
    best, best_ring, best_cost = point, _RINGS[0], math.inf
    for ring in _RINGS:
        for turn in range(_TURNS):
            angle = 2 * math.pi * turn / _TURNS
            way = np.array([math.cos(angle), math.sin(angle)])
            reach = min(half[0] / max(abs(way[0]), 1e-9), half[1] / max(abs(way[1]), 1e-9))
            centre = point + way * (reach + ring * dot * 0.8)
            cost = _cost(centre, half, obstacles, taken, frame) + ring / 100
            gaps = np.linalg.norm(np.clip(np.abs(obstacles[0] - centre) - half, 0, None), axis=1)
            if len(gaps) > 1 and np.delete(gaps, index).min() < gaps[index]:
                cost += 0.5
            if cost < best_cost - 1e-9:
                best, best_ring, best_cost = centre, ring, cost
    return best, best_ring


def _cost(centre: Floats, half: Floats, obstacles: tuple[Floats, Floats], taken: list[Bbox], frame: Bbox) -> float:
    """Return how much a box covers: overlap with names (as a share of its area), points inside, area outside."""
    low, high = centre - half, centre + half
    area = float(np.prod(high - low))
    overlap = sum(
        max(0.0, min(high[0], box.x1) - max(low[0], box.x0)) * max(0.0, min(high[1], box.y1) - max(low[1], box.y0))
        for box in taken
    )
    covered, brushed = (int(np.count_nonzero(np.all((o > low) & (o < high), axis=1))) for o in obstacles)
    inside = max(0.0, min(high[0], frame.x1) - max(low[0], frame.x0)) * max(
        0.0, min(high[1], frame.y1) - max(low[1], frame.y0)
    )
    return float(
        10 * overlap / area
        + (1 if overlap > 0 else 0)
        + 0.8 * covered
        + 0.4 * (1 - math.exp(-brushed / 6))
        + 5 * (1 - inside / area)
    )
