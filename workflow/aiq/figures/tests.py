"""What each test of a suite counts in the mean over independent skills, and why."""

from __future__ import annotations

import numpy as np

from aiq.errors import InputError
from aiq.figures import style
from aiq.figures.drawing import Drawing, finish, written
from aiq.records.quotient import Scores
from aiq.records.table import Cell, Table

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


test_weights.__test__ = False  # type: ignore[attr-defined]  # for pytest: no test of its own
