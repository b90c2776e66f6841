"""Comparisons of synthetic runs, for the contract of all figures."""

from __future__ import annotations

from aiq.records.comparison import Compared, Comparison, Difference, Dimensions
from aiq.records.estimate import Estimate
from aiq.seeding import generator

RUNS = {
    "typical": ("quickstart", "longer training", "quickstart, 32 policies"),
    "minimal": ("a", "b"),
    "single": ("a", "b"),
    "large": tuple(f"results/a-rather-long-name-of-a-run-{k}" for k in range(4)),
}
ROWS = {"typical": (6, 21, 5), "minimal": (1, 0, 0), "single": (2, 3, 1), "large": (20, 210, 15)}


def comparison(case: str) -> Comparison:
    """Runs with numbers drawn at random; without intervals in the smallest case."""
    rng, runs = generator(12, "comparison", case), RUNS[case]

    def estimate(scale: float) -> Estimate:
        value = float(rng.normal(0.5, 0.2) * scale)
        return Estimate(value, None if case == "minimal" else (value - 0.1 * scale, value + 0.1 * scale), 8, "made")

    def rows(count: int, scale: float, *, pairs: bool = False, agents: bool = False) -> tuple[Compared, ...]:
        found = []
        for k in range(count):
            name = ("a-domain-of-a-suite", f"another-domain-{k}") if pairs else (f"name-{k}",)
            later = tuple(Difference(estimate(scale), "paired") for _ in runs[1:])
            ranks = tuple(k + 1 for _ in runs) if agents else ()
            found.append(Compared(name, tuple(estimate(scale) for _ in runs), later, ranks))
        return tuple(found)

    domains, pairs, agents = ROWS[case]
    return Comparison(
        runs,
        {"pool.size": tuple(range(len(runs)))},
        rows(domains, 10),
        rows(pairs, 0.05, pairs=True),
        rows(agents, 1, agents=True),
        tuple(Dimensions(2 + k % 2, {2: 0.7, 3: 0.3}) for k in range(len(runs))),
        0.95,
        ("the spaces have different numbers of dimensions",) if case == "typical" else (),
    )


GIVEN = {"Comparison": comparison}
