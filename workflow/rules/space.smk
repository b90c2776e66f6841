"""Intelligence space: complexities and dissimilarities become points."""


rule build_space:
    input:
        complexity=each_domain(LAYOUT.complexity),
        dissimilarity=LAYOUT.dissimilarity,
    output:
        LAYOUT.space,
    log:
        LAYOUT.log("space"),
    benchmark:
        LAYOUT.benchmark("space")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(1000),
        runtime=minutes(10),
    params:
        fingerprint=lambda wildcards: PLAN.space(),
    script:
        "../../scripts/build_space.py"
