"""What a figure function returns, the registry of all figures, and the bytes of their files."""

from __future__ import annotations

import base64
import io
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import ParamSpec

from matplotlib.figure import Figure

from aiq.errors import InputError, choice
from aiq.figures import style
from aiq.records.table import Table

SUFFIXES = ("png", "svg", "pdf")
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
    words: dict[str, str | None] = {"Title": drawing.alt}
    hidden: dict[str, dict[str, str | None]] = {
        "png": {"Software": None},
        "svg": {"Date": None, "Creator": "aiq"},
        "pdf": {"CreationDate": None, "Producer": None, "Creator": "aiq"},
    }
    stream = io.BytesIO()
    with style.look():
        drawing.figure.savefig(stream, format=kind, dpi=200, metadata=words | hidden[kind])
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
        made = style.new_figure(style.DOUBLE, 1.2)
        made.text(0.5, 0.5, "\n".join(textwrap.wrap(f"Not computed: {why}.", 90)), ha="center", va="center")
        return finish(made, Table.lacking(why), f"Not computed: {why}.", f"There is no figure: {why}.")
