"""What a figure function returns, and the bytes of its files."""

from __future__ import annotations

import base64
import io
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import TypeVar

from matplotlib.figure import Figure

from aiq.errors import InputError, choice
from aiq.figures import style
from aiq.figures.style import look
from aiq.records.table import Table

SUFFIXES = ("png", "svg", "pdf")


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
        """Refuse a drawing without words or numbers."""
        if not self.caption.strip() or not self.alt.strip():
            raise ValueError("a drawing needs a caption and an alternative text")
        if not self.table.rows:
            raise ValueError("a drawing needs the numbers that it shows")

    def _repr_html_(self) -> str:
        """Return picture and caption for a notebook."""
        picture = base64.b64encode(render(self, "png")).decode()
        return (
            f'<figure class="aiq"><img alt="{escape(self.alt)}" style="max-width:100%" '
            f'width="{round(96 * self.figure.get_figwidth())}" src="data:image/png;base64,{picture}">'
            f"<figcaption>{escape(self.caption)}</figcaption></figure>"
        )

    def __repr__(self) -> str:
        """Return the caption."""
        return f"Drawing: {self.caption}"


F = TypeVar("F", bound=Callable[..., Drawing])


def written(*words: str) -> Callable[[F], F]:
    """Say what must be read in a figure whatever it shows: its axes with units, its key. A test looks for it."""

    def keep(function: F) -> F:
        function.written = words  # type: ignore[attr-defined]
        return function

    return keep


def finish(figure: Figure, table: Table, caption: str, alt: str) -> Drawing:
    """Lay the figure out once and for all and return it with its numbers and words.

    The layout is computed here and then frozen, so that files of the same drawing agree and can be
    rendered any number of times.
    """
    for _ in range(2):  # the first pass settles the tick labels, the second makes room for them
        figure.draw_without_rendering()
    figure.set_layout_engine("none")
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
    with look():
        drawing.figure.savefig(stream, format=kind, dpi=200, metadata=words | hidden[kind])
    return stream.getvalue()


def as_sentence(note: str) -> str:
    """Return a note as a sentence that ends a caption: with a capital and a full stop, or nothing."""
    return f" {note[:1].upper()}{note[1:]}." if note else ""


# ---- The picture that stands where an analysis failed --------------------------------------------


@style.styled
def lacking(why: str) -> Drawing:
    """Draw one sentence: why there is no figure here.

    Args:
        why: the sentence, without a full stop.
    """
    figure = style.new_figure(style.DOUBLE, 1.2)
    figure.text(0.5, 0.5, "\n".join(textwrap.wrap(f"Not computed: {why}.", 90)), ha="center", va="center")
    return finish(figure, Table.lacking(why), f"Not computed: {why}.", f"There is no figure: {why}.")
