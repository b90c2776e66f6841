"""One row for each domain: its complexity (2025 paper, Figs. 16 and 23), a baseline's performance, what it counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, as_sentence, figure, finish
from aiq.records.complexity import BestOfK, Complexity
from aiq.records.estimate import Estimate, Floats, cells
from aiq.records.quotient import Scores
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
    if not records:
        raise InputError("there is no domain whose complexity could be drawn; add at least one")
    if len(parts) < len(records) or any(record.estimator == "minimum" for record in records):
        caption = (
            f"MCCP complexity ({style.complexity_units(unit)}) of {counted(len(names), 'domain')}: the smallest of all "
            "policies, which falls as the pool grows, whatever the domain. "
            f"{style.interval_sentence([record.estimate for record in records])} They do not cover what a larger pool "
            "would give."
        )
        label, flagged = f"MCCP complexity ({style.complexity_units(unit)})", "more than half extrapolated"
        hollow = {name: record.mostly_extrapolated for name, record in complexities.items()}
        values = {name: record.estimate for name, record in complexities.items()}
        return _dots(values, label, "complexity", caption, hollow, flagged)
    drawn = style.evenly([part.estimate.value for part in parts], style.ROWS)
    made = style.new_figure(style.DOUBLE, 0.26 * len(drawn) + 1.5)
    left, right = made.subplots(1, 2, sharey=True, width_ratios=(2, 1))
    rows = style.name_rows(left, [names[k] for k in drawn], 0.6)
    _bars(left, rows, [records[k] for k in drawn], [parts[k] for k in drawn], unit)
    relative = [parts[k].relative_excess for k in drawn]
    style.grid(right, "x")
    style.interval_bars(right, "x", relative, rows)
    right.plot([e.value for e in relative], rows, "o", color=style.BLUE, zorder=3)
    right.set_xlim(-0.03, 1.03)
    right.set_xlabel("relative excess\n(0 any policy does it, 1 none)")
    right.tick_params(axis="y", length=0, labelleft=False)
    _legend(made, [records[k] for k in drawn], ", ".join(map(str, sorted({parts[k].k for k in drawn}))))
    words = "; ".join(
        f"{name} {style.number(part.estimate.value)} (base {style.number(part.base.value)}, relative excess "
        f"{style.number(part.relative_excess.value)})"
        for name, part in zip(names, parts, strict=True)
    )
    caption = _caption(names, records, parts, unit) + style.left_out(len(drawn), len(names))
    return finish(made, _table(names, records, parts), caption, f"Complexity by domain: {words}.")


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


def _legend(made: Figure, records: Sequence[Complexity], k: str) -> None:
    handles: list[Line2D | Patch] = [
        Line2D([], [], color=style.BLUE, marker="o", linestyle="", label=f"MCCP@{k}"),
        Patch(facecolor=style.PALE, label="base (any policy of the pool)"),
        Patch(facecolor=style.SKY, hatch="////", edgecolor=style.BLUE, linewidth=0, label="excess"),
        Line2D([], [], color=style.BLACK, marker="D", mfc="white", ms=3.5, linestyle="", label="the paper's minimum"),
    ]
    if any(record.mostly_extrapolated for record in records):
        flag = Line2D([], [], color=style.VERMILION, marker="s", mfc="white", linestyle="")
        flag.set_label("more than half filled: no policy was found")
        handles.append(flag)
    made.legend(handles=handles, loc="outside lower center", ncols=3)


def _caption(names: list[str], records: Sequence[Complexity], parts: Sequence[BestOfK], unit: str) -> str:
    k, fill = parts[0].k, "a straight line"
    if parts[0].fill == "largest":
        fill = "the largest network of the pool's design"
    several = [number for part in parts for number in (part.estimate, part.relative_excess)]
    flagged = [name for name, record in zip(names, records, strict=True) if record.mostly_extrapolated]
    warning = f" More than half filled: {', '.join(flagged)}." if flagged else ""
    warning += as_sentence(next((part.caution for part in parts if part.caution), ""))
    start = f", from performance {parts[0].start:.3g}" if any(part.start for part in parts) else ""
    return (
        f"MCCP complexity ({style.complexity_units(unit)}) of {counted(len(names), 'domain')} as the expected smallest "
        f"of k = {k} policies (MCCP@{k}), made of its base, which any policy of the pool has and which grows with the "
        f"number of inputs, and its excess. Where none of {k} reaches a performance, {fill} stands in. Beside: excess "
        f"over its largest possible value{start}. {style.interval_sentence(several)} The minimum is the smallest of "
        f"all policies; it falls with the size of the pool and has no interval that could be trusted.{warning}"
    )


def _table(names: list[str], records: Sequence[Complexity], parts: Sequence[BestOfK]) -> Table:
    rows = []
    for name, record, part in zip(names, records, parts, strict=True):
        numbers = cells(part.estimate, part.base, part.excess, part.relative_excess)
        rows.append((name, part.k, *numbers, record.minimum, record.mostly_extrapolated))
    columns = bounds("complexity", "base", "excess", "relative_excess")
    return Table.of(("domain", "k", *columns, "minimum", "marked"), rows)


# ---- The trained baseline ------------------------------------------------------------------------


@figure("baseline", "performance of the baseline", "trained here")
def baseline_performance(
    performances: Mapping[str, Estimate], *, trained_on: Mapping[str, str], trainings: int, lost: int = 0
) -> Drawing:
    """Draw the performance of the trained baseline on each domain.

    Args:
        performances: by domain.
        trained_on: by domain, the one on which the baseline that played it was trained.
        trainings: trainings of the baseline on each domain that it is trained on.
        lost: trainings that diverged or failed, all together; they are left out.

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
    made = style.new_figure(1.3 * style.SINGLE, 0.2 * len(values) + 1.2)
    axes = made.subplots()
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
        style.legend_below(made, axes, columns=2)
    numbers = [(name, *estimate.cells(), hollow[name]) for name, estimate in values.items()]
    table = Table.of(("domain", *bounds(quantity), "marked"), numbers)
    words = "; ".join(f"{name} {style.number(estimate.value)}" for name, estimate in values.items())
    return finish(made, table, caption, f"{quantity.capitalize()} by domain: {words}.")


# ---- What each test of a suite counts in the mean over independent skills ------------------------


_PARTS = {"weight": "weight", "hardness": "hardness (relative excess)", "uniqueness": "uniqueness"}


@figure("tests", "weight", "uniqueness")
def test_weights(scores: Scores) -> Drawing:
    """Draw the weight of each test in the headline, and the two numbers that it is made of, heaviest first.

    Raises:
        InputError: the scores are of an earlier version, which knew no weights.
    """
    if scores.skills is None:
        raise InputError("these scores are of an earlier version, which knew no weights of tests; score again")
    weights = scores.skills.weights
    tests = sorted(weights.tests, key=lambda test: (-test.weight.value, test.domain))
    made = style.new_figure(style.DOUBLE, 0.28 * len(tests) + 1.2)
    axes = made.subplots(1, 3, sharey=True)
    rows = style.name_rows(axes[0], [test.domain for test in tests])
    for index, (part, (name, words)) in enumerate(zip(axes, _PARTS.items(), strict=True)):
        style.grid(part, "x")
        style.series(part, [getattr(test, name) for test in tests], rows, index)
        part.set_xlabel(words)
        part.set_xlim(left=min(0.0, part.get_xlim()[0]))
        part.locator_params(axis="x", nbins=4)
        part.tick_params(axis="y", length=0)
    why = f" There is no headline: {weights.reason}." if weights.reason else ""
    caption = (
        f"What each of {len(tests)} tests counts in the mean over independent skills, heaviest first: its weight "
        "(left; all weights add up to 1) is its hardness (middle) times its uniqueness (right, 1 for a test that is "
        f"like no other, 1/m for each of m copies), over the sum of these products. They are "
        f"{style.estimate_words(weights.independent)} independent tests. "
        f"{style.interval_sentence([test.weight for test in tests])}{why}"
    )
    alt = "; ".join(
        f"{test.domain} weight {style.number(test.weight.value)}, hardness {style.number(test.hardness.value)}, "
        f"uniqueness {style.number(test.uniqueness.value)}"
        for test in tests
    )
    numbers = [(test.domain, *cells(*(getattr(test, name) for name in _PARTS))) for test in tests]
    return finish(made, Table.of(("domain", *bounds(*_PARTS)), numbers), caption, f"Tests, heaviest first: {alt}.")
