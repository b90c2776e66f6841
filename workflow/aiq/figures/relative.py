"""The matrix of relative dissimilarities: 0 not told apart, 1 unrelated, above 1 contradictory."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib
import numpy as np

from aiq.errors import InputError
from aiq.figures import many, style
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.arrays import Floats
from aiq.records.relative import RelativePair, said, table

_TOP = 2.0  # of the colours: what lies above has the colour of 2


@style.styled
@written("domain a", "domain b", "relative dissimilarity")
def relative_matrix(pairs: Sequence[RelativePair], *, domains: Sequence[str] | None = None) -> Drawing:
    """Draw the relative dissimilarities of a suite as a heat map with numbers; a question mark where one is undefined.

    More than 30 domains have no numbers in the cells and stand in an order that puts alike ones side by side.

    Args:
        pairs: each once; those of a domain with itself are 0 by definition and not drawn.
        domains: order of the rows; default the order of their appearance.

    Raises:
        InputError: there is no pair, or a pair names a domain that is not among ``domains``.
    """
    if not pairs:
        raise InputError("there is no relative dissimilarity to be drawn; measure at least one pair against twins")
    names = list(domains) if domains is not None else list(dict.fromkeys(n for pair in pairs for n in (pair.a, pair.b)))
    stranger = next((name for pair in pairs for name in (pair.a, pair.b) if name not in names), None)
    if stranger is not None:
        raise InputError(f"a pair was measured with {stranger!r}, which is not among {', '.join(names)}")
    values = _matrix(pairs, names)
    large = len(names) > many.MANY
    if large:
        order = many.seriation(values)
        names, values = [names[k] for k in order], values[np.ix_(order, order)]
    side = min(style.DOUBLE, max(style.SINGLE, 0.5 * len(names) + 1.8))
    figure = style.new_figure(side, 0.82 * side + 0.55, square=True)
    axes = figure.subplots()
    shown = matplotlib.colormaps["PuOr_r"].with_extremes(bad="white")
    image = axes.imshow(values, cmap=shown, vmin=0, vmax=_TOP, interpolation="nearest")
    for pair in () if large else pairs:
        i, j = names.index(pair.a), names.index(pair.b)
        value = pair.relative.estimate.value
        text = "?" if pair.relative.undefined else f"{value:.2f}".replace("-", "−")
        ink = "white" if abs(value - 1) > 0.6 else style.BLACK
        for x, y in {(i, j), (j, i)}:
            axes.text(x, y, text, ha="center", va="center", color=ink, fontsize=style.SMALL)
    many.name_axes(axes, names)
    meaning = "relative dissimilarity\n0 not told apart, 1 unrelated, 2 contradictory"
    bar = figure.colorbar(image, ax=axes, shrink=0.8, ticks=[0, 1, _TOP], label=meaning)
    bar.outline.set_visible(False)
    numbers = table(pairs)
    caption = (
        f"Relative dissimilarity of {len(names)} domains: the departure of a pair over that of twins, which are as "
        "hard and unrelated. 0: not told apart at this budget; 1: unrelated; above 1: the same inputs ask for other "
        f"answers. No other domain of the suite enters. {said(numbers)}{many.thinned(len(names)) if large else ''}"
    )
    alt = f"Heat map of relative dissimilarities of {len(names)} domains. {said(numbers)}"
    return finish(figure, numbers, caption, alt)


def _matrix(pairs: Sequence[RelativePair], names: Sequence[str]) -> Floats:
    """Return values (n, n), 0 on the diagonal, NaN where there is none."""
    values = np.full((len(names), len(names)), np.nan)
    np.fill_diagonal(values, 0.0)
    for pair in pairs:
        i, j = names.index(pair.a), names.index(pair.b)
        values[i, j] = values[j, i] = pair.relative.estimate.value
    return values
