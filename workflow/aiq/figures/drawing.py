"""What a figure function returns, the registry of all figures, the bytes of their files, and names beside points."""

from __future__ import annotations

import base64
import io
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import ParamSpec

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from aiq.errors import InputError, choice
from aiq.figures import style
from aiq.records.estimate import Floats
from aiq.records.table import Table

SUFFIXES: dict[str, dict[str, str | None]] = {
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": "aiq"},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": "aiq"},
}
"""Endings of a figure's files, and what else than its title stands in them: no date, no version."""
P = ParamSpec("P")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Drawing:
    """A figure, the numbers in it, and its words.

    ``table`` holds every number that the figure shows, for the CSV beside it; ``caption`` says what is
    shown, with which units and which intervals; ``alt`` is the text for those who do not see the picture.
    """

    figure: Figure
    table: Table
    caption: str
    alt: str

    def __post_init__(self) -> None:
        if not self.caption.strip() or not self.alt.strip():
            raise ValueError("a drawing needs a caption and an alternative text")
        if not self.table.rows:
            raise ValueError("a drawing needs the numbers that it shows")

    def _repr_html_(self) -> str:
        picture = base64.b64encode(render(self, "png")).decode()
        return (
            f'<figure class="aiq"><img alt="{escape(self.alt)}" style="max-width:100%" '
            f'width="{round(96 * self.figure.get_figwidth())}" src="data:image/png;base64,{picture}">'
            f"<figcaption>{escape(self.caption)}</figcaption></figure>"
        )

    def __repr__(self) -> str:
        return f"Drawing: {self.caption}"


FIGURES: dict[str, Callable[..., Drawing]] = {}
"""Every figure function by its name. What it shows stands in its docstring, what it needs in its types."""


def figure(name: str, *written: str) -> Callable[[Callable[P, Drawing]], Callable[P, Drawing]]:
    """Make a function a figure: known by its name, drawn with our look whatever a user set.

    Args:
        name: in ``FIGURES``, and in plans and captions.
        written: what must be read in it whatever it shows: its axes with units, its key. A test looks for it.
    """

    def register(function: Callable[P, Drawing]) -> Callable[P, Drawing]:
        drawing = style.look()(function)
        drawing.written = written  # type: ignore[attr-defined]
        FIGURES[name] = drawing
        return drawing

    return register


def draw(name: str, *args: object, **kwargs: object) -> Drawing:
    """Draw the figure ``name`` from the inputs of its function.

    Raises:
        InputError: there is no such figure, or the function refuses its input.
    """
    if name not in FIGURES:
        raise InputError(choice("the figure", name, FIGURES))
    return FIGURES[name](*args, **kwargs)


def finish(figure: Figure, table: Table, caption: str, alt: str) -> Drawing:
    """Lay the figure out once and for all and return it with its numbers and words.

    The layout is computed here and then frozen, so that files of the same drawing agree and can be
    rendered any number of times.
    """
    figure.draw_without_rendering()  # settles the tick labels
    if (engine := figure.get_layout_engine()) is not None:
        engine.execute(figure)  # makes room for them
    figure.set_layout_engine(None)  # with "none" each file would be drawn once more before it is written
    return Drawing(figure, table, caption, alt)


def render(drawing: Drawing, suffix: str) -> bytes:
    """Return the bytes of a file: ``png`` (200 dots per inch), ``svg`` or ``pdf`` (text stays text in both).

    The same drawing gives the same bytes: no date, no version of matplotlib, constant identifiers.

    Raises:
        InputError: the suffix is none of them.
    """
    kind = suffix.removeprefix(".")
    if kind not in SUFFIXES:
        raise InputError(choice("the format of a figure", suffix, SUFFIXES))
    stream = io.BytesIO()
    with style.look():
        drawing.figure.savefig(stream, format=kind, dpi=200, metadata={"Title": drawing.alt, **SUFFIXES[kind]})
    return stream.getvalue()


def as_sentence(note: str) -> str:
    """Return a note as a sentence that ends a caption: with a capital and a full stop, or nothing."""
    return f" {note[:1].upper()}{note[1:]}." if note else ""


def caution(warnings: Sequence[str]) -> str:
    """Return warnings as sentences of a caption."""
    return "".join(f" Warning: {sentence}." for sentence in warnings)


def lacking(why: str) -> Drawing:
    """Return the picture that stands where an analysis failed: one sentence, given without a full stop."""
    with style.look():
        figure = style.new_figure(style.DOUBLE, 1.2)
        figure.text(0.5, 0.5, "\n".join(textwrap.wrap(f"Not computed: {why}.", 90)), ha="center", va="center")
        return finish(figure, Table.lacking(why), f"Not computed: {why}.", f"There is no figure: {why}.")


# ---- Names beside points without collisions -------------------------------------------------------


_RINGS = (6.0, 11.0, 17.0, 25.0, 35.0, 47.0, 61.0)
_TURNS = 16
_NAMED = 40  # points that are named in one picture
_LEADER = {"arrowstyle": "-", "lw": 0.4, "color": style.GREY, "shrinkA": 3, "shrinkB": 3, "patchB": None}


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
    each (k, 2), and to lie nearer to another point; farther places cost a little. A name off its point gets a leader.
    Names are placed in the order of their crowdedness. The axes' limits and position must be final. Of more than 40
    points the 40 farthest from their median are named (:func:`unnamed` says so in captions).
    """
    figure = axes.figure
    renderer = figure.canvas.get_renderer()
    pixels = axes.transData.transform(points)
    small = np.empty((0, 2)) if avoid is None else axes.transData.transform(avoid)
    soft = np.vstack([small, *(_sampled(axes.transData.transform(line)) for line in lines)])
    dot = figure.dpi / 72
    frame = axes.get_window_extent(renderer)
    taken: list[Bbox] = list(written)
    annotations: list[Annotation] = []
    outermost = np.argsort(-np.linalg.norm(pixels - np.median(pixels, axis=0), axis=1), kind="stable")[:_NAMED]
    for index in (place for place in _crowded_first(pixels) if place in outermost):
        text = axes.annotate(
            names[index], points[index], xytext=(0, 0), textcoords="offset points", fontsize=style.SMALL,
            color=style.BLACK, ha="center", va="center", annotation_clip=False, zorder=5,
        )  # fmt: skip
        extent = text.get_window_extent(renderer)
        half = np.array([extent.width, extent.height]) / 2 + dot
        place, ring = _best_place(index, half, pixels, soft, taken, frame, dot)
        taken.append(Bbox([place - half, place + half]))
        offset = tuple(((place - pixels[index]) / dot).tolist())
        text.xyann = offset
        if ring > _RINGS[0]:
            axes.annotate(
                "", points[index], xytext=offset, textcoords="offset points", arrowprops=_LEADER,
                annotation_clip=False, zorder=4,
            )  # fmt: skip
        annotations.append(text)
    return annotations


def unnamed(count: int, what: str = "domains") -> str:
    """Return the sentence on points without names, or nothing."""
    return f" Of {count} {what} the {_NAMED} outermost are named; the table has all." if count > _NAMED else ""


def _sampled(path: Floats, step: float = 4.0) -> Floats:
    parts = [path]
    for start, end in pairwise(path):
        count = int(np.linalg.norm(end - start) / step)
        parts.append(start + (end - start) * np.linspace(0, 1, count + 1)[:, None])
    return np.vstack(parts)


def _crowded_first(pixels: Floats) -> list[int]:
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
