"""Synthetic results of the analyses, for the contract of all figures."""

from __future__ import annotations

import numpy as np
import pandas

from aiq.readers import read
from aiq.records.comparison import BaselineComparison, Ranked
from aiq.records.estimate import Estimate
from aiq.records.explain import Change, Compared, Comparison, Difference, Dimensions, Sensitivity, Tried
from aiq.records.suite_report import SuiteReport
from aiq.records.variance import SOURCES, AgentVariance, Variances
from aiq.seeding import generator
from aiq.stats.ranks import rank_correlation
from aiq.suites import suite
from papers.figures import Variants

# ---- Series of variants --------------------------------------------------------------------------


COUNT = {"typical": 6, "minimal": 2, "single": 3, "large": 21}


def variants(case: str) -> Variants:
    """Numbers that rise with a setting; without intervals and entropy in the smallest case."""
    rng, count = generator(5, "variants", case), COUNT[case]

    def estimate(value: float) -> Estimate:
        return Estimate(value, None if case == "minimal" else (value - 0.4, value + 0.5), 8, "made")

    points = tuple((float(k), estimate(10 + 0.2 * k + float(rng.normal(0, 0.2)))) for k in range(count))
    entropy = () if case == "minimal" else tuple((x, estimate(3 + x**0.5)) for x, _ in points)
    return Variants(
        "share of pixels replaced by noise", "complexity (bits)", points, 2, entropy, "entropy (bits per picture)",
        "rises slowly at first", tuple((0.1, 0.2 * k) if k and case != "minimal" else None for k in range(count)),
    )  # fmt: skip


# ---- Runs compared, choices changed, sources of variance -----------------------------------------


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

    def rows(count: int, scale: float, *first: str, agents: bool = False) -> tuple[Compared, ...]:
        compared = []
        for k in range(count):
            later = tuple(Difference(estimate(scale), "paired") for _ in runs[1:])
            ranks = tuple(k + 1 for _ in runs) if agents else ()
            compared.append(Compared((*first, f"name-{k}"), tuple(estimate(scale) for _ in runs), later, ranks))
        return tuple(compared)

    domains, pairs, agents = ROWS[case]
    return Comparison(
        runs, {"pool.size": tuple(range(len(runs)))}, rows(domains, 10), rows(pairs, 0.05, "a-domain-of-a-suite"),
        rows(agents, 1, agents=True), tuple(Dimensions(2 + k % 2, {2: 0.7, 3: 0.3}) for k in range(len(runs))), 0.95,
        ("the spaces have different numbers of dimensions",) if case == "typical" else (),
    )  # fmt: skip


AGENTS = {"typical": 5, "minimal": 0, "single": 1, "large": 15}
TRIED = {"typical": 20, "minimal": 1, "single": 1, "large": 42}


def sensitivity(case: str) -> Sensitivity:
    """A run whose choices moved numbers at random; without agents in the smallest case."""
    rng = generator(12, "sensitivity", case)
    values = {f"agent-{k}": float(rng.uniform(0.2, 0.9)) for k in range(AGENTS[case])}
    order = tuple(sorted(values, key=lambda name: -values[name]))

    def tried(k: int) -> Tried:
        moved = {name: value + float(rng.normal(0, 0.03)) for name, value in values.items()}
        now = tuple(sorted(moved, key=lambda name: -moved[name]))
        rank = None if case == "single" else float(rng.uniform(0.3, 1))
        change = Change(float(rng.uniform(0, 0.4)), "a-domain-of-a-suite", rank, (1, 5))
        agents = Change(0.1, order[0], rank, (1, len(order))) if order else None
        return Tried(
            f"dissimilarity.some-choice-{k}", "another_value", "usual", "reduced", change, change, 1 + k % 4, agents,
            now, now == order if order else None, moved if order else None,
        )  # fmt: skip

    waiting = Tried("pool.size", "128", "64", "untrained", core_hours=0.5)
    refused = Tried("complexity.k", "100", "null", "refused", reason="the pool has 64 policies")
    intervals = {name: None if case == "single" else (value - 0.05, value + 0.05) for name, value in values.items()}
    reduced = [tried(k) for k in range(TRIED[case])]
    return Sensitivity("quickstart", 2, order, values, intervals, 0.95, (*reduced, waiting, refused))


def variances(case: str) -> Variances:
    """Shares that add up to 1, some below 0; none in the smallest case, no ends in the next."""
    rng = generator(12, "variance", case)
    sources = tuple(name for name in SOURCES if name != "ends" or case != "single")

    def shares() -> dict[str, Estimate]:
        drawn = rng.dirichlet(np.full(len(sources), 0.4)) * 1.2 - 0.2 / len(sources)
        each = zip(sources, drawn.tolist(), strict=True)
        return {} if case == "minimal" else {s: Estimate(v, (v - 0.1, v + 0.1), 250, "made") for s, v in each}

    names = (f"an-agent-with-a-name-{k}" if k % 3 == 0 else f"agent-{k}" for k in range(max(AGENTS[case], 1) * 3))
    agents = tuple(AgentVariance(name, float(rng.uniform()), float(rng.uniform(0, 0.1)), shares()) for name in names)
    return Variances("quickstart", 0.95, sources, agents, shares(), 0 if case == "minimal" else 250)


# ---- Known baselines -----------------------------------------------------------------------------


DOMAINS = {"typical": 7, "minimal": 2, "single": 1, "large": 200}


def baseline_comparison(case: str) -> BaselineComparison:
    """Numbers of the domains with a part in common; one baseline says the same of all."""
    rng, n = generator(17, "known baselines", case), DOMAINS[case]
    ours, pairs = rng.normal(size=n), n * (n - 1) // 2
    rows = [
        Ranked("domains", mine, name, f"what {name} is", rank_correlation(ours, ours + noise * rng.normal(size=n)))
        for mine in ("complexity", "relative_excess")
        for name, noise in (("f1", 0.3), ("n3", 2.0), ("linear_error", 0.0))
    ]
    rows.append(Ranked("domains", "complexity", "classes", "number", rank_correlation(ours, np.ones(n))))
    x, y = rng.normal(size=(2, pairs))
    rows.append(Ranked("pairs", "dissimilarity", "transport", "a distance", rank_correlation(x, x + y, n)))
    return BaselineComparison(tuple(rows), 0.95, ("from at most 500 samples of each split",))


# ---- Suites through results alone ----------------------------------------------------------------


SUITE_AGENTS = {"typical": 30, "minimal": 10, "single": 10, "large": 40}
SUITE_TESTS = {"typical": 7, "minimal": 2, "single": 2, "large": 50}


def report(case: str) -> SuiteReport:
    """One ability moves most tests; one test is constant where there are many, one repeats another."""
    rng = generator(13, "suite", case)
    agents, tests = SUITE_AGENTS[case], SUITE_TESTS[case]
    ability = rng.normal(size=(agents, 1))
    latent = ability * rng.uniform(0.2, 2, tests) + rng.normal(0, 1, tests) + rng.normal(0, 0.7, (agents, tests))
    values = 1 / (1 + np.exp(-latent))
    if tests > 2:
        values[:, 1], values[:, 2] = values[:, 0], 0.5
    names = [f"a test with a name of some length {j}" if j % 9 == 3 else f"test {j}" for j in range(tests)]
    return suite(read(pandas.DataFrame(values, [f"agent {i}" for i in range(agents)], names)), resamples=10, halves=10)


GIVEN = {
    "Variants": variants,
    "Comparison": comparison,
    "Sensitivity": sensitivity,
    "Variances": variances,
    "BaselineComparison": baseline_comparison,
    "SuiteReport": report,
}
"""Type that a figure asks for -> what makes one of a case."""
