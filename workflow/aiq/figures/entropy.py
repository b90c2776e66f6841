"""Complexity against Shannon entropy (Fig. 5 of the 2025 paper)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from aiq.errors import InputError, choice
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish, written
from aiq.figures.labels import place_labels
from aiq.records.complexity import Complexity
from aiq.records.entropy import Entropy
from aiq.records.table import Table

_QUANTITIES = {
    "mean": "Shannon entropy of one sample (bits)",
    "total": "Shannon entropy, summed over the samples (bits)",
    "observations": "Shannon entropy of a trained agent's observations (bits)",
}
_LOGARITHMIC = 30.0


@style.styled
@written("(bits)", "bits: log₂ parameters × performance")
def complexity_entropy(
    complexities: Mapping[str, Complexity],
    entropies: Mapping[str, Entropy],
    *,
    unit: str = "log2",
    quantity: str = "mean",
) -> Drawing:
    """Draw the complexity of each domain against its entropy, both with their intervals.

    Args:
        complexities: by domain.
        entropies: by domain; domains without an entropy are left out and named in the caption.
        unit: what counts as size, as in :func:`aiq.figures.complexity.complexity_curve`.
        quantity: ``mean`` (of one sample), ``total`` (summed over images), or ``observations`` (control domains, where
            the entropies of the variables are summed, Fig. 8); the axis is logarithmic where the values span more
            than a factor of 30.

    Raises:
        InputError: no domain has both, or an option is unknown.
    """
    if quantity not in _QUANTITIES:
        raise InputError(choice("the quantity of entropy", quantity, _QUANTITIES))
    names = [name for name in complexities if name in entropies]
    if not names:
        raise InputError("no domain has both a complexity and an entropy; measure both for at least one")
    across = [entropies[name].total if quantity == "total" else entropies[name].mean for name in names]
    up = [complexities[name].estimate for name in names]
    x, y = (np.array([estimate.value for estimate in which]) for which in (across, up))
    flagged = np.array([complexities[name].mostly_extrapolated for name in names])
    figure = style.new_figure(1.25 * style.SINGLE, 3.3)
    axes = figure.subplots()
    style.grid(axes)
    style.interval_bars(axes, "x", across, y)
    style.interval_bars(axes, "y", up, x)
    axes.plot(x[~flagged], y[~flagged], "o", color=style.BLUE, label="domain", zorder=3)
    if flagged.any():
        words = "domain, complexity more than half extrapolated"
        axes.plot(x[flagged], y[flagged], "s", color=style.VERMILION, mfc="white", label=words, zorder=3)
    if x.min() > 0 and x.max() / x.min() > _LOGARITHMIC:
        axes.set_xscale("log")
    axes.margins(0.25, 0.16)
    axes.set_xlim(left=None if axes.get_xscale() == "log" else max(0.0, axes.get_xlim()[0]))
    axes.set_ylim(bottom=max(0.0, axes.get_ylim()[0]))
    axes.set_xlabel(_QUANTITIES[quantity])
    axes.set_ylabel(style.complexity_label(unit))
    style.legend_below(figure, axes, columns=1)
    figure.draw_without_rendering()
    place_labels(axes, np.column_stack([x, y]), names)
    left_out = [name for name in complexities if name not in entropies]
    rest = f" Without an entropy: {', '.join(left_out)}." if left_out else ""
    caption = (
        f"Complexity ({style.complexity_units(unit)}) of {len(names)} domains against their {_QUANTITIES[quantity]}"
        f"{'' if quantity == 'observations' else ', labels included'}. {style.interval_sentence([*across, *up])}{rest}"
    )
    values = "; ".join(
        f"{name} {style.number(a)} bits, MCCP {style.number(b)}" for name, a, b in zip(names, x, y, strict=True)
    )
    columns = (
        "domain",
        "entropy",
        "entropy_low",
        "entropy_high",
        "mccp",
        "mccp_low",
        "mccp_high",
        "mostly_extrapolated",
    )
    rows = [
        (name, *style.interval_cells(a), *style.interval_cells(b), bool(flag))
        for name, a, b, flag in zip(names, across, up, flagged, strict=True)
    ]
    return finish(figure, Table.of(columns, rows), caption, f"Complexity against entropy: {values}.")
