"""The baselines that people know, from the prepared domains alone."""


rule measure_known_baselines:
    input:
        each_domain(LAYOUT.domain),
    output:
        LAYOUT.known_baselines,
    log:
        LAYOUT.log("known-baselines"),
    benchmark:
        LAYOUT.benchmark("known-baselines")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(
            lambda wildcards: PLAN.sizing.known_baselines(len(PLAN.pairs)).mem_mb
        ),
        runtime=minutes(
            lambda wildcards: PLAN.sizing.known_baselines(len(PLAN.pairs)).minutes
        ),
    params:
        fingerprint=lambda wildcards: PLAN.known_baselines(),
    script:
        "../../scripts/measure_known_baselines.py"
