"""The picture that stands where an analysis failed."""

from __future__ import annotations

import textwrap

from aiq.figures import style
from aiq.figures.drawing import Drawing, finish
from aiq.records.table import Table


@style.styled
def lacking(why: str) -> Drawing:
    """Draw one sentence: why there is no figure here.

    Args:
        why: the sentence, without a full stop.
    """
    figure = style.new_figure(style.DOUBLE, 1.2)
    figure.text(0.5, 0.5, "\n".join(textwrap.wrap(f"Not computed: {why}.", 90)), ha="center", va="center")
    return finish(figure, Table.lacking(why), f"Not computed: {why}.", f"There is no figure: {why}.")
