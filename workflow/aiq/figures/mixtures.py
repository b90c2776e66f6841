"""Performance on mixtures of two domains, and what their dissimilarity is made of (2025 paper, Figs. 3, 11 and 12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.dissimilarity import PARTS, estimate_of
from aiq.figures.drawing import Drawing, as_sentence, figure, finish
from aiq.records.dissimilarity import Dissimilarity
from aiq.records.estimate import Floats, freeze
from aiq.records.table import Cell, Table, bounds
from aiq.stats import student_quantile

_COLUMNS = (
    *("a", "b", "p", *bounds("observed"), "line", *bounds("dissimilarity"), "chosen", "control", "told"),
    *bounds("signed"),
)
_ASIDE = 0.014  # of the axis of proportions: single repetitions stand beside the mean
_LEAST = 0.02  # of performance, on the axis
_BETWEEN = {
    "starvation": ("line", "control"), "confusion": ("told", "observed"), "transfer": ("control", "told"),
    "interference": ("control", "observed"),
}  # fmt: skip
_COLOURS = {"starvation": style.ORANGE, "confusion": style.SKY, "transfer": style.PURPLE, "interference": style.PURPLE}
_HATCHES = {"starvation": "////", "confusion": "....", "transfer": "\\\\\\\\", "interference": "\\\\\\\\"}


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


@dataclass(frozen=True, slots=True, eq=False)
class MixturePair:
    """The dissimilarity of the pair (a, b) together with the curves from which it came.

    ``repetitions`` (R, P) is V_O of each repetition at each of the record's proportions p, the
    probability of ``a``; NaN where a training failed. R may be 0 where only the mean is known.
    """

    a: str
    b: str
    dissimilarity: Dissimilarity
    repetitions: Floats

    def __post_init__(self) -> None:
        freeze(self)
        points = self.dissimilarity.proportions.size
        if self.repetitions.ndim != 2 or self.repetitions.shape[1] != points:
            raise ValueError(f"curves of shape {self.repetitions.shape} do not fit {points} proportions")

    @classmethod
    def of(cls, a: str, b: str, dissimilarity: Dissimilarity, repetitions: npt.ArrayLike | None = None) -> MixturePair:
        """Make one from anything that numpy reads, or without the single repetitions."""
        none = np.empty((0, dissimilarity.proportions.size))
        return cls(a, b, dissimilarity, none if repetitions is None else np.asarray(repetitions))

    @property
    def complete(self) -> Floats:
        """The repetitions without a failed training, shape (R', P); ends that the domains share may be NaN."""
        error = self.dissimilarity.error
        needed = self.repetitions[:, 1:-1] if error is not None and error.shared else self.repetitions
        return np.asarray(self.repetitions[np.isfinite(needed).all(axis=1)])

    def band(self) -> tuple[Floats, Floats] | None:
        """Return Student's interval of the mean of V_O at each proportion, cut to [0, 1], or None.

        From the record's errors at each proportion; where it has none, from the repetitions.
        """
        record, curves = self.dissimilarity, self.complete
        if record.error is not None and record.point_errors.size:
            df = min(record.error.df, record.error.df_a, record.error.df_b, 1e6)
            half = student_quantile((1 + record.signed.confidence) / 2, df) * record.point_errors
        elif len(curves) < 2:
            return None
        else:
            error = curves.std(axis=0, ddof=1) / np.sqrt(len(curves))
            half = student_quantile((1 + record.estimate.confidence) / 2, len(curves) - 1) * error
        return np.clip(record.observed - half, 0, 1), np.clip(record.observed + half, 0, 1)


@figure("mixture-curve", "proportion p of", "performance on the mixture", "straight line", "observed")
def mixture_curve(pair: MixturePair, *, ends: tuple[float, float] | None = None, note: str = "") -> Drawing:
    """Draw the observed performance of one pair at each proportion, the straight line and the area between.

    Where controls or performances when told were measured, the areas of starvation, confusion and transfer are
    filled between their curves, and stand below with their intervals. ``ends`` of the performance axis are the same for
    all pairs of a suite (:func:`mixture_ends`); None takes those of the pair. ``note``: what was not measured.
    """
    record = pair.dissimilarity
    parted = bool(known_parts(record))
    figure = style.new_figure(style.SINGLE, 5.2 if parted else 3.2)
    if parted:
        axes, below = figure.subplots(2, 1, height_ratios=[3, 1])
        _fill_parts(axes, record)
        _draw_sum(below, record)
    else:
        axes = figure.subplots()
        look = {"color": style.PALE, "linewidth": 0, "label": "area: dissimilarity DS"}
        axes.fill_between(record.proportions, record.observed, record.line, **look)
    for row, curve in enumerate(pair.complete):
        label = "single repetition" if row == 0 else None
        axes.plot(record.proportions + _ASIDE, curve, ".", color=style.VERMILION, markersize=3, label=label, zorder=4)
    axes.plot(record.proportions, record.line, "--", color=style.BLACK, linewidth=1, label="straight line $V_d$")
    band = pair.band()
    if band is None:
        axes.plot(record.proportions, record.observed, "-o", color=style.BLUE, label="observed $V_O$")
    else:
        length = np.clip(np.stack([record.observed - band[0], band[1] - record.observed]), 0, None)
        words = f"observed $V_O${'' if parted else ', mean'} with {record.signed.confidence:.0%} interval"
        axes.errorbar(
            record.proportions, record.observed, yerr=length, fmt="-o", color=style.BLUE, markersize=3, capsize=1.5,
            elinewidth=0.8, label=words,
        )  # fmt: skip
    axes.set_xlim(-0.03, 1.03)
    axes.set_ylim(*(ends or mixture_ends([pair])))
    axes.set_title(f"{pair.a} and {pair.b}\n{value_words(record)}")
    axes.set_xlabel(f"proportion p of {pair.a}")
    axes.set_ylabel("performance on the mixture")
    style.legend_below(figure, axes, columns=2 if parted else 1)
    caption = _caption(pair, ends) + as_sentence(note)
    return finish(figure, mixture_table([pair]), caption, f"Mixtures of {pair.a} and {pair.b}: {value_words(record)}.")


def _fill_parts(axes: Axes, record: Dissimilarity) -> None:
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


def _draw_sum(axes: Axes, record: Dissimilarity) -> None:
    """Draw the parts and their sum as points with intervals about 0, one below the other."""
    names = [*known_parts(record), "signed"]
    estimates = [estimate_of(record, name) for name in names]
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


def mixture_ends(pairs: Sequence[MixturePair]) -> tuple[float, float]:
    """Return the ends of a performance axis on which the curves of all pairs fit, inside [0, 1] by a margin.

    Raises:
        InputError: there is no pair.
    """
    if not pairs:
        raise InputError("there is no pair whose mixtures could be drawn; measure at least one")
    curves = [curve for pair in pairs for curve in (*curves_of(pair.dissimilarity).values(), pair.complete.ravel())]
    values = np.concatenate(curves)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    middle, half = (low + high) / 2, max(high - low, _LEAST) / 2
    return max(-0.02, middle - 1.15 * half), min(1.02, middle + 1.15 * half)


def value_words(record: Dissimilarity) -> str:
    """Return the chosen value with its interval."""
    kind = "" if record.chosen == "plain" else f" ({record.chosen})"
    return f"DS = {style.estimate_words(record.estimate)}{kind}"


def _caption(pair: MixturePair, ends: tuple[float, float] | None) -> str:
    record = pair.dissimilarity
    failed = f" ({record.n_failed} more failed and count for nothing)" if record.n_failed else ""
    crosses = " The curve crosses the line, so noise adds to the dissimilarity." if record.crosses else ""
    axis = "The performance axis does not start at 0."
    if ends is not None:
        axis = f"The performance axis is the same for all pairs, from {ends[0]:.2f} to {ends[1]:.2f}."
    return (
        f"Mixtures of {pair.a} (proportion p) and {pair.b} (1 − p): performance of policies trained from scratch at "
        f"each p, mean over {record.n} repetitions{failed}; the dissimilarity is the shaded area between it "
        f"and the straight line, {value_words(record)}. {style.interval_sentence([record.estimate])} "
        f"Signed area (above 0: mixtures do worse): {style.estimate_words(record.signed)}.{crosses} {_parts(record)}"
        f"Intervals of the curve are Student's over the repetitions. {axis}"
    )


def _parts(record: Dissimilarity) -> str:
    numbers = {name: style.estimate_words(estimate_of(record, name)) for name in known_parts(record)}
    words = [f"{name} {number} ({PARTS[name]})" for name, number in numbers.items()]
    whole = " They add up to the signed area; where areas of two signs overlap, they cancel." if len(words) > 1 else ""
    return f"Made of {'; '.join(words)}.{whole} " if words else ""


def mixture_table(pairs: Sequence[MixturePair]) -> Table:
    """Return one row per pair and proportion."""
    rows: list[tuple[Cell, ...]] = []
    for pair in pairs:
        record, band, curves = pair.dissimilarity, pair.band(), curves_of(pair.dissimilarity)
        for k, p in enumerate(record.proportions):
            around = (None, None) if band is None else (float(band[0][k]), float(band[1][k]))
            made_of = [float(curves[name][k]) if name in curves else None for name in ("control", "told")]
            row = (pair.a, pair.b, float(p), float(record.observed[k]), *around, float(record.line[k]))
            rows.append((*row, *record.estimate.cells(), record.chosen, *made_of, *record.signed.cells()))
    return Table.of(_COLUMNS, rows)
