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
        mem_mb=megabytes(lambda wildcards: PLAN.sizing.placed(len(PLAN.pairs)).mem_mb),
        runtime=minutes(lambda wildcards: PLAN.sizing.placed(len(PLAN.pairs)).minutes),
    params:
        fingerprint=lambda wildcards: PLAN.space(),
    script:
        "../../scripts/build_space.py"
