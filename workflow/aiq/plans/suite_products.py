"""The figures and tables of a suite."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from aiq.plans.layout import pair_name
from aiq.plans.products import Figure, Products, Table

if TYPE_CHECKING:
    from aiq.plans.cost import Work

COMPLEXITY, DISSIMILARITY, SPACE, AIQ, TABLES, KNOWN = (
    "1 Complexity",
    "2 Dissimilarity",
    "3 Intelligence space",
    "4 AIQ",
    "5 Tables",
    "6 Known baselines",
)


def complexities(plan: Any) -> list[str]:
    """Return the complexities of all domains."""
    return [plan.layout.complexity(domain) for domain in plan.configuration.domains]


def entropies(plan: Any) -> list[str]:
    """Return the entropies of all domains, where they are measured."""
    return [plan.layout.entropy(domain) for domain in plan.configuration.domains] if plan.with_entropy else []


def scores(plan: Any) -> list[str]:
    """Return the scores, where there is anybody to score."""
    return [plan.layout.scores] if plan.scored else []


def drawn_pairs(plan: Any) -> list[str]:
    """Return the names of the pairs that have a figure each: all, or in a large suite those that are asked for."""
    page = plan.configuration.page
    pairs = [(a, b) for a, b in plan.pairs if a <= b]
    if len(pairs) > page.figures:
        asked = {tuple(sorted(pair)) for pair in page.pairs}
        pairs = [pair for pair in pairs if pair in asked]
    return [pair_name(a, b) for a, b in pairs]


def _with_twins(plan: Any) -> bool:
    return bool(plan.configuration.dissimilarity.twins)


def similar(plan: Any) -> bool:
    """Return whether the 2020 similarity can be read: where equal shares are one of the proportions."""
    return any(abs(point - 0.5) < 1e-9 for point in plan.configuration.dissimilarity.points)


def _scored(plan: Any) -> bool:
    return bool(plan.scored)


def _compared(plan: Any) -> bool:
    return bool(plan.scored) and plan.configuration.baseline is not None


def _asking(work: Callable[[Any], Work]) -> dict[str, Any]:
    return {"megabytes": lambda plan: work(plan).mem_mb, "minutes": lambda plan: work(plan).minutes}


TABULATED = _asking(lambda plan: plan.sizing.tabulated(len(plan.pairs)))

PRODUCTS = (
    Products(
        "compare_known_baselines",
        beside=True,
        needs=lambda plan: {
            "known": [plan.layout.known_baselines],
            "complexity": complexities(plan),
            "dissimilarity": [plan.layout.dissimilarity],
        },
        follows=lambda plan: [
            plan.known_baselines(),
            plan.configuration.known_baselines.confidence,
            [plan.complexity(domain) for domain in plan.configuration.domains],
            plan.dissimilarity(),
        ],
        figures=(Figure("known-baselines", KNOWN, title="Rank correlations with known baselines"),),
        tables=(
            Table("known-baselines", KNOWN),
            Table("known-baselines-domains", KNOWN),
            Table("known-baselines-pairs", KNOWN, when=lambda plan: not plan.configuration.control),
        ),
        **TABULATED,
        when=lambda plan: plan.with_known_baselines,
    ),
    Products(
        "draw_complexity",
        needs=lambda plan: {"complexity": complexities(plan), "entropy": entropies(plan)},
        follows=lambda plan: [plan.complexity(domain) for domain in plan.configuration.domains],
        figures=(
            Figure("complexity-values", COMPLEXITY, "suite", title="Complexity of each domain"),
            Figure("complexity-panel", COMPLEXITY, "suite", title="Complexity curves"),
            Figure("complexity-by-k", COMPLEXITY, "suite", title="Complexity against the number of policies"),
            Figure(
                "complexity-entropy",
                COMPLEXITY,
                "suite",
                title="Complexity against entropy",
                when=lambda plan: plan.with_entropy,
            ),
            Figure(
                "complexity-{}",
                COMPLEXITY,
                "domains",
                "complexity-curve",
                each=lambda plan: list(plan.configuration.domains),
                paged=False,
            ),
        ),
        **_asking(lambda plan: plan.sizing.drawn(len(plan.configuration.domains) + 5)),
    ),
    Products(
        "draw_dissimilarity",
        needs=lambda plan: {"dissimilarity": [plan.layout.dissimilarity]},
        follows=lambda plan: [plan.dissimilarity(), plan.similarity()],
        figures=(
            Figure("dissimilarity-matrix", DISSIMILARITY, "suite", title="Dissimilarities"),
            Figure(
                "relative-matrix",
                DISSIMILARITY,
                "suite",
                title="Relative dissimilarities: 0 not told apart, 1 unrelated",
                when=_with_twins,
            ),
            Figure("mixture-overview", DISSIMILARITY, "suite", title="Mixture curves"),
            Figure("similarity-matrix", DISSIMILARITY, "suite", title="Similarity of 2020", when=similar),
            Figure(
                "dissimilarity-{}",
                DISSIMILARITY,
                "parts",
                "part-matrix",
                each=lambda plan: plan.ends.areas,
                paged=False,
            ),
            Figure("mixture-{}", DISSIMILARITY, "pairs", "mixture-curve", each=drawn_pairs, paged=False),
        ),
        **_asking(lambda plan: plan.sizing.drawn(len(drawn_pairs(plan)) + 10, len(plan.pairs))),
    ),
    Products(
        "draw_space",
        needs=lambda plan: {"space": [plan.layout.space], "scores": scores(plan)},
        follows=lambda plan: plan.scores(),
        figures=(
            Figure("space-plane", SPACE, paged=False),
            Figure("space-solid", SPACE, title="Intelligence space", turned=True),
            Figure("contributions", SPACE, title="What the dimensions consist of"),
            Figure("spectrum", SPACE, title="Which dimensions are kept"),
            Figure("agents", AIQ, title="Scores of the agents", when=_scored),
            Figure("tests", AIQ, title="What each test counts", when=_scored),
            Figure(
                "handicap",
                AIQ,
                title="Scores by size of network",
                when=lambda plan: bool(plan.configuration.agents.networks),
            ),
        ),
        megabytes=lambda plan: plan.sizing.drawing().mem_mb,
    ),
    Products(
        "write_tables",
        needs=lambda plan: {
            "complexity": complexities(plan),
            "entropy": entropies(plan),
            "dissimilarity": [plan.layout.dissimilarity],
            "space": [plan.layout.space],
            "scores": scores(plan),
            "baseline": [plan.layout.baseline(domain) for domain in plan.baseline_domains],
        },
        follows=lambda plan: [plan.scores(), plan.similarity()],
        tables=(
            *(Table(name, TABLES) for name in ("complexity", "dissimilarity", "space", "cost")),
            Table("relative", TABLES, when=_with_twins),
            Table("similarity", TABLES, "similarity-table", when=similar),
            Table("complexity-differences", TABLES, when=lambda plan: len(plan.configuration.domains) > 1),
            *(Table(name, TABLES, when=_scored) for name in ("agents", "performance", "tests", "order")),
            Table("learners", TABLES, "learners", when=lambda plan: plan.configuration.pool.learners is not None),
        ),
        **TABULATED,
    ),
    Products(
        "explain_variance",
        beside=True,
        needs=lambda plan: {
            "complexity": complexities(plan),
            "dissimilarity": [plan.layout.dissimilarity],
            "space": [plan.layout.space],
            "scores": scores(plan),
        },
        follows=lambda plan: [plan.scores(), plan.configuration.page.variance],
        figures=(Figure("variance", AIQ, title="Where the variance of the scores comes from"),),
        tables=(Table("variance", TABLES, "variance"), Table("advice", TABLES, "advice")),
        megabytes=lambda plan: plan.sizing.placed(len(plan.pairs)).mem_mb,
        minutes=lambda plan: plan.sizing.scored().minutes,
        when=_scored,
    ),
    Products(
        "report_baseline",
        beside=True,
        needs=lambda plan: {
            "plays": [plan.layout.play(domain) for domain in plan.configuration.domains],
            "apti": [plan.layout.apti] if plan.scored else [],
            "scores": scores(plan),
        },
        follows=lambda plan: plan.apti(),
        figures=(
            Figure("baseline", AIQ, title="The baseline"),
            Figure("agents-apti", AIQ, title="Scores by APTI", shows="agents", caption="agents-apti", when=_compared),
        ),
        tables=(Table("baseline", TABLES), Table("apti", TABLES, when=_compared)),
        megabytes=lambda plan: 1500,
        when=lambda plan: plan.configuration.baseline is not None,
    ),
)
"""The jobs that draw and tabulate, in the order of the report."""
