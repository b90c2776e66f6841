"""One number for each domain with its interval: dots in rows, and the baseline's performances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.estimate import Estimate
from aiq.records.quotient import Scores
from aiq.records.table import Cell, Table

# ---- What each test of a suite counts in the mean over independent skills, and why ---------------


PARTS = (("weight", "weight"), ("hardness", "hardness (relative excess)"), ("uniqueness", "uniqueness"))


@style.styled
@written("weight", "uniqueness")
def test_weights(scores: Scores) -> Drawing:
    """Draw the weight of each test in the headline, and the two numbers that it is made of, heaviest first.

    Args:
        scores: the agents' scores over one suite, with what each test counts.

    Raises:
        InputError: the scores are of an earlier version, which knew no weights.
    """
    if scores.skills is None:
        raise InputError("these scores are of an earlier version, which knew no weights of tests; score again")
    weights = scores.skills.weights
    tests = sorted(weights.tests, key=lambda test: (-test.weight.value, test.domain))
    rows = np.arange(len(tests), dtype=np.float64)
    figure = style.new_figure(style.DOUBLE, 0.28 * len(tests) + 1.2)
    axes = figure.subplots(1, 3, sharey=True)
    for index, (part, (name, words)) in enumerate(zip(axes, PARTS, strict=True)):
        estimates = [getattr(test, name) for test in tests]
        ink = (style.BLUE, style.VERMILION, style.GREEN)[index]
        style.grid(part, "x")
        style.interval_bars(part, "x", estimates, rows, ink)
        part.plot(
            [one.value for one in estimates], rows, linestyle="", marker=style.marker(index), color=ink, markersize=5,
            mfc=ink if index == 0 else "white", zorder=3,
        )  # fmt: skip
        part.set_xlabel(words)
        part.set_xlim(left=min(0.0, part.get_xlim()[0]))
        part.locator_params(axis="x", nbins=4)
        part.tick_params(axis="y", length=0)
    axes[0].set_yticks(rows, [test.domain for test in tests])
    axes[0].set_ylim(len(tests) - 0.5, -0.5)
    number = style.estimate_words(weights.independent)
    why = f" There is no headline: {weights.reason}." if weights.reason else ""
    caption = (
        f"What each of {len(tests)} tests counts in the mean over independent skills, heaviest first: its weight "
        "(left; all weights add up to 1) is its hardness (middle) times its uniqueness (right, 1 for a test that is "
        f"like no other, 1/m for each of m copies), over the sum of these products. They are {number} independent "
        "tests. "
        f"{style.interval_sentence([test.weight for test in tests])}{why}"
    )
    alt = "Tests, heaviest first: " + "; ".join(
        f"{test.domain} weight {style.number(test.weight.value)}, hardness {style.number(test.hardness.value)}, "
        f"uniqueness {style.number(test.uniqueness.value)}"
        for test in tests
    )
    columns: list[str] = ["domain"]
    for name, _ in PARTS:
        columns += [name, f"{name}_low", f"{name}_high"]
    cells: list[tuple[Cell, ...]] = [
        (test.domain, *test.weight.cells(), *test.hardness.cells(), *test.uniqueness.cells()) for test in tests
    ]
    return finish(figure, Table.of(columns, cells), caption, f"{alt}.")


# ---- One number for each domain with its interval ------------------------------------------------


@style.styled
@written("performance of the baseline", "trained here")
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
    names = list(performances)
    at = sorted({trained_on[name] for name in names})
    where = f"trained on {at[0]} alone" if len(at) == 1 and len(names) > 1 else "trained on each of them"
    estimates = [performances[name] for name in names]
    caption = (
        f"Performance of the baseline, {where}, on {counted(names)}: greedy episodes of the best checkpoint, "
        f"{trainings} training{'s' * (trainings > 1)} each. {style.interval_sentence(estimates)}"
        f"{f' Left out because they diverged or failed: {lost}.' if lost else ''}"
    )
    return dots(
        names,
        estimates,
        "performance of the baseline (mean return on [0, 1])",
        "performance",
        caption,
        hollow=[trained_on[name] == name for name in names] if len(at) == 1 else None,
        hollow_words="trained here",
        limits=(-0.02, 1.02),
    )


def counted(names: Sequence[str]) -> str:
    """Return how many domains in words."""
    return f"{len(names)} domain{'s' * (len(names) != 1)}"


def dots(
    names: Sequence[str],
    estimates: Sequence[Estimate],
    label: str,
    quantity: str,
    caption: str,
    *,
    hollow: Sequence[bool] | None,
    hollow_words: str,
    limits: tuple[float, float] | None = None,
) -> Drawing:
    """Draw one row per domain, top to bottom; hollow squares for those that are marked."""
    if not names:
        raise InputError(f"there is no domain whose {quantity} could be drawn; add at least one")
    figure = style.new_figure(1.3 * style.SINGLE, 0.2 * len(names) + 1.2)
    axes = figure.subplots()
    rows, values = np.arange(len(names), dtype=np.float64), np.array([e.value for e in estimates])
    marked = np.zeros(len(names), bool) if hollow is None else np.array(hollow)
    style.grid(axes, "x")
    style.interval_bars(axes, "x", estimates, rows)
    if (~marked).any():
        axes.plot(values[~marked], rows[~marked], "o", color=style.BLUE, label="domain", zorder=3)
    if marked.any():
        axes.plot(
            values[marked], rows[marked], "s", color=style.VERMILION, mfc="white", label=f"domain, {hollow_words}",
            zorder=3,
        )  # fmt: skip
    axes.set_yticks(rows, list(names))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(*(limits or (0, 1.05 * axes.get_xlim()[1])))
    axes.set_xlabel(label)
    if marked.any():  # one mark alone needs no key
        style.legend_below(figure, axes, columns=2)
    table = Table.of(
        ("domain", quantity, f"{quantity}_low", f"{quantity}_high", "marked"),
        [(n, *style.interval_cells(e), bool(m)) for n, e, m in zip(names, estimates, marked, strict=True)],
    )
    words = "; ".join(f"{name} {style.number(e.value)}" for name, e in zip(names, estimates, strict=True))
    return finish(figure, table, caption, f"{quantity.capitalize()} by domain: {words}.")
