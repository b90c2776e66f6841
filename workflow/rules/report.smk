"""Figures, tables and the report."""

CAPTIONS = Path(workflow.basedir) / "workflow" / "report"


def in_report(name, category, caption, subcategory=None):
    """A figure's PNG with its place and caption in the report."""
    return report(
        LAYOUT.figure(name, "png"),
        caption=str(CAPTIONS / f"{caption}.rst"),
        category=category,
        subcategory=subcategory,
        labels={"figure": name},
    )


def beside(names):
    """What lies beside each figure: the scalable picture, its numbers, its caption."""
    return [LAYOUT.figure(name, suffix) for name in names for suffix in ("svg", "csv", "txt")]


COMPLEXITY_FIGURES = ["complexity-panel", "complexity-entropy", "pool-size"]
CURVE_FIGURES = [f"complexity-{domain}" for domain in CONFIGURATION.domains]
MIXTURE_FIGURES = ["dissimilarity-matrix", "mixture-overview"]
PAIR_FIGURES = [f"mixture-{pair_name(a, b)}" for a, b in PLAN.pairs if a <= b]
SPACE_FIGURES = ["space-plane", "space-solid", "contributions", "spectrum"]
AGENT_FIGURES = ["agents"] if scored() else []
TABLES = ["complexity", "dissimilarity", "space", "cost"]
TABLES += ["agents", "performance", "worth", "order"] if scored() else []


rule draw_complexity:
    input:
        complexity=each_domain(LAYOUT.complexity),
        entropy=each_domain(LAYOUT.entropy),
    output:
        [in_report(name, "1 Complexity", name) for name in COMPLEXITY_FIGURES],
        [in_report(name, "1 Complexity", "complexity-curve", "domains") for name in CURVE_FIGURES],
        beside(COMPLEXITY_FIGURES + CURVE_FIGURES),
    log:
        LAYOUT.log("draw_complexity"),
    benchmark:
        LAYOUT.benchmark("draw_complexity")
    params:
        fingerprint=[PLAN.complexity(domain) for domain in CONFIGURATION.domains],
    resources:
        mem_mb=megabytes(1500),
        runtime=minutes(10),
    script:
        "../../scripts/draw_complexity.py"


rule draw_dissimilarity:
    input:
        LAYOUT.dissimilarity,
    output:
        [in_report(name, "2 Dissimilarity", name) for name in MIXTURE_FIGURES],
        [in_report(name, "2 Dissimilarity", "mixture-curve", "pairs") for name in PAIR_FIGURES],
        beside(MIXTURE_FIGURES + PAIR_FIGURES),
    log:
        LAYOUT.log("draw_dissimilarity"),
    benchmark:
        LAYOUT.benchmark("draw_dissimilarity")
    params:
        fingerprint=PLAN.dissimilarity(),
    resources:
        mem_mb=megabytes(1500),
        runtime=minutes(20),
    script:
        "../../scripts/draw_dissimilarity.py"


rule draw_space:
    input:
        space=LAYOUT.space,
        scores=[LAYOUT.scores] if scored() else [],
    output:
        [in_report(name, "3 Intelligence space", name) for name in SPACE_FIGURES],
        [in_report(name, "4 AIQ", name) for name in AGENT_FIGURES],
        beside(SPACE_FIGURES + AGENT_FIGURES),
    log:
        LAYOUT.log("draw_space"),
    benchmark:
        LAYOUT.benchmark("draw_space")
    params:
        fingerprint=PLAN.scores(),
    resources:
        mem_mb=megabytes(1500),
        runtime=minutes(10),
    script:
        "../../scripts/draw_space.py"


rule write_tables:
    input:
        complexity=each_domain(LAYOUT.complexity),
        entropy=each_domain(LAYOUT.entropy),
        dissimilarity=LAYOUT.dissimilarity,
        space=LAYOUT.space,
        scores=[LAYOUT.scores] if scored() else [],
    output:
        [
            report(
                LAYOUT.table(name),
                caption=str(CAPTIONS / "tables.rst"),
                category="5 Tables",
                labels={"table": name},
            )
            for name in TABLES
        ],
    log:
        LAYOUT.log("write_tables"),
    benchmark:
        LAYOUT.benchmark("write_tables")
    params:
        fingerprint=PLAN.scores(),
    resources:
        mem_mb=megabytes(1500),
        runtime=minutes(10),
    script:
        "../../scripts/write_tables.py"


def all_products():
    """Every figure and table of the run."""
    names = COMPLEXITY_FIGURES + CURVE_FIGURES + MIXTURE_FIGURES + PAIR_FIGURES + SPACE_FIGURES + AGENT_FIGURES
    return [LAYOUT.figure(name, "png") for name in names] + [LAYOUT.table(name) for name in TABLES]
