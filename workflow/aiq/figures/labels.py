"""Names beside points without collisions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from aiq.figures.style import BLACK, GREY, SMALL
from aiq.records.estimate import Floats

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
    outermost = np.argsort(-np.linalg.norm(pixels - np.median(pixels, axis=0), axis=1), kind="stable")[:_NAMED]
    for index in (place for place in _crowded_first(pixels) if place in outermost):
        text = axes.annotate(
            names[index], points[index], xytext=(0, 0), textcoords="offset points", fontsize=SMALL,
            color=BLACK, ha="center", va="center", annotation_clip=False, zorder=5,
        )  # fmt: skip
        extent = text.get_window_extent(renderer)
        half = np.array([extent.width, extent.height]) / 2 + dot
        place, ring = _best_place(index, half, pixels, soft, taken, frame, dot)
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


def _sampled(path: Floats, step: float = 4.0) -> Floats:
    """Return points every ``step`` pixels along a path of corners, (m, 2)."""
    parts = [path]
    for start, end in pairwise(path):
        count = int(np.linalg.norm(end - start) / step)
        parts.append(start + (end - start) * np.linspace(0, 1, count + 1)[:, None])
    return np.vstack(parts)


def _crowded_first(pixels: Floats) -> list[int]:
    """Return the order of the points by the distance to their nearest neighbour, closest first."""
    distance = np.linalg.norm(pixels[:, None] - pixels[None], axis=-1)
    np.fill_diagonal(distance, np.inf)
    return np.argsort(np.round(distance.min(axis=1), 6), kind="stable").tolist()


def _best_place(
    index: int, half: Floats, points: Floats, soft: Floats, taken: list[Bbox], frame: Bbox, dot: float
) -> tuple[Floats, float]:
    """Return the centre (pixels) and the ring of the cheapest place of a box of half-width and half-height ``half``.

    It costs to cover names (by share of the box), points, and what is soft, to lie outside the axes, nearer to
    another point, or far off.
    """
    rings, angles = np.repeat(_RINGS, _TURNS), np.tile(2 * np.pi * np.arange(_TURNS) / _TURNS, len(_RINGS))
    way = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    reach = (half / np.maximum(np.abs(way), 1e-9)).min(axis=1)
    centres = points[index] + way * (reach + rings * dot * 0.8)[:, None]
    low, high, area = centres - half, centres + half, 4 * half.prod()

    def shared(box: Bbox) -> Floats:
        return np.clip(np.minimum(high, box.max) - np.maximum(low, box.min), 0, None).prod(axis=1)

    def inside(places: Floats) -> Floats:
        return ((places > low[:, None]) & (places < high[:, None])).all(axis=2).sum(axis=1)

    overlap = sum(map(shared, taken), np.zeros(len(centres)))
    gaps = np.linalg.norm(np.clip(np.abs(points - centres[:, None]) - half, 0, None), axis=2)
    nearer = np.delete(gaps, index, axis=1).min(axis=1, initial=np.inf) < gaps[:, index]
    cost = 10 * overlap / area + (overlap > 0) + 0.8 * inside(points) + 0.4 * (1 - np.exp(-inside(soft) / 6))
    cost += 5 * (1 - shared(frame) / area) + 0.5 * nearer + rings / 100
    best = int(np.argmax(cost <= cost.min() + 1e-9))
    return centres[best], float(rings[best])
