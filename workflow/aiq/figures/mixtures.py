"""Performance on mixtures of two domains (Figs. 3, 11 and 12 of the 2025 paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.special import stdtrit

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, as_sentence, finish, written
from aiq.figures.parts import MEANING, draw_sum, estimate_of, fill_parts, known_parts
from aiq.records.arrays import Floats, read_only
from aiq.records.dissimilarity import Dissimilarity
from aiq.records.table import Cell, Table

Pair = tuple[str, str]

_COLUMNS = (
    "a", "b", "p", "observed", "observed_low", "observed_high", "line", "dissimilarity", "dissimilarity_low",
    "dissimilarity_high", "chosen", "control", "told", "signed", "signed_low", "signed_high",
)  # fmt: skip
_ASIDE = 0.014


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
        """Refuse curves at other proportions."""
        object.__setattr__(self, "repetitions", read_only(self.repetitions))
        points = self.dissimilarity.proportions.size
        if self.repetitions.ndim != 2 or self.repetitions.shape[1] != points:
            raise ValueError(f"curves of shape {self.repetitions.shape} do not fit {points} proportions")

    @classmethod
    def of(cls, a: str, b: str, dissimilarity: Dissimilarity, repetitions: npt.ArrayLike | None = None) -> MixturePair:
        """Make one from anything that numpy reads, or without the single repetitions."""
        points = dissimilarity.proportions.size
        return cls(a, b, dissimilarity, read_only(np.empty((0, points)) if repetitions is None else repetitions))

    @property
    def complete(self) -> Floats:
        """The repetitions without a failed training, shape (R', P); ends that the domains share may be NaN."""
        error = self.dissimilarity.error
        asked = self.repetitions[:, 1:-1] if error is not None and error.shared else self.repetitions
        return np.asarray(self.repetitions[np.isfinite(asked).all(axis=1)])

    def band(self) -> tuple[Floats, Floats] | None:
        """Return Student's interval of the mean of V_O at each proportion, cut to [0, 1], or None.

        From the record's errors at each proportion; where it has none, from the repetitions.
        """
        record = self.dissimilarity
        if record.error is not None and record.point_errors.size:
            df = min(record.error.df, record.error.df_a, record.error.df_b, 1e6)
            reach = stdtrit(df, (1 + record.signed.confidence) / 2) * record.point_errors
            return np.clip(record.observed - reach, 0, 1), np.clip(record.observed + reach, 0, 1)
        curves = self.complete
        count = curves.shape[0]
        if count < 2:
            return None
        factor = stdtrit(count - 1, (1 + self.dissimilarity.estimate.confidence) / 2)  # Student's quantile
        error = factor * curves.std(axis=0, ddof=1) / np.sqrt(count)
        mean = self.dissimilarity.observed
        return np.clip(mean - error, 0, 1), np.clip(mean + error, 0, 1)


@style.styled
@written("proportion p of", "performance on the mixture", "straight line", "observed")
def mixture_curve(pair: MixturePair, *, ends: tuple[float, float] | None = None, note: str = "") -> Drawing:
    """Draw the observed performance of one pair at each proportion, the straight line and the area between.

    Where controls or performances when told were measured, the areas of starvation, confusion and transfer are
    filled between their curves, and stand below with their intervals.

    Args:
        pair: the dissimilarity with its curves.
        ends: ends of the performance axis, the same for all pairs of a suite (:func:`mixture_ends`); None takes those
            of the pair.
        note: a sentence on what was not measured, for the caption.
    """
    record = pair.dissimilarity
    parted = bool(known_parts(record))
    figure = style.new_figure(style.SINGLE, 5.2 if parted else 3.2)
    if parted:
        axes, below = figure.subplots(2, 1, height_ratios=[3, 1])
        fill_parts(axes, record)
        draw_sum(below, record)
    else:
        axes = figure.subplots()
        axes.fill_between(
            record.proportions, record.observed, record.line, color=style.PALE, linewidth=0,
            label="area: dissimilarity DS",
        )  # fmt: skip
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
    axes.set_ylim(*(ends or _range([pair], least=0.02)))
    axes.set_title(f"{pair.a} and {pair.b}\n{_words(record)}")
    axes.set_xlabel(f"proportion p of {pair.a}")
    axes.set_ylabel("performance on the mixture")
    style.legend_below(figure, axes, columns=2 if parted else 1)
    caption = (
        f"Mixtures of {pair.a} (proportion p) and {pair.b} (1 − p): performance of policies trained from scratch at "
        f"each p, mean over {record.n} repetitions{_failed(record)}; the dissimilarity is the shaded area between it "
        f"and the straight line, {_words(record)}. {style.interval_sentence([record.estimate])} "
        f"{_signed(record)} {_parts(record)}"
        f"Intervals of the curve are Student's over the repetitions. {_axis(ends)}"
        f"{as_sentence(note)}"
    )
    return finish(figure, _table([pair]), caption, f"Mixtures of {pair.a} and {pair.b}: {_words(record)}.")


@style.styled
@written("domain a", "domain b", "straight line", "observed")
def mixture_overview(pairs: Mapping[Pair, Dissimilarity] | list[MixturePair]) -> Drawing:
    """Draw the mixture curves of all pairs in one square of small pictures, domain a down, domain b across.

    All small pictures share the performance axis, whose ends stand in the caption and the corner.

    Args:
        pairs: the pairs that were measured, with or without their repetitions; self-pairs and both
            orders of a pair are shown where given.

    Raises:
        InputError: there is no pair.
    """
    entries = [MixturePair.of(a, b, r) for (a, b), r in pairs.items()] if isinstance(pairs, Mapping) else list(pairs)
    if not entries:
        raise InputError("there is no pair whose mixtures could be drawn; measure at least one")
    names = list(dict.fromkeys(name for entry in entries for name in (entry.a, entry.b)))
    low, high = _range(entries, least=0.02)
    side = style.SINGLE if len(names) <= 3 else style.DOUBLE
    figure = style.new_figure(side, side)
    axes = figure.subplots()
    small = (side - 1.1) / len(names) < 0.5
    for index, entry in enumerate(entries):
        corner = names.index(entry.b), names.index(entry.a)
        _thumbnail(axes, entry, corner, (low, high), numbered=not small, labelled=index == 0)
    axes.set_xlim(0, len(names))
    axes.set_ylim(len(names), 0)
    axes.set_aspect("equal")
    axes.xaxis.tick_top()
    axes.yaxis.tick_right()
    axes.set_xticks(np.arange(len(names)) + 0.5, names, rotation=45, ha="left", rotation_mode="anchor")
    axes.set_yticks(np.arange(len(names)) + 0.5, names)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("domain b (left edge of a cell: only b, p = 0)")
    axes.xaxis.set_label_position("top")
    axes.yaxis.set_label_position("right")
    axes.set_ylabel("domain a (right edge of a cell: only a, p = 1)")
    _key(figure, axes, f"performance from {low:.2f} (bottom)\nto {high:.2f} (top) in every cell", entries, names)
    caption = (
        f"Mixture curves of {len(entries)} pairs of {len(names)} domains on one performance axis (its ends stand in "
        "the key), proportions p of a from 0 (left) to 1 (right). Grey: the area that is the dissimilarity"
        f"{'' if small else ', its value in the cell'}. The table beside the figure holds the intervals."
    )
    largest = max(entries, key=lambda entry: entry.dissimilarity.value)
    alt = (
        f"Mixture curves of {len(entries)} pairs; the largest dissimilarity is that of {largest.a} and {largest.b}, "
        f"{_words(largest.dissimilarity)}."
    )
    return finish(figure, _table(entries), caption, alt)


def _key(figure: Figure, axes: Axes, scale: str, entries: list[MixturePair], names: list[str]) -> None:
    """Put the legend into the empty corner below the diagonal where there is room, else under the figure."""
    below = any(names.index(entry.a) > names.index(entry.b) for entry in entries)
    if below or len(names) < 6:
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=1 if len(names) <= 3 else 3, title=scale)
    else:
        axes.legend(loc="lower left", title=scale, alignment="left", title_fontsize=style.SMALL)


def _thumbnail(
    axes: Axes, entry: MixturePair, corner: tuple[int, int], span: tuple[float, float], numbered: bool, labelled: bool
) -> None:
    """Draw one pair into the unit square at ``corner`` (column, row) of an axes whose y axis points down."""
    margin = 0.07
    record = entry.dissimilarity

    def down(values: Floats) -> Floats:
        share = (values - span[0]) / (span[1] - span[0])
        return np.asarray(corner[1] + 1 - margin - (1 - 2 * margin) * share)

    across = corner[0] + margin + (1 - 2 * margin) * record.proportions
    frame = np.array([[margin, margin], [1 - margin, margin], [1 - margin, 1 - margin], [margin, 1 - margin]])
    axes.fill(*(frame + corner).T, facecolor="none", edgecolor=style.PALE, linewidth=0.6)
    words = ("dissimilarity (area)", "straight line $V_d$", "observed $V_O$")
    labels = words if labelled else (None, None, None)
    axes.fill_between(
        across, down(record.observed), down(record.line), color=style.GREY, alpha=0.45, linewidth=0, label=labels[0]
    )
    axes.plot(across, down(record.line), "--", color=style.BLACK, linewidth=0.6, label=labels[1])
    axes.plot(across, down(record.observed), "-", color=style.BLUE, linewidth=1.0, label=labels[2])
    if numbered:
        top = min(down(record.observed).min(), down(record.line).min()) - corner[1] < 0.36
        place = corner[1] + (1 - margin - 0.03 if top else margin + 0.03)
        axes.text(
            corner[0] + 0.5, place, f"{record.value:.4f}", fontsize=style.SMALL, ha="center",
            va="bottom" if top else "top",
        )  # fmt: skip


def mixture_ends(pairs: Sequence[MixturePair]) -> tuple[float, float]:
    """Return the ends of a performance axis on which the curves of all pairs fit.

    Raises:
        InputError: there is no pair.
    """
    if not pairs:
        raise InputError("there is no pair whose mixtures could be drawn; measure at least one")
    return _range(list(pairs), least=0.02)


def _axis(ends: tuple[float, float] | None) -> str:
    """Return the sentence on the performance axis."""
    if ends is None:
        return "The performance axis does not start at 0."
    return f"The performance axis is the same for all pairs, from {ends[0]:.2f} to {ends[1]:.2f}."


def _range(pairs: list[MixturePair], least: float) -> tuple[float, float]:
    """Return the ends of the performance axis: all curves fit, at least ``least`` apart, inside [0, 1] by a margin."""
    values = np.concatenate(
        [
            np.concatenate(
                [p.dissimilarity.observed, p.dissimilarity.line, p.complete.ravel()]
                + [c for c in (_known(p.dissimilarity, "control"), _known(p.dissimilarity, "told")) if c is not None]
            )
            for p in pairs
        ]
    )
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    middle, half = (low + high) / 2, max(high - low, least) / 2
    return max(-0.02, middle - 1.15 * half), min(1.02, middle + 1.15 * half)


def _words(record: Dissimilarity) -> str:
    """Return the chosen value with its interval."""
    kind = "" if record.chosen == "plain" else f" ({record.chosen})"
    return f"DS = {style.estimate_words(record.estimate)}{kind}"


def _signed(record: Dissimilarity) -> str:
    """Return the sentence on the signed area, and on what an area that crosses the line cannot tell."""
    crosses = " The curve crosses the line, so noise adds to the dissimilarity." if record.crosses else ""
    return f"Signed area (above 0: mixtures do worse): {style.estimate_words(record.signed)}.{crosses}"


def _parts(record: Dissimilarity) -> str:
    """Return the sentence on what the area is made of, or nothing."""
    words = []
    for name in known_parts(record):
        found = estimate_of(record, name)
        if found is not None:
            words.append(f"{name} {style.estimate_words(found)} ({MEANING[name]})")
    whole = " They add up to the signed area; where areas of two signs overlap, they cancel." if len(words) > 1 else ""
    return f"Made of {'; '.join(words)}.{whole} " if words else ""


def _failed(record: Dissimilarity) -> str:
    """Return how many repetitions failed, if any."""
    return f" ({record.n_failed} more failed and count for nothing)" if record.n_failed else ""


def _table(pairs: list[MixturePair]) -> Table:
    """Return one row per pair and proportion."""
    rows: list[tuple[Cell, ...]] = []
    for pair in pairs:
        record, band = pair.dissimilarity, pair.band()
        for k, p in enumerate(record.proportions):
            around = (None, None) if band is None else (float(band[0][k]), float(band[1][k]))
            curve = (float(p), float(record.observed[k]), *around, float(record.line[k]))
            made_of = [None if c is None else float(c[k]) for c in (_known(record, "control"), _known(record, "told"))]
            values = (*style.interval_cells(record.estimate), record.chosen)
            rows.append((pair.a, pair.b, *curve, *values, *made_of, *style.interval_cells(record.signed)))
    return Table.of(_COLUMNS, rows)


def _known(record: Dissimilarity, curve: str) -> Floats | None:
    """Return the control or the told curve, if it was measured."""
    found: Floats | None = None if record.parts is None else getattr(record.parts, curve)
    return found
