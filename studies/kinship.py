"""Kinship: what relative dissimilarity tells, on a ruler and between families, and of what learners do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from studies import kinship_answers as answers
from studies import kinship_tests as tests
from studies.cells import Cells, Row
from studies.kinship_trained import Budget, departures, hardness

MOVED = (0.0, 0.1, 0.25, 0.5, 1.0)
NOTES = answers.NOTES
USUAL = Budget()
BUDGETS = {
    "usual": USUAL,
    "150 samples": replace(USUAL, samples=150),
    "600 samples": replace(USUAL, samples=600),
    "width 16": replace(USUAL, width=16),
    "36 epochs": replace(USUAL, epochs=36),
}
DENSE = Budget(samples=150, repetitions=6, twins=3, proportions=6)
CONVOLUTIONAL = Budget(repetitions=4, twins=3, proportions=6, family="convolutional")
PLAYED = Budget(width=32, repetitions=12, twins=6, proportions=3)


def run(quick: bool, cells: Cells | None = None) -> list[Row]:
    """Return a row a number with its interval.

    Args:
        quick: one short budget of the ruler on digits, with one change and one stranger.
        cells: what was finished before.
    """
    cells = cells or Cells(None, "", lambda line: None)
    if quick:
        short = Budget(width=16, samples=100, epochs=6, repetitions=2, twins=2, proportions=5)
        return cells.of({"ruler": "quick"}, lambda: ruler("quick", short, "digits", (0.5,), ("wine",)))
    told = {"dense": DENSE, "convolutional": CONVOLUTIONAL, "played": PLAYED}
    suites = {name: cells.of({"suite": name}, lambda name=name: suite(name, told[name])) for name in told}  # type: ignore[misc]
    rows: list[Row] = []
    for name, budget in BUDGETS.items():
        given = (name, budget, "MNIST", MOVED, ("FashionMNIST", "digits"))
        rows += cells.of({"ruler": name}, lambda given=given: ruler(*given))  # type: ignore[misc]
    hard = [cells.of({"hardness": kind}, lambda kind=kind: twins_are_as_hard(kind)) for kind in HARD]  # type: ignore[misc]
    said = cells.of({"part": "learners"}, answers.learners)
    return rows + [row for part in hard for row in part] + answers.rows(suites, said)


def suite(name: str, budget: Budget) -> list[Row]:
    """Return the departures of a suite: every pair, with all twins."""
    if name == "played":
        return departures(tests.played(), budget)
    every = tests.labelled()
    return departures({word: every[word] for word in (tests.PICTURES if name == "convolutional" else every)}, budget)


def ruler(name: str, budget: Budget, base: str, changes: Sequence[float], strangers: Sequence[str]) -> list[Row]:
    """Return one half of a test against changed copies of the other half, and against strangers."""
    test = tests.data_set(base)
    found = {"base": tests.half(test, 0)}
    found |= {f"moved-{round(100 * share)}": tests.moved(tests.half(test, 1), share) for share in changes}
    found |= {stranger: tests.data_set(stranger) for stranger in strangers}
    rows = []
    for pair in departures(found, budget, against="base"):
        if "rho" in pair:
            other = pair["b"] if pair["a"] == "base" else pair["a"]
            share = float(other.removeprefix("moved-")) / 100 if other.startswith("moved-") else None
            rows.append({"part": "ruler", "suite": name, "pair": other, "moved": share, **answers.told(pair)})
    return rows


# ---- are twins as hard as their test? -----------------------------------------------------------

_DIGITS = {"source": "sklearn", "name": "digits", "limit": 300}
_MNIST = {"source": "torchvision", "name": "MNIST", "size": 8, "limit": 300, "limit_test": 600}
_PLAYED = tests.played()
HARD = {
    "dense, pixels": ({"digits": _DIGITS, "mnist": _MNIST}, {}, "dense", 64),
    "convolutional, picture": ({"digits": _DIGITS, "mnist": _MNIST}, {"twin_moves": "picture"}, "convolutional", 48),
    "convolutional, pixels": ({"digits": _DIGITS, "mnist": _MNIST}, {}, "convolutional", 48),
    "played": ({word: _PLAYED[word] for word in ("pole", "lake")}, {}, "dense", 48),
}
"""Settings of tests, what is added for their twins, family and size of the pool."""


def twins_are_as_hard(kind: str) -> list[Row]:
    """Return how far relative excess and performance of twins are from those of their tests."""
    settings, more, family, size = HARD[kind]
    named = {f"{word}.{number}": {**one, **({"twin": number, **more} if number else {})}
             for word, one in settings.items() for number in (0, 1, 2)}  # fmt: skip
    return answers.as_hard(kind, hardness(named, family, size))
