"""Heat maps of dissimilarities and their parts, plain and relative (2025 paper, Figs. 14 and 24)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from matplotlib.colors import TwoSlopeNorm

from aiq.errors import InputError, choice
from aiq.figures import matrix, style
from aiq.figures.drawing import Drawing, as_sentence, figure, finish
from aiq.figures.matrix import MANY, Cells, Pair
from aiq.records.dissimilarity import Dissimilarity
from aiq.records.estimate import Estimate, Floats
from aiq.records.matrix import Completion, NoiseFloor, RelativePair, relative_sentence, relative_table
from aiq.records.table import Cell, Table

PARTS = {
    "signed": "the whole: straight line minus observed",
    "starvation": "what fewer samples of a domain cost it alone: straight line minus control",
    "confusion": "samples taken for the other domain's: told which domain it is from, minus observed",
    "transfer": "what the domains' samples do to each other: control minus told, negative where they help",
    "interference": "confusion and transfer together: control minus observed, negative where they help",
}
"""Part of a dissimilarity -> what it is."""
_MEANING = (
    "A dissimilarity holds what fewer samples cost each domain alone and, where domains have labels of their own, "
    "samples taken for the other domain's: domains that look alike can be further apart than unrelated ones."
)


# ---- Dissimilarities -----------------------------------------------------------------------------


@figure("dissimilarity-matrix", "domain a", "domain b", "of performance)")
def dissimilarity_matrix(
    pairs: Mapping[Pair, Dissimilarity],
    *,
    domains: Sequence[str] | None = None,
    floor: NoiseFloor | None = None,
    completion: Completion | None = None,
    note: str = "",
) -> Drawing:
    """Draw the dissimilarities of a suite as a heat map with numbers.

    More than 30 domains have no numbers in the cells, stand in an order that puts alike ones side by side, and have
    grey cells in the place of hatched ones.

    A pair measured in one order fills both of its cells; one measured in both orders has two numbers. Hatched cells
    do not tell the domains apart: the interval of the pair's signed area holds 0, or, where a pair has no interval,
    its value is at or below the noise floor.

    Args:
        pairs: what was measured, self-pairs included where they were.
        domains: order of the rows; default the order of their appearance.
        floor: noise floor of the suite, if known; its largest value is the threshold for pairs without an interval.
        completion: the matrix completed from landmarks, in the order of ``domains``; fills pairs that were
            not measured, and the completed numbers are set in italics.
        note: a sentence on what was not measured, for the caption.

    Raises:
        InputError: there is no pair, or a pair names a domain that is not among ``domains``.
    """
    if not pairs:
        raise InputError("there is no dissimilarity to be drawn; measure at least one pair of domains")
    names = matrix.names_of(pairs, domains, "a dissimilarity")
    plain = matrix.filled({pair: record.value for pair, record in pairs.items()}, names)
    values = _completed(plain, completion)
    order = matrix.order_of(values)
    names, values, measured = [names[k] for k in order], _at(values, order), np.isfinite(_at(plain, order))
    large, threshold = len(names) > MANY, None if floor is None else floor.largest
    factor, exponent = _scale(values)
    top, low = max(float(np.nanmax(values)), 1e-12) * factor, min(0.0, float(np.nanmin(values))) * factor
    colours = matplotlib.colormaps[style.SEQUENTIAL]
    figure, axes, image = matrix.heat_map(values * factor, names, colours, vmin=low, vmax=top)
    if not large:
        matrix.write_numbers(axes, image, values * factor, values * factor < (low + top) / 2, ~measured)
    words = f"dissimilarity (10{exponent} of performance)"
    matrix.colour_bar(figure, axes, image, words)
    alike = _alike(pairs, names, values, threshold)
    matrix.mark(figure, axes, alike, "not told apart from 0")
    numbers = "." if large else "; the numbers of both orders are shown where both were measured."
    caption = (
        f"{words[0].upper()}{words[1:]} of {len(names)} domains, lighter is more different{numbers}"
        f"{matrix.thinned(len(names))} {_MEANING}{as_sentence(note)} "
        f"{_alike_sentence(alike, pairs, threshold, large)}{_missing_sentence(measured, values, large)} "
        f"{style.interval_sentence([r.estimate for r in pairs.values()], matrix.BESIDE)}"
    )
    i, j = divmod(int(np.where(np.isfinite(values), values, -np.inf).argmax()), len(names))
    alt = (
        f"Heat map of dissimilarities of {len(names)} domains; the most different are {names[i]} and {names[j]} "
        f"({style.number(float(values[i, j]))})."
    )
    return finish(figure, _table(pairs, names, values, measured, alike), caption, alt)


def _at(values: Floats, order: Sequence[int]) -> Floats:
    return values[np.ix_(order, order)]


def _scale(values: Floats) -> tuple[float, str]:
    """Return by what values are multiplied in cells, and the exponent that their label has for it."""
    return (1e3, "⁻³") if float(np.nanmax(np.abs(values))) < 0.1 else (1e2, "⁻²")


def _completed(values: Floats, completion: Completion | None) -> Floats:
    if completion is None:
        return values
    if completion.matrix.shape != values.shape:
        raise InputError(f"a completed matrix of {len(completion.matrix)} domains does not fit {len(values)} domains")
    return np.where(np.isnan(values) & ~np.eye(len(values), dtype=np.bool_), completion.matrix, values)


def _alike(pairs: Mapping[Pair, Dissimilarity], names: Sequence[str], values: Floats, threshold: float | None) -> Cells:
    """Return the cells that are not told apart from 0: by the pair's interval, without one by the noise floor."""
    intervals = {pair: record.signed.interval for pair, record in pairs.items()}
    holds_0 = {pair: np.nan if around is None else _holds_0(around) for pair, around in intervals.items()}
    holds = matrix.filled(holds_0, names)
    low = np.zeros(values.shape, dtype=np.bool_) if threshold is None else values <= threshold
    return np.where(np.isnan(holds), low, holds == 1)


def _alike_sentence(cells: Cells, pairs: Mapping[Pair, Dissimilarity], threshold: float | None, large: bool) -> str:
    off = int((cells & ~np.eye(len(cells), dtype=np.bool_)).sum())
    rest, floor = "", "The noise floor was not measured (no self-pairs)."
    if threshold is not None:
        floor = f"The noise floor, the largest dissimilarity of a domain with itself, is {style.number(threshold)}."
        if any(record.signed.interval is None for record in pairs.values()):
            rest = " or, without an interval, the value is at or below the noise floor"
    return (
        f"{'Grey' if large else 'Hatched'}: not told apart from 0, the interval of the signed area holds 0{rest} "
        f"({off} cells off the diagonal). {floor}"
    )


def _missing_sentence(measured: Cells, values: Floats, large: bool) -> str:
    completed, unknown = int((np.isfinite(values) & ~measured).sum()), int(np.isnan(values).sum())
    how = ("", "white cells") if large else (" in italics", "cells with a dash")
    parts = [f"{completed} cells{how[0]} are completed from landmarks"] if completed else []
    parts += [f"{unknown} {how[1]} were not measured"] if unknown else []
    return f" {'; '.join(parts).capitalize()}." if parts else ""


def _table(
    pairs: Mapping[Pair, Dissimilarity], names: Sequence[str], values: Floats, measured: Cells, alike: Cells
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for i, j in np.argwhere(np.isfinite(values)):
        record = pairs.get((names[i], names[j])) or pairs.get((names[j], names[i]))
        low, high = (record.estimate.interval if record is not None else None) or (None, None)
        rows.append((names[i], names[j], float(values[i, j]), low, high, bool(measured[i, j]), not alike[i, j]))
    return Table.of(("a", "b", "dissimilarity", "low", "high", "measured", "told_apart"), rows)


# ---- Their parts -------------------------------------------------------------------------------


_LIMITS = {
    "signed": "It holds starvation too: unrelated domains lose by having fewer samples each.",
    "starvation": "It says how the domains learn at these numbers of samples, nothing about how they are related.",
    "confusion": "It is large where samples look alike and labels are apart: it is no sign of being different.",
    "transfer": "It hangs on the numbers of samples and on the network.",
    "interference": "With labels apart it holds confusion: domains whose samples look alike seem to do harm.",
}


def estimate_of(record: Dissimilarity, part: str) -> Estimate | None:
    """Return one part of a dissimilarity, None where it was not measured."""
    if part == "signed":
        return record.signed
    measured = None if record.parts is None else getattr(record.parts, part)
    return None if measured is None else measured.estimate


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
    if part not in PARTS:
        raise InputError(choice("the part of the dissimilarities", part, PARTS))
    parts = {pair: estimate for pair, record in pairs.items() if (estimate := estimate_of(record, part)) is not None}
    if not parts:
        raise InputError(
            f"no pair has a value of {part}; measure controls, and mixtures when told, or draw another part"
        )
    names = matrix.names_of(parts, domains, "a dissimilarity")
    whole = matrix.filled({pair: pairs[pair].value for pair in parts}, names)
    names = [names[k] for k in matrix.order_of(whole)]
    values = matrix.filled({pair: estimate.value for pair, estimate in parts.items()}, names)
    unknown = {pair: estimate.interval is None or _holds_0(estimate.interval) for pair, estimate in parts.items()}
    unsure = matrix.filled(unknown, names) == 1
    factor, exponent = _scale(values)
    words = f"{part} (10{exponent} of performance)"
    top = max(float(np.nanmax(np.abs(values))), 1e-12) * factor
    colours, scale = matplotlib.colormaps["PuOr_r"], TwoSlopeNorm(0.0, -top, top)
    figure, axes, image = matrix.heat_map(values * factor, names, colours, extra=0.75, norm=scale)
    if len(names) <= MANY:
        matrix.write_numbers(axes, image, values * factor, np.abs(values * factor) > 0.62 * top)
    matrix.colour_bar(figure, axes, image, words)
    matrix.mark(figure, axes, unsure, "sign not known", style.GREY, 0.6)
    low, high = (choose(parts, key=lambda pair: parts[pair].value) for choose in (min, max))
    caption = (
        f"{words[0].upper()}{words[1:]} of {len(parts)} pairs: {PARTS[part]}. Above 0 mixtures do worse. "
        f"{'Grey' if len(names) > MANY else 'Hatched'}: {int(np.count_nonzero(np.triu(unsure)))} pairs whose interval "
        f"holds 0, or that have none. {_LIMITS[part]} {style.interval_sentence(list(parts.values()), matrix.BESIDE)}"
        f"{matrix.thinned(len(names))}"
    )
    alt = (
        f"Heat map of {part} of {len(parts)} pairs; from {style.number(parts[low].value)} ({low[0]} and {low[1]}) "
        f"to {style.number(parts[high].value)} ({high[0]} and {high[1]})."
    )
    rows = [(a, b, part, *estimate.cells()) for (a, b), estimate in parts.items() if math.isfinite(estimate.value)]
    return finish(figure, Table.of(("a", "b", "part", "value", "low", "high"), rows), caption, alt)


def _holds_0(interval: tuple[float, float]) -> bool:
    return interval[0] <= 0 <= interval[1]


# ---- Relative dissimilarities --------------------------------------------------------------------


@figure("relative-matrix", "domain a", "domain b", "relative dissimilarity")
def relative_matrix(pairs: Sequence[RelativePair], *, domains: Sequence[str] | None = None) -> Drawing:
    """Draw the relative dissimilarities of a suite as a heat map with numbers; a question mark where one is undefined.

    More than 30 domains have no numbers in the cells and stand in an order that puts alike ones side by side. Pairs are
    given once; those of a domain with itself are 0 by definition and not drawn.

    Raises:
        InputError: there is no pair, or a pair names a domain that is not among ``domains``.
    """
    if not pairs:
        raise InputError("there is no relative dissimilarity to be drawn; measure at least one pair against twins")
    names = matrix.names_of([(pair.a, pair.b) for pair in pairs], domains, "a pair")
    values = matrix.filled({(pair.a, pair.b): pair.relative.estimate.value for pair in pairs}, names)
    values[np.eye(len(names), dtype=np.bool_) & np.isnan(values)] = 0.0
    order = matrix.order_of(values)
    names, values = [names[k] for k in order], _at(values, order)
    figure, axes, image = matrix.heat_map(values, names, matplotlib.colormaps["PuOr_r"], vmin=0, vmax=2)
    for pair in pairs if len(names) <= MANY else ():
        i, j = names.index(pair.a), names.index(pair.b)
        value = pair.relative.estimate.value
        text = "?" if pair.relative.undefined else f"{value:.2f}".replace("-", "−")
        for row, column in {(i, j), (j, i)}:
            matrix.write(axes, row, column, text, "white" if abs(value - 1) > 0.6 else style.BLACK)
    meaning = "relative dissimilarity\n0 not told apart, 1 unrelated, above 1 contradictory"
    matrix.colour_bar(figure, axes, image, meaning, ticks=[0, 1, 2])
    numbers = relative_table(pairs)
    caption = (
        f"Relative dissimilarity of {len(names)} domains: the departure of a pair over that of twins, which are as "
        "hard and unrelated. 0: not told apart at this budget; 1: unrelated; above 1: the same inputs ask for other "
        f"answers. No other domain of the suite enters. {relative_sentence(numbers)}{matrix.thinned(len(names))}"
    )
    alt = f"Heat map of relative dissimilarities of {len(names)} domains. {relative_sentence(numbers)}"
    return finish(figure, numbers, caption, alt)
