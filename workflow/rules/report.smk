"""Figures, tables and the report."""


rule draw_complexity:
    input:
        complexity=each_domain(LAYOUT.complexity),
        entropy=entropies(),
    output:
        [in_report(name, "1 Complexity", name, "suite") for name in COMPLEXITY_FIGURES],
        [
            in_report(name, "1 Complexity", "complexity-curve", "domains")
            for name in CURVE_FIGURES
        ],
        beside(COMPLEXITY_FIGURES + CURVE_FIGURES),
    log:
        LAYOUT.log("draw_complexity"),
    benchmark:
        LAYOUT.benchmark("draw_complexity")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(1500),
        runtime=minutes(
            PLAN.sizing.drawn(len(CURVE_FIGURES)).minutes + ALL_REDUCED.minutes
        ),
    params:
        fingerprint=[PLAN.complexity(domain) for domain in CONFIGURATION.domains],
    script:
        "../../scripts/draw_complexity.py"


rule draw_dissimilarity:
    input:
        LAYOUT.dissimilarity,
    output:
        [in_report(name, "2 Dissimilarity", name, "suite") for name in MIXTURE_FIGURES],
        [
            in_report(name, "2 Dissimilarity", "mixture-curve", "pairs")
            for name in PAIR_FIGURES
        ],
        beside(MIXTURE_FIGURES + PAIR_FIGURES),
    log:
        LAYOUT.log("draw_dissimilarity"),
    benchmark:
        LAYOUT.benchmark("draw_dissimilarity")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(1500 + COMPARED.mem_mb // 2),
        runtime=minutes(PLAN.sizing.drawn(len(PAIR_FIGURES)).minutes),
    params:
        fingerprint=PLAN.dissimilarity(),
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
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(1500),
        runtime=minutes(10),
    params:
        fingerprint=PLAN.scores(),
    script:
        "../../scripts/draw_space.py"


rule write_tables:
    input:
        complexity=each_domain(LAYOUT.complexity),
        entropy=entropies(),
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
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(1500),
        runtime=minutes(10),
    params:
        fingerprint=PLAN.scores(),
    script:
        "../../scripts/write_tables.py"
