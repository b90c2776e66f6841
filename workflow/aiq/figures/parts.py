"""What dissimilarities are made of: starvation, confusion and transfer, of one pair and of a whole suite."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm
from matplotlib.ticker import MaxNLocator

from aiq.errors import InputError, choice
from aiq.figures import matrix, style
from aiq.figures.drawing import Drawing, figure, finish
from aiq.figures.matrix import MANY, Cells, Pair
from aiq.records.arrays import Floats
from aiq.records.dissimilarity import Dissimilarity
from aiq.records.estimate import Estimate
from aiq.records.table import Table

MEANING = {
    "signed": "the whole: straight line minus observed",
    "starvation": "what fewer samples of a domain cost it alone: straight line minus control",
    "confusion": "samples taken for the other domain's: told which domain it is from, minus observed",
    "transfer": "what the domains' samples do to each other: control minus told, negative where they help",
    "interference": "confusion and transfer together: control minus observed, negative where they help",
}
_LIMITS = {
    "signed": "It holds starvation too: unrelated domains lose by having fewer samples each.",
    "starvation": "It says how the domains learn at these numbers of samples, nothing about how they are related.",
    "confusion": "It is large where samples look alike and labels are apart: it is no sign of being different.",
    "transfer": "It hangs on the numbers of samples and on the network.",
    "interference": "With labels apart it holds confusion: domains whose samples look alike seem to do harm.",
}
_BETWEEN = {
    "starvation": ("line", "control"), "confusion": ("told", "observed"), "transfer": ("control", "told"),
    "interference": ("control", "observed"),
}  # fmt: skip
_COLOURS = {"starvation": style.ORANGE, "confusion": style.SKY, "transfer": style.PURPLE, "interference": style.PURPLE}
_HATCHES = {"starvation": "////", "confusion": "....", "transfer": "\\\\\\\\", "interference": "\\\\\\\\"}


def estimate_of(record: Dissimilarity, part: str) -> Estimate | None:
    """Return one part of a dissimilarity, None where it was not measured."""
    if part == "signed":
        return record.signed
    measured = None if record.parts is None else getattr(record.parts, part)
    return None if measured is None else measured.estimate


def known_parts(record: Dissimilarity) -> list[str]:
    """Return the parts that add up to the signed area as far as they are known, in the order of the curves."""
    names = [name for name in ("starvation", "confusion", "transfer") if estimate_of(record, name) is not None]
    if "transfer" not in names and "starvation" in names:
        names = ["starvation", "interference"]
    return names


def curves_of(record: Dissimilarity) -> dict[str, Floats]:
    """Return the mean curves that are known: ``line`` and ``observed``, ``control`` and ``told`` where measured."""
    curves = {"line": record.line, "observed": record.observed}
    for name in ("control", "told"):
        curve = None if record.parts is None else getattr(record.parts, name)
        if curve is not None:
            curves[name] = curve
    return curves


# ---- One pair ------------------------------------------------------------------------------------


def fill_parts(axes: Axes, record: Dissimilarity) -> None:
    """Fill the areas between line, control, told and observed, each with a colour and a hatching of its own."""
    curves = curves_of(record)
    for name in known_parts(record):
        upper, lower = (curves[which] for which in _BETWEEN[name])
        axes.fill_between(
            record.proportions, upper, lower, facecolor=_COLOURS[name], alpha=0.4, hatch=_HATCHES[name],
            edgecolor=style.GREY, linewidth=0, label=name,
        )  # fmt: skip
    if "control" in curves:
        look = {"color": style.BLACK, "markersize": 2.5, "linewidth": 0.9}
        axes.plot(record.proportions, curves["control"], "-.s", label="control (alone)", **look)
    if "told" in curves:
        axes.plot(record.proportions, curves["told"], ":^", color=style.GREEN, markersize=3, label="told")


def draw_sum(axes: Axes, record: Dissimilarity) -> None:
    """Draw the parts and their sum as points with intervals about 0, one below the other."""
    names = [*known_parts(record), "signed"]
    estimates = [estimate for name in names if (estimate := estimate_of(record, name)) is not None]
    places = -np.arange(len(names), dtype=np.float64)
    style.interval_bars(axes, "x", estimates, places)
    for place, name, estimate in zip(places, names, estimates, strict=True):
        axes.barh(
            place, estimate.value, height=0.55, color=_COLOURS.get(name, style.BLUE), alpha=0.55,
            hatch=_HATCHES.get(name, ""), edgecolor=style.GREY, linewidth=0.4,
        )  # fmt: skip
    axes.axvline(0, color=style.BLACK, linewidth=0.6)
    axes.set_yticks(places, [*names[:-1], "signed (sum)" if len(names) == 4 or "interference" in names else "signed"])
    axes.set_ylim(places[-1] - 0.6, 0.6)
    axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10], min_n_ticks=3))  # four decimals keep apart
    axes.set_xlabel("area (performance)\nabove 0: mixtures do worse")


# ---- A whole suite -------------------------------------------------------------------------------


@figure("part-matrix", "domain a", "domain b", "transfer (10", "of performance)", "sign not known")
def part_matrix(
    pairs: Mapping[Pair, Dissimilarity], *, part: str = "transfer", domains: Sequence[str] | None = None
) -> Drawing:
    """Draw one part of all dissimilarities as a heat map with numbers, from helping to harming.

    Cells whose interval holds 0, or that have none, are hatched: their sign is not known. More than 30 domains stand
    in the order of ``dissimilarity_matrix``, without numbers, and those cells are grey.

    Args:
        pairs: what was measured, self-pairs included where they were.
        part: ``signed``, ``starvation``, ``confusion``, ``transfer`` or ``interference``.
        domains: order of the rows; default the order of their appearance.

    Raises:
        InputError: no pair has this part, or a pair names a domain that is not among ``domains``.
    """
    if part not in MEANING:
        raise InputError(choice("the part of the dissimilarities", part, MEANING))
    parts = {pair: estimate for pair, record in pairs.items() if (estimate := estimate_of(record, part)) is not None}
    if not parts:
        raise InputError(
            f"no pair has a value of {part}; measure controls, and mixtures when told, or draw another part"
        )
    names = matrix.names_of(parts, domains, "a dissimilarity")
    whole, _ = _cells({pair: record.estimate for pair, record in pairs.items() if pair in parts}, names)
    names = [names[k] for k in matrix.order_of(whole)]
    values, unsure = _cells(parts, names)
    factor, exponent = (1e3, "⁻³") if float(np.nanmax(np.abs(values))) < 0.1 else (1e2, "⁻²")
    words = f"{part} (10{exponent} of performance)"
    top = max(float(np.nanmax(np.abs(values))), 1e-12) * factor
    colours, scale = matplotlib.colormaps["PuOr_r"], TwoSlopeNorm(0.0, -top, top)
    made, axes, image = matrix.heat_map(values * factor, names, colours, extra=0.75, norm=scale)
    if len(names) <= MANY:
        matrix.write_numbers(axes, image, values * factor, np.abs(values * factor) > 0.62 * top)
    matrix.colour_bar(made, axes, image, words)
    matrix.mark(made, axes, unsure, "sign not known", style.GREY, 0.6)
    low, high = (choose(parts, key=lambda pair: parts[pair].value) for choose in (min, max))
    caption = (
        f"{words[0].upper()}{words[1:]} of {len(parts)} pairs: {MEANING[part]}. Above 0 mixtures do worse. "
        f"{'Grey' if len(names) > MANY else 'Hatched'}: {int(np.count_nonzero(np.triu(unsure)))} pairs whose interval "
        f"holds 0, or that have none. {_LIMITS[part]} {style.interval_sentence(list(parts.values()), matrix.BESIDE)}"
        f"{matrix.thinned(len(names))}"
    )
    alt = (
        f"Heat map of {part} of {len(parts)} pairs; from {style.number(parts[low].value)} ({low[0]} and {low[1]}) "
        f"to {style.number(parts[high].value)} ({high[0]} and {high[1]})."
    )
    rows = [(a, b, part, *one.cells()) for (a, b), one in parts.items() if math.isfinite(one.value)]
    return finish(made, Table.of(("a", "b", "part", "value", "low", "high"), rows), caption, alt)


def _cells(parts: Mapping[Pair, Estimate], names: Sequence[str]) -> tuple[Floats, Cells]:
    values, unsure = np.full((len(names), len(names)), np.nan), np.zeros((len(names), len(names)), dtype=np.bool_)
    for (a, b), estimate in parts.items():
        i, j = names.index(a), names.index(b)
        around = estimate.interval
        for row, column in {(i, j)} if (b, a) in parts else {(i, j), (j, i)}:
            values[row, column] = estimate.value
            unsure[row, column] = around is None or around[0] <= 0 <= around[1]
    return values, unsure
