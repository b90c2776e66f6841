"""The figures and tables of a suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiq.plans.layout import pair_name
from aiq.plans.products import Figure, Products, Table

if TYPE_CHECKING:
    from aiq.plans.suite import SuitePlan

COMPLEXITY, DISSIMILARITY, SPACE, AIQ, TABLES = (
    "1 Complexity",
    "2 Dissimilarity",
    "3 Intelligence space",
    "4 AIQ",
    "5 Tables",
)


def complexities(plan: SuitePlan) -> list[str]:
    """Return the complexities of all domains."""
    return [plan.layout.complexity(domain) for domain in plan.configuration.domains]


def entropies(plan: SuitePlan) -> list[str]:
    """Return the entropies of all domains, where they are measured."""
    return [plan.layout.entropy(domain) for domain in plan.configuration.domains] if plan.with_entropy else []


def scores(plan: SuitePlan) -> list[str]:
    """Return the scores, where there is anybody to score."""
    return [plan.layout.scores] if plan.scored else []


def pairs(plan: SuitePlan) -> list[str]:
    """Return the names of all pairs that are measured, each once."""
    return [pair_name(a, b) for a, b in plan.pairs if a <= b]


def _scored(plan: SuitePlan) -> bool:
    return plan.scored


def _compared(plan: SuitePlan) -> bool:
    return plan.scored and plan.configuration.baseline is not None


def _curve_minutes(plan: SuitePlan) -> int:
    domains = len(plan.configuration.domains)
    return plan.sizing.drawn(domains).minutes + plan.sizing.reduced(domains).minutes


PRODUCTS = (
    Products(
        "draw_complexity",
        needs=lambda plan: {"complexity": complexities(plan), "entropy": entropies(plan)},
        follows=lambda plan: [plan.complexity(domain) for domain in plan.configuration.domains],
        figures=(
            Figure("complexity-values", COMPLEXITY, "suite"),
            Figure("complexity-panel", COMPLEXITY, "suite"),
            Figure("complexity-by-k", COMPLEXITY, "suite"),
            Figure("complexity-entropy", COMPLEXITY, "suite", when=lambda plan: plan.with_entropy),
            Figure(
                "complexity-{}",
                COMPLEXITY,
                "domains",
                "complexity-curve",
                each=lambda plan: list(plan.configuration.domains),
            ),
        ),
        megabytes=lambda plan: 1500,
        minutes=_curve_minutes,
    ),
    Products(
        "draw_dissimilarity",
        needs=lambda plan: {"dissimilarity": [plan.layout.dissimilarity]},
        follows=lambda plan: plan.dissimilarity(),
        figures=(
            Figure("dissimilarity-matrix", DISSIMILARITY, "suite"),
            Figure("mixture-overview", DISSIMILARITY, "suite"),
            Figure("dissimilarity-{}", DISSIMILARITY, "parts", "part-matrix", each=lambda plan: plan.ends.areas),
            Figure("mixture-{}", DISSIMILARITY, "pairs", "mixture-curve", each=pairs),
        ),
        megabytes=lambda plan: 1500 + plan.sizing.compared(len(plan.pairs)).mem_mb // 2,
        minutes=lambda plan: plan.sizing.drawn(len(pairs(plan))).minutes,
    ),
    Products(
        "draw_space",
        needs=lambda plan: {"space": [plan.layout.space], "scores": scores(plan)},
        follows=lambda plan: plan.scores(),
        figures=(
            Figure("space-plane", SPACE),
            Figure("space-solid", SPACE),
            Figure("contributions", SPACE),
            Figure("spectrum", SPACE),
            Figure("agents", AIQ, when=_scored),
            Figure("handicap", AIQ, when=lambda plan: bool(plan.configuration.agents.networks)),
        ),
        megabytes=lambda plan: 1500,
    ),
    Products(
        "write_tables",
        needs=lambda plan: {
            "complexity": complexities(plan),
            "entropy": entropies(plan),
            "dissimilarity": [plan.layout.dissimilarity],
            "space": [plan.layout.space],
            "scores": scores(plan),
        },
        follows=lambda plan: plan.scores(),
        tables=(
            *(Table(name, TABLES) for name in ("complexity", "dissimilarity", "space", "cost")),
            Table("complexity-differences", TABLES, when=lambda plan: len(plan.configuration.domains) > 1),
            *(Table(name, TABLES, when=_scored) for name in ("agents", "performance", "worth", "order")),
        ),
        megabytes=lambda plan: 1500,
    ),
    Products(
        "report_baseline",
        needs=lambda plan: {
            "plays": [plan.layout.play(domain) for domain in plan.configuration.domains],
            "apti": [plan.layout.apti] if plan.scored else [],
        },
        follows=lambda plan: plan.apti(),
        figures=(
            Figure("baseline", AIQ),
            Figure("agents-apti", AIQ, shows="agents", caption="agents-apti", when=_compared),
        ),
        tables=(Table("baseline", TABLES), Table("apti", TABLES, when=_compared)),
        megabytes=lambda plan: 1500,
        when=lambda plan: plan.configuration.baseline is not None,
    ),
)
"""The jobs that draw and tabulate, in the order of the report."""
