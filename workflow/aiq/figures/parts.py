"""What dissimilarities are made of: starvation, confusion and transfer, of one pair and of a whole suite."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm
from matplotlib.image import AxesImage
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from aiq.errors import InputError, choice
from aiq.figures import many, style
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.arrays import Floats
from aiq.records.dissimilarity import Dissimilarity
from aiq.records.estimate import Estimate
from aiq.records.table import Cell, Table

Pair = tuple[str, str]

PARTS = ("signed", "starvation", "confusion", "transfer", "interference")
MEANING = {
    "signed": "the whole: straight line minus observed",
    "starvation": "what fewer samples of a domain cost it alone: straight line minus control",
    "confusion": "samples taken for the other domain's: told which domain it is from, minus observed",
    "transfer": "what the domains' samples do to each other: control minus told, negative where they help",
    "interference": "confusion and transfer together: control minus observed, negative where they help",
}
COLOURS = {"starvation": style.ORANGE, "confusion": style.SKY, "transfer": style.PURPLE, "interference": style.PURPLE}
HATCHES = {"starvation": "////", "confusion": "....", "transfer": "\\\\\\\\", "interference": "\\\\\\\\"}
_DIVERGING = "PuOr_r"
_ONE_DECIMAL_UP_TO = 12


def estimate_of(record: Dissimilarity, part: str) -> Estimate | None:
    """Return one part of a dissimilarity, None where it was not measured."""
    if part == "signed":
        return record.signed
    found = None if record.parts is None else getattr(record.parts, part)
    return None if found is None else found.estimate


def known_parts(record: Dissimilarity) -> list[str]:
    """Return the parts that add up to the signed area as far as they are known, in the order of the curves."""
    names = [name for name in ("starvation", "confusion", "transfer") if estimate_of(record, name) is not None]
    if "transfer" not in names and "starvation" in names:
        names = ["starvation", "interference"]
    return names


def fill_parts(axes: Axes, record: Dissimilarity) -> None:
    """Fill the areas between line, control, told and observed, each with a colour and a hatching of its own."""
    curves = _curves(record)
    between = {
        "starvation": ("line", "control"), "confusion": ("told", "observed"), "transfer": ("control", "told"),
        "interference": ("control", "observed"),
    }  # fmt: skip
    for name in known_parts(record):
        upper, lower = (curves[which] for which in between[name])
        axes.fill_between(
            record.proportions, upper, lower, facecolor=COLOURS[name], alpha=0.4, hatch=HATCHES[name],
            edgecolor=style.GREY, linewidth=0, label=name,
        )  # fmt: skip
    if "control" in curves:
        axes.plot(record.proportions, curves["control"], "-.s", color=style.BLACK, markersize=2.5, linewidth=0.9,
                  label="control (alone)")  # fmt: skip
    if "told" in curves:
        axes.plot(record.proportions, curves["told"], ":^", color=style.GREEN, markersize=3, label="told")


def _curves(record: Dissimilarity) -> dict[str, Floats]:
    """Return the mean curves that are known."""
    found = {"line": record.line, "observed": record.observed}
    if record.parts is not None and record.parts.control is not None:
        found["control"] = record.parts.control
    if record.parts is not None and record.parts.told is not None:
        found["told"] = record.parts.told
    return found


def draw_sum(axes: Axes, record: Dissimilarity) -> None:
    """Draw the parts and their sum as points with intervals about 0, one below the other."""
    names = [*known_parts(record), "signed"]
    estimates = [found for name in names if (found := estimate_of(record, name)) is not None]
    places = -np.arange(len(names), dtype=np.float64)
    style.interval_bars(axes, "x", estimates, places)
    for place, name, estimate in zip(places, names, estimates, strict=True):
        ink = COLOURS.get(name, style.BLUE)
        axes.barh(
            place, estimate.value, height=0.55, color=ink, alpha=0.55, hatch=HATCHES.get(name, ""),
            edgecolor=style.GREY, linewidth=0.4,
        )  # fmt: skip
    axes.axvline(0, color=style.BLACK, linewidth=0.6)
    axes.set_yticks(places, [*names[:-1], "signed (sum)" if len(names) == 4 or "interference" in names else "signed"])
    axes.set_ylim(places[-1] - 0.6, 0.6)
    axes.xaxis.set_major_locator(
        MaxNLocator(4, steps=[1, 2, 5, 10], min_n_ticks=3)
    )  # numbers of four decimals keep apart
    axes.set_xlabel("area (performance)\nabove 0: mixtures do worse")


@style.styled
@written("domain a", "domain b", "transfer (10", "of performance)", "sign not known")
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
    if part not in PARTS:
        raise InputError(choice("the part of the dissimilarities", part, PARTS))
    found = {pair: estimate for pair, record in pairs.items() if (estimate := estimate_of(record, part)) is not None}
    if not found:
        raise InputError(
            f"no pair has a value of {part}; measure controls, and mixtures when told, or draw another part"
        )
    names = list(domains) if domains is not None else list(dict.fromkeys(name for pair in found for name in pair))
    stranger = next((name for pair in found for name in pair if name not in names), None)
    if stranger is not None:
        raise InputError(f"a dissimilarity was measured with {stranger!r}, which is not among {', '.join(names)}")
    values, unsure = _matrix(found, names)
    large = len(names) > many.MANY
    if large:
        whole = {pair: record.estimate for pair, record in pairs.items()}
        order = many.seriation(_matrix(whole, names)[0])
        names = [names[k] for k in order]
        values, unsure = values[np.ix_(order, order)], unsure[np.ix_(order, order)]
    factor = 1e3 if float(np.nanmax(np.abs(values))) < 0.1 else 1e2
    words = f"{part} (10{'⁻³' if factor == 1e3 else '⁻²'} of performance)"
    side = min(style.DOUBLE, max(style.SINGLE, 0.5 * len(names) + 1.8))
    figure = style.new_figure(side, 0.82 * side + 0.75, square=True)
    axes = figure.subplots()
    top = max(float(np.nanmax(np.abs(values))), 1e-12) * factor
    image = axes.imshow(
        values * factor, cmap=matplotlib.colormaps[_DIVERGING].with_extremes(bad="white"),
        norm=TwoSlopeNorm(0.0, -top, top), interpolation="nearest",
    )  # fmt: skip
    if large:
        mark = many.veil(axes, unsure == 1, "sign not known")
    else:
        _numbers(axes, image, values * factor, top)
        mark = _hatch(axes, unsure)
    many.name_axes(axes, names)
    bar = figure.colorbar(image, ax=axes, shrink=0.8, label=words)
    bar.outline.set_visible(False)
    if np.any(unsure == 1):
        figure.legend(handles=[mark], loc="outside lower center")
    caption = _caption(part, words, found, unsure)
    if large:
        caption = caption.replace(" Hatched: ", " Grey: ") + many.thinned(len(names))
    return finish(figure, _table(found, part), caption, _alt(part, found))


def _matrix(found: Mapping[Pair, Estimate], names: Sequence[str]) -> tuple[Floats, Floats]:
    """Return values (n, n), NaN where unknown, and 1 where the sign is not known."""
    values, unsure = (np.full((len(names), len(names)), np.nan) for _ in range(2))
    for (a, b), estimate in found.items():
        i, j = names.index(a), names.index(b)
        around = estimate.interval
        for row, column in ((i, j), (j, i)):
            if (row, column) == (j, i) and (b, a) in found and a != b:
                continue
            values[row, column] = estimate.value
            unsure[row, column] = float(around is None or around[0] <= 0 <= around[1])
    return values, unsure


def _numbers(axes: Axes, image: AxesImage, values: Floats, top: float) -> None:
    """Write the value into each cell, white on the dark ends of the colours; a dash where nothing is known."""
    decimals = 1 if len(values) <= _ONE_DECIMAL_UP_TO else 0
    for (i, j), value in np.ndenumerate(values):
        known = bool(np.isfinite(value))
        text = f"{round(float(value), decimals) + 0.0:.{decimals}f}".replace("-", "−") if known else "–"
        ground = {"facecolor": image.to_rgba(float(value)), "linewidth": 0, "pad": 1.2} if known else None
        axes.text(
            j, i, text, ha="center", va="center", fontsize=style.SMALL, bbox=ground, zorder=4,
            color="white" if known and abs(value) > 0.62 * top else style.BLACK,
        )  # fmt: skip


def _hatch(axes: Axes, unsure: Floats) -> Patch:
    """Hatch the cells whose sign is not known; return their key."""
    for i, j in np.argwhere(unsure == 1):
        axes.bar(
            j, 0.94, width=0.94, bottom=i - 0.47, facecolor="none", edgecolor=style.GREY, hatch="////",
            linewidth=0.6, zorder=3,
        )  # fmt: skip
    return Patch(facecolor="white", edgecolor=style.GREY, hatch="////", linewidth=0.8, label="sign not known")


def _caption(part: str, words: str, found: Mapping[Pair, Estimate], unsure: Floats) -> str:
    """Return what is shown and what it cannot tell."""
    hatched = int(np.count_nonzero(np.triu(unsure == 1)))
    shown = style.interval_sentence(list(found.values())).replace(
        "Bars and brackets are", "The table beside the figure holds"
    )
    limits = {
        "signed": "It holds starvation too: unrelated domains lose by having fewer samples each.",
        "starvation": "It says how the domains learn at these numbers of samples, nothing about how they are related.",
        "confusion": "It is large where samples look alike and labels are apart: it is no sign of being different.",
        "transfer": "It hangs on the numbers of samples and on the network.",
        "interference": "With labels apart it holds confusion: domains whose samples look alike seem to do harm.",
    }
    return (
        f"{words[0].upper()}{words[1:]} of {len(found)} pairs: {MEANING[part]}. Above 0 mixtures do worse. Hatched: "
        f"{hatched} pairs whose interval holds 0, or that have none. {limits[part]} {shown}"
    )


def _alt(part: str, found: Mapping[Pair, Estimate]) -> str:
    """Return which pairs stand at the ends."""
    low, high = (choose(found, key=lambda pair: found[pair].value) for choose in (min, max))
    return (
        f"Heat map of {part} of {len(found)} pairs; from {style.number(found[low].value)} ({low[0]} and {low[1]}) "
        f"to {style.number(found[high].value)} ({high[0]} and {high[1]})."
    )


def _table(found: Mapping[Pair, Estimate], part: str) -> Table:
    known = {pair: estimate for pair, estimate in found.items() if math.isfinite(estimate.value)}
    rows: list[tuple[Cell, ...]] = [(a, b, part, *style.interval_cells(one)) for (a, b), one in known.items()]
    return Table.of(("a", "b", "part", "value", "low", "high"), rows)
