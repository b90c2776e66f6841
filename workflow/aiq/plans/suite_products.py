"""The figures and tables of a suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aiq.plans.charts import Curves, Dots, Lines, Matrix, SpaceView, Spectrum, Stack
from aiq.plans.layout import pair_name
from aiq.plans.products import Figure, Products, Table

if TYPE_CHECKING:
    from aiq.plans.cost.suite import Work

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
    found = [(a, b) for a, b in plan.pairs if a <= b]
    if len(found) > page.figures:
        asked = {tuple(sorted(pair)) for pair in page.pairs}
        found = [pair for pair in found if pair in asked]
    return [pair_name(a, b) for a, b in found]


def similarity_at(plan: Any) -> float | None:
    """Return the share of the easier domain at which the 2020 similarity is read; None where none can be."""
    settings = plan.configuration.similarity
    if settings.at is not None:
        return float(settings.at)
    return 0.5 if any(abs(point - 0.5) < 1e-9 for point in plan.configuration.dissimilarity.points) else None


def _with_twins(plan: Any) -> bool:
    return bool(plan.configuration.dissimilarity.twins)


def _similar(plan: Any) -> bool:
    return similarity_at(plan) is not None


_UNIT = "MCCP complexity"
_AREAS = (
    ("dissimilarity", "dissimilarity"),
    ("signed", "signed area (above 0: mixtures do worse)"),
    ("starvation", "starvation: fewer samples of each"),
    ("confusion", "confusion: samples taken for the other domain's"),
    ("transfer", "transfer (below 0: the domains help each other)"),
    ("interference", "interference (below 0: the domains help each other)"),
)
_SCORES = (
    ("value", "headline"),
    ("per_dimension", "AIQ per dimension"),
    ("relative", "relative AIQ"),
    ("geometric_mean", "geometric mean performance"),
    ("mean", "mean performance"),
)
_RATIOS = tuple((column, words.replace("performance", "APTI")) for column, words in _SCORES[1:])
_COUNTS = (("weight", "weight"), ("hardness", "hardness (relative excess)"), ("uniqueness", "uniqueness"))
_RANKS = (("spearman", "Spearman's ρ"), ("kendall", "Kendall's τ"))
_SOURCES = (
    ("pool", "pool"),
    ("ends", "ends of the mixtures"),
    ("mixtures", "mixtures"),
    ("agents", "agents' trainings"),
    ("dimensions", "number of dimensions"),
)
_PARTS = (("complexity", "complexity"), ("base", "base"), ("minimum", "the paper's minimum"))


def _scored(plan: Any) -> bool:
    return bool(plan.scored)


def _compared(plan: Any) -> bool:
    return bool(plan.scored) and plan.configuration.baseline is not None


def _curves(plan: Any) -> Work:
    """What drawing the complexities costs: a figure a domain and some of all."""
    work: Work = plan.sizing.drawn(len(plan.configuration.domains) + 5)
    return work


def _mixtures(plan: Any) -> Work:
    """What drawing the dissimilarities costs: some figures of all pairs, and one of each pair that has its own."""
    work: Work = plan.sizing.drawn(len(drawn_pairs(plan)) + 10, len(plan.pairs))
    return work


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
        figures=(
            Figure(
                "known-baselines",
                KNOWN,
                title="Rank correlations with known baselines",
                chart=Dots("compared", _RANKS, "rank correlation", (-1.0, 1.0)),
            ),
        ),
        tables=(
            Table("known-baselines", KNOWN),
            Table("known-baselines-domains", KNOWN),
            Table("known-baselines-pairs", KNOWN, when=lambda plan: not plan.configuration.control),
        ),
        megabytes=lambda plan: plan.sizing.tabulated(len(plan.pairs)).mem_mb,
        minutes=lambda plan: plan.sizing.tabulated(len(plan.pairs)).minutes,
        when=lambda plan: plan.with_known_baselines,
    ),
    Products(
        "draw_complexity",
        needs=lambda plan: {"complexity": complexities(plan), "entropy": entropies(plan)},
        follows=lambda plan: [plan.complexity(domain) for domain in plan.configuration.domains],
        figures=(
            Figure(
                "complexity-values",
                COMPLEXITY,
                "suite",
                title="Complexity of each domain",
                chart=Dots("domain", _PARTS, _UNIT),
            ),
            Figure("complexity-panel", COMPLEXITY, "suite", title="Complexity curves", chart=Curves()),
            Figure(
                "complexity-by-k",
                COMPLEXITY,
                "suite",
                title="Complexity against the number of policies",
                chart=Lines(
                    ("k",), (("mccp_k", _UNIT),), "domain", "policies of which the smallest counts (k)", log_x=True
                ),
            ),
            Figure(
                "complexity-entropy",
                COMPLEXITY,
                "suite",
                title="Complexity against entropy",
                when=lambda plan: plan.with_entropy,
                chart=Lines(
                    ("entropy",),
                    (("mccp", _UNIT),),
                    "domain",
                    "Shannon entropy (bits)",
                    ("kind",),
                    joined=False,
                    ranged=True,
                ),
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
        megabytes=lambda plan: _curves(plan).mem_mb,
        minutes=lambda plan: _curves(plan).minutes,
    ),
    Products(
        "draw_dissimilarity",
        needs=lambda plan: {"dissimilarity": [plan.layout.dissimilarity]},
        follows=lambda plan: [plan.dissimilarity(), plan.similarity()],
        figures=(
            Figure(
                "dissimilarity-matrix",
                DISSIMILARITY,
                "suite",
                title="Dissimilarities and mixture curves",
                chart=Matrix("dissimilarity", _AREAS, "mixture-overview"),
            ),
            Figure(
                "relative-matrix",
                DISSIMILARITY,
                "suite",
                title="Relative dissimilarities: 0 not told apart, 1 unrelated",
                when=_with_twins,
            ),
            Figure("mixture-overview", DISSIMILARITY, "suite", paged=False),
            Figure("similarity-matrix", DISSIMILARITY, "suite", title="Similarity of 2020", when=_similar),
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
        megabytes=lambda plan: _mixtures(plan).mem_mb,
        minutes=lambda plan: _mixtures(plan).minutes,
    ),
    Products(
        "draw_space",
        needs=lambda plan: {"space": [plan.layout.space], "scores": scores(plan)},
        follows=lambda plan: plan.scores(),
        figures=(
            Figure("space-plane", SPACE, paged=False),
            Figure("space-solid", SPACE, title="Intelligence space", chart=SpaceView()),
            Figure(
                "contributions",
                SPACE,
                title="What the dimensions consist of",
                chart=Stack("dimension", "part_of_space", "domain", ("dimension", "share of all squared coordinates")),
            ),
            Figure("spectrum", SPACE, title="Which dimensions are kept", chart=Spectrum()),
            Figure(
                "agents",
                AIQ,
                title="Scores of the agents",
                when=_scored,
                chart=Dots("agent", _SCORES, "score or performance", (0.0, 1.0)),
            ),
            Figure(
                "tests",
                AIQ,
                title="What each test counts",
                when=_scored,
                chart=Dots("domain", _COUNTS, "weight, hardness or uniqueness"),
            ),
            Figure(
                "handicap",
                AIQ,
                title="Scores by size of network",
                when=lambda plan: bool(plan.configuration.agents.networks),
                chart=Lines(
                    ("width",),
                    (("relative", "relative AIQ"), ("mean", "mean performance")),
                    "layers",
                    "units in each hidden layer",
                    log_x=True,
                ),
            ),
        ),
        megabytes=lambda plan: plan.sizing.shown().mem_mb,
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
            Table("similarity", TABLES, "similarity-table", when=_similar),
            Table("complexity-differences", TABLES, when=lambda plan: len(plan.configuration.domains) > 1),
            *(Table(name, TABLES, when=_scored) for name in ("agents", "performance", "tests", "order")),
            Table("learners", TABLES, "learners", when=lambda plan: plan.configuration.pool.learners is not None),
        ),
        megabytes=lambda plan: plan.sizing.tabulated(len(plan.pairs)).mem_mb,
        minutes=lambda plan: plan.sizing.tabulated(len(plan.pairs)).minutes,
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
        figures=(
            Figure(
                "variance",
                AIQ,
                title="Where the variance of the scores comes from",
                chart=Dots("agent", _SOURCES, "share of the variance of the headline"),
            ),
        ),
        tables=(Table("variance", TABLES, "variance"), Table("advice", TABLES, "advice")),
        megabytes=lambda plan: plan.sizing.placed(len(plan.pairs)).mem_mb,
        minutes=lambda plan: plan.sizing.scored().minutes,
        when=lambda plan: plan.scored and plan.configuration.page.variance > 0,
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
            Figure(
                "baseline",
                AIQ,
                title="The baseline",
                chart=Dots("domain", (("performance", "performance"),), "performance", (0.0, 1.0)),
            ),
            Figure(
                "agents-apti",
                AIQ,
                title="Scores by APTI",
                shows="agents",
                caption="agents-apti",
                when=_compared,
                chart=Dots("agent", _RATIOS, "score or APTI"),
            ),
        ),
        tables=(Table("baseline", TABLES), Table("apti", TABLES, when=_compared)),
        megabytes=lambda plan: 1500,
        when=lambda plan: plan.configuration.baseline is not None,
    ),
)
"""The jobs that draw and tabulate, in the order of the report."""
