"""Numbers of each domain: complexity (2025 paper, Figs. 16 and 23), also beside entropy; a baseline's performance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from aiq.errors import InputError, choice
from aiq.figures import style
from aiq.figures.drawing import Drawing, as_sentence, figure, finish, place_labels, unnamed
from aiq.records.complexity import BestOfK, Complexity
from aiq.records.domains import Entropy
from aiq.records.estimate import Estimate, Floats, cells
from aiq.records.table import Table, bounds, counted

# ---- Complexity ----------------------------------------------------------------------------------


@figure("complexity-values", "MCCP complexity", "bits: log₂ parameters × performance")
def complexity_values(complexities: Mapping[str, Complexity], *, unit: str = "log2") -> Drawing:
    """Draw the complexity of each domain with its interval, in the order given.

    Of more than 60 domains, 60 are drawn that are evenly spread from the least to the most complex; the table has all.
    MCCP@k is a bar made of base and excess with the paper's minimum as a mark, and the relative excess stands beside
    it. Where the paper's minimum was asked for, or a pool has too few policies, the values are dots.

    Raises:
        InputError: there is no domain, or the unit is unknown.
    """
    names, records = list(complexities), list(complexities.values())
    parts = [record.best_of_k for record in records if record.best_of_k is not None]
    if not records or len(parts) < len(records) or any(record.estimator == "minimum" for record in records):
        values = {name: record.estimate for name, record in complexities.items()}
        hollow = {name: record.mostly_extrapolated for name, record in complexities.items()}
        label = f"MCCP complexity ({style.complexity_units(unit)})"
        caption = (
            f"{label} of {counted(len(names), 'domain')}: the smallest of all policies, which falls as the pool grows, "
            f"whatever the domain. {style.interval_sentence(list(values.values()))} They do not cover what a larger "
            "pool would give."
        )
        return _dots(values, label, "complexity", caption, hollow, "more than half extrapolated")
    drawn = style.evenly([part.estimate.value for part in parts], style.ROWS)
    figure = style.new_figure(style.DOUBLE, 0.26 * len(drawn) + 1.5)
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(2, 1))
    rows = style.name_rows(left, [names[k] for k in drawn], 0.6)
    _bars(left, rows, [records[k] for k in drawn], [parts[k] for k in drawn], unit)
    relative = [parts[k].relative_excess for k in drawn]
    style.grid(right, "x")
    style.interval_bars(right, "x", relative, rows)
    right.plot([e.value for e in relative], rows, "o", color=style.BLUE, zorder=3)
    right.set_xlim(-0.03, 1.03)
    right.set_xlabel("relative excess\n(0 any policy does it, 1 none)")
    right.tick_params(axis="y", length=0, labelleft=False)
    _legend(figure, [records[k] for k in drawn], ", ".join(map(str, sorted({parts[k].k for k in drawn}))))
    words = "; ".join(
        f"{name} {style.number(part.estimate.value)} (base {style.number(part.base.value)}, relative excess "
        f"{style.number(part.relative_excess.value)})"
        for name, part in zip(names, parts, strict=True)
    )
    caption = _caption(names, records, parts, unit) + style.left_out(len(drawn), len(names))
    return finish(figure, _table(names, records, parts), caption, f"Complexity by domain: {words}.")


def _bars(axes: Axes, rows: Floats, records: Sequence[Complexity], parts: Sequence[BestOfK], unit: str) -> None:
    base, total = (np.array([getattr(part, what).value for part in parts]) for what in ("base", "estimate"))
    style.grid(axes, "x")
    axes.barh(rows, base, height=0.62, color=style.PALE, zorder=1)
    look = {"color": style.SKY, "hatch": "////", "edgecolor": style.BLUE, "linewidth": 0}
    axes.barh(rows, total - base, left=base, height=0.62, zorder=1, **look)
    style.interval_bars(axes, "x", [part.estimate for part in parts], rows, style.BLACK)
    flagged = np.array([record.mostly_extrapolated for record in records])
    for chosen, mark, ink in ((~flagged, "o", style.BLUE), (flagged, "s", style.VERMILION)):
        if chosen.any():
            axes.plot(total[chosen], rows[chosen], mark, color=ink, mfc="white" if mark == "s" else ink, zorder=4)
    axes.plot([record.minimum for record in records], rows, "D", color=style.BLACK, mfc="white", ms=3.5, zorder=3)
    axes.set_xlim(0, 1.05 * axes.get_xlim()[1])
    axes.set_xlabel(style.complexity_label(unit))


def _legend(figure: Figure, records: Sequence[Complexity], k: str) -> None:
    handles: list[Line2D | Patch] = [
        Line2D([], [], color=style.BLUE, marker="o", linestyle="", label=f"MCCP@{k}"),
        Patch(facecolor=style.PALE, label="base (any policy of the pool)"),
        Patch(facecolor=style.SKY, hatch="////", edgecolor=style.BLUE, linewidth=0, label="excess"),
        Line2D([], [], color=style.BLACK, marker="D", mfc="white", ms=3.5, linestyle="", label="the paper's minimum"),
    ]
    if any(record.mostly_extrapolated for record in records):
        words = "more than half filled: no policy was found"
        handles.append(Line2D([], [], color=style.VERMILION, marker="s", mfc="white", ls="", label=words))
    figure.legend(handles=handles, loc="outside lower center", ncols=3)


def _caption(names: list[str], records: Sequence[Complexity], parts: Sequence[BestOfK], unit: str) -> str:
    k = parts[0].k
    fill = "the largest network of the pool's design" if parts[0].fill == "largest" else "a straight line"
    flagged = [name for name, record in zip(names, records, strict=True) if record.mostly_extrapolated]
    warning = f" More than half filled: {', '.join(flagged)}." if flagged else ""
    warning += as_sentence(next((part.caution for part in parts if part.caution), ""))
    start = f", from performance {parts[0].start:.3g}" if any(part.start for part in parts) else ""
    intervals = style.interval_sentence([number for part in parts for number in (part.estimate, part.relative_excess)])
    return (
        f"MCCP complexity ({style.complexity_units(unit)}) of {counted(len(names), 'domain')} as the expected smallest "
        f"of k = {k} policies (MCCP@{k}), made of its base, which any policy of the pool has and which grows with the "
        f"number of inputs, and its excess. Where none of {k} reaches a performance, {fill} stands in. Beside: excess "
        f"over its largest possible value{start}. {intervals} The minimum is the smallest of "
        f"all policies; it falls with the size of the pool and has no interval that could be trusted.{warning}"
    )


def _table(names: list[str], records: Sequence[Complexity], parts: Sequence[BestOfK]) -> Table:
    columns = ("domain", "k", *bounds("complexity", "base", "excess", "relative_excess"), "minimum", "marked")
    numbers = [cells(part.estimate, part.base, part.excess, part.relative_excess) for part in parts]
    each = zip(names, records, parts, numbers, strict=True)
    return Table.of(columns, [(n, part.k, *row, r.minimum, r.mostly_extrapolated) for n, r, part, row in each])


# ---- The trained baseline ------------------------------------------------------------------------


@figure("baseline", "performance of the baseline", "trained here")
def baseline_performance(
    performances: Mapping[str, Estimate], *, trained_on: Mapping[str, str], trainings: int, lost: int = 0
) -> Drawing:
    """Draw the performance of the trained baseline on each domain.

    ``trained_on``: by domain, the one on which the baseline that played it was trained, ``trainings`` times; ``lost``
    of all trainings diverged or failed and are left out.

    Raises:
        InputError: there is no domain.
    """
    at = sorted({trained_on[name] for name in performances})
    where = f"trained on {at[0]} alone" if len(at) == 1 < len(performances) else "trained on each of them"
    caption = (
        f"Performance of the baseline, {where}, on {counted(len(performances), 'domain')}: greedy episodes of the best "
        f"checkpoint, {counted(trainings, 'training')} each. {style.interval_sentence(list(performances.values()))}"
        f"{f' Left out because they diverged or failed: {lost}.' if lost else ''}"
    )
    hollow = {name: len(at) == 1 and trained_on[name] == name for name in performances}
    label = "performance of the baseline (mean return on [0, 1])"
    return _dots(performances, label, "performance", caption, hollow, "trained here", limits=(-0.02, 1.02))


def _dots(
    values: Mapping[str, Estimate],
    label: str,
    quantity: str,
    caption: str,
    hollow: Mapping[str, bool],
    hollow_words: str,
    limits: tuple[float, float] | None = None,
) -> Drawing:
    """Draw one number a domain as a dot; hollow squares for those that are marked."""
    if not values:
        raise InputError(f"there is no domain whose {quantity} could be drawn; add at least one")
    figure = style.new_figure(1.3 * style.SINGLE, 0.2 * len(values) + 1.2)
    axes = figure.subplots()
    rows = style.name_rows(axes, list(values))
    x, marked = np.array([e.value for e in values.values()]), np.array([hollow[name] for name in values])
    style.grid(axes, "x")
    style.interval_bars(axes, "x", list(values.values()), rows)
    if (~marked).any():
        axes.plot(x[~marked], rows[~marked], "o", color=style.BLUE, label="domain", zorder=3)
    if marked.any():
        look = {"color": style.VERMILION, "mfc": "white", "label": f"domain, {hollow_words}"}
        axes.plot(x[marked], rows[marked], "s", zorder=3, **look)
    axes.set_xlim(*(limits or (0, 1.05 * axes.get_xlim()[1])))
    axes.set_xlabel(label)
    if marked.any():  # one mark alone needs no key
        style.legend_below(figure, axes, columns=2)
    numbers = [(name, *estimate.cells(), hollow[name]) for name, estimate in values.items()]
    table = Table.of(("domain", *bounds(quantity), "marked"), numbers)
    words = "; ".join(f"{name} {style.number(estimate.value)}" for name, estimate in values.items())
    return finish(figure, table, caption, f"{quantity.capitalize()} by domain: {words}.")


# ---- Complexity beside entropy -------------------------------------------------------------------


_QUANTITIES = {
    "mean": "Shannon entropy of one sample (bits)",
    "observations": "Shannon entropy of a trained agent's observations (bits)",
}
_LOGARITHMIC = 30.0  # factor between values from which on an axis is logarithmic


@figure("complexity-entropy", "(bits)", "bits: log₂ parameters × performance")
def complexity_entropy(
    complexities: Mapping[str, Complexity], entropies: Mapping[str, Entropy], *, unit: str = "log2",
    quantity: str = "mean",
) -> Drawing:  # fmt: skip
    """Draw the complexity of each domain against its entropy, both with their intervals, one picture per kind of data.

    Entropies of images, of tables and of observations are computed in different ways: they never share an axis.

    Domains without an entropy are left out and named in the caption. An axis is logarithmic where the values span more
    than a factor of 30. ``quantity``: ``mean`` (of one sample), or ``observations`` (control domains, where the
    entropies of the variables are summed, Fig. 8).

    Raises:
        InputError: no domain has both, or an option is unknown.
    """
    if quantity not in _QUANTITIES:
        raise InputError(choice("the quantity of entropy", quantity, _QUANTITIES))
    names = [name for name in complexities if name in entropies]
    if not names:
        raise InputError("no domain has both a complexity and an entropy; measure both for at least one")
    across = {name: entropies[name].mean for name in names}
    tables = {n for n in names if entropies[n].total.value == across[n].value and entropies[n].parts.size != 1}
    kind = {name: "tables" if name in tables else "images" for name in names}
    groups = {word: [name for name in names if kind[name] == word] for word in dict.fromkeys(kind.values())}
    figure = style.new_figure(min(style.DOUBLE, (0.35 + 0.9 * len(groups)) * style.SINGLE), 3.3)
    grid = figure.subplots(1, len(groups), sharey=True, squeeze=False)[0]
    for axes, (word, group) in zip(grid, groups.items(), strict=True):
        _scatter(axes, group, complexities, across)
        axes.set_title(word if len(groups) > 1 else "")
        axes.set_xlabel(_QUANTITIES[quantity].replace(" (", "\n("))
    grid[0].set_ylabel(style.complexity_label(unit))
    grid[0].set_ylim(bottom=max(0.0, grid[0].get_ylim()[0]))
    _flag_key(figure, [complexities[name].mostly_extrapolated for name in names])
    figure.draw_without_rendering()
    for axes, group in zip(grid, groups.values(), strict=True):
        points = np.array([[across[n].value, complexities[n].value] for n in group])
        bars = []
        for name, (x, y) in zip(group, points, strict=True):
            (left, right), (low, high) = across[name].interval or (x, x), complexities[name].estimate.interval or (y, y)
            bars += [np.array([[left, y], [right, y]]), np.array([[x, low], [x, high]])]
        place_labels(axes, points, group, lines=bars)
    without = ", ".join(name for name in complexities if name not in across)
    rest = f" Without an entropy: {without}." if without else ""
    apart = " Kinds of data have pictures of their own: their entropies are computed in different ways."
    caption = (
        f"Complexity ({style.complexity_units(unit)}) of {counted(len(names), 'domain')} against their "
        f"{_QUANTITIES[quantity]}{'' if quantity == 'observations' else ', labels included'}."
        f"{apart if len(groups) > 1 else ''} "
        f"{style.interval_sentence([*across.values(), *(complexities[name].estimate for name in names)])}{rest}"
        f"{unnamed(max(map(len, groups.values())))}"
    )
    columns = ("domain", "kind", *bounds("entropy", "mccp"), "mostly_extrapolated")
    rows = [
        (n, kind[n], *across[n].cells(), *complexities[n].estimate.cells(), complexities[n].mostly_extrapolated)
        for n in names
    ]
    values = "; ".join(
        f"{n} {style.number(across[n].value)} bits, MCCP {style.number(complexities[n].value)}" for n in names
    )
    return finish(figure, Table.of(columns, rows), caption, f"Complexity against entropy: {values}.")


def _scatter(
    axes: Axes, group: list[str], complexities: Mapping[str, Complexity], across: Mapping[str, Estimate]
) -> None:
    at, up = [across[name] for name in group], [complexities[name].estimate for name in group]
    x, y = (np.array([estimate.value for estimate in estimates]) for estimates in (at, up))
    flagged = np.array([complexities[name].mostly_extrapolated for name in group])
    style.grid(axes)
    style.interval_bars(axes, "x", at, y)
    style.interval_bars(axes, "y", up, x)
    axes.plot(x[~flagged], y[~flagged], "o", color=style.BLUE, zorder=3)
    axes.plot(x[flagged], y[flagged], "s", color=style.VERMILION, mfc="white", zorder=3)
    if x.min() > 0 and x.max() / x.min() > _LOGARITHMIC:
        axes.set_xscale("log")
    axes.margins(0.3, 0.16)
    axes.set_xlim(left=None if axes.get_xscale() == "log" else max(0.0, axes.get_xlim()[0]))


def _flag_key(figure: Figure, flags: list[bool]) -> None:
    if any(flags):
        words = "domain, complexity more than half extrapolated"
        plain = Line2D([], [], color=style.BLUE, marker="o", ls="", label="domain")
        hollow = Line2D([], [], color=style.VERMILION, marker="s", mfc="white", ls="", label=words)
        figure.legend(handles=[hollow] if all(flags) else [plain, hollow], loc="outside lower center", ncols=1)
