"""How many dimensions the paper's reading finds where tests do not differ, and where some do.

Pairs of tests have curves of 11 proportions with normal noise of standard deviation 1 in every point; the curve of
two tests that differ sags below its line by a parabola of mean depth ``apart``. All complexities are equal. The paper's
reading (`preset: paper`): plain areas, all dimensions, and by eye how many of them carry the space; here, the number
that carries 90 % of the squared coordinates. The default's: signed areas with their errors, dimensions above the noise.
``apart``: 0 is no difference at all; .9 is about the plain area of two equal tests.
"""

from __future__ import annotations

import numpy as np

from aiq.measures.space import build
from aiq.records.estimate import Floats
from studies.cells import Cells

Row = dict[str, object]

AT = np.linspace(0.0, 1.0, 11)
CARRIED = 0.9
CASES = (
    ("no test differs", 0, 0.0),
    ("two are apart from the rest", 2, 1.0),
    ("two are apart from the rest", 2, 3.0),
    ("one is apart from the rest", 1, 3.0),
)
NOTES = (
    "The paper finds four or five dimensions for 16 levels. So many carry the space where no test differs, "
    "and fewer where two tests really are apart: by this reading the number says nothing about how many abilities a "
    "suite asks for. The numbers of the paper's reading are means, with the middle 95 % of the tries."
)


def curves(rng: np.random.Generator, tests: int, aside: int, apart: float) -> Floats:
    """Return the curves of all pairs, (n, n, 11), as departures from the line between their ends.

    Args:
        rng: source of randomness.
        tests: n.
        aside: how many of them differ from the rest, and not from one another.
        apart: mean depth of the curves between them and the rest.
    """
    other = np.arange(tests) < aside
    depth = apart * (other[:, None] != other[None, :])
    seen = rng.standard_normal((tests, tests, AT.size)) - depth[..., None] * 6 * AT * (1 - AT)
    line = seen[..., :1] + (seen[..., -1:] - seen[..., :1]) * AT
    return np.asarray(line - seen)


def _weights() -> Floats:
    """Return the weights (11,) of a curve's points in its signed area, what the line takes from its ends included."""
    trapezoid = np.diff(AT, prepend=0) / 2 + np.diff(AT, append=1) / 2
    weights = -trapezoid
    weights[0] += (trapezoid * (1 - AT)).sum()
    weights[-1] += (trapezoid * AT).sum()
    return np.asarray(weights)


def both_halves(upper: Floats) -> Floats:
    """Return a symmetric matrix with zero diagonal from the upper triangle."""
    half = np.triu(upper, 1)
    return np.asarray(half + half.T)


def carried(tests: int, departures: Floats) -> int:
    """Return how many dimensions carry CARRIED of the squared coordinates by the paper's reading, of curves."""
    assert len(departures) == tests
    return carried_by(both_halves(np.trapezoid(np.abs(departures), AT, axis=-1)))


def carried_by(plain: Floats) -> int:
    """Return how many dimensions carry CARRIED of the squared coordinates by the paper's reading, of areas (n, n)."""
    names = [str(i) for i in range(len(plain))]
    space = build(names, np.ones(len(plain)), plain, dimensions="all", null="identical", merge=False)
    shares = np.sort((space.coordinates**2).sum(axis=0))[::-1]
    return int(np.searchsorted(np.cumsum(shares) / shares.sum(), CARRIED) + 1)


def kept(tests: int, departures: Floats) -> int:
    """Return how many dimensions the default keeps, of signed areas with known errors."""
    signed = both_halves(np.trapezoid(departures, AT, axis=-1))
    se = np.full((tests, tests), float(np.sqrt((_weights() ** 2).sum())))
    space = build([str(i) for i in range(tests)], np.ones(tests), signed, dissimilarity_se=se, draws=200)
    return space.dimensionality.kept


def tried(tests: int, aside: int, apart: float, tries: int) -> Row:
    """Return what both readings find."""
    rng = np.random.default_rng(24)
    seen = [curves(rng, tests, aside, apart) for _ in range(tries)]
    paper = np.array([carried(tests, one) for one in seen])
    ours = np.array([kept(tests, one) for one in seen[: max(tries // 5, 5)]])
    low, high = np.quantile(paper, [0.025, 0.975])
    return {
        "carry 90 %, mean": float(paper.mean()),
        "from": int(low),
        "to": int(high),
        "default keeps, mean": float(ours.mean()),
    }


def run(quick: bool, cells: Cells | None = None) -> list[Row]:
    """Return one row a number of tests and case.

    Args:
        quick: one number of tests and 5 tries.
        cells: what was finished before.
    """
    cells = cells or Cells(None, "", lambda line: None)
    tries, counts = (5, (9,)) if quick else (200, (4, 9, 16))
    rows: list[Row] = []
    for tests in counts:
        for name, aside, apart in CASES:
            key = {"tests": tests, "truth": name, "apart": apart, "tries": tries}
            rows += cells.of(
                key,
                lambda key=key, tests=tests, aside=aside, apart=apart: [{**key, **tried(tests, aside, apart, tries)}],
            )
    return rows
