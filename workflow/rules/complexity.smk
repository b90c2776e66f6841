"""Complexity and entropy of every domain."""


rule reduce_complexity:
    input:
        trials=lambda wildcards: trial_shards(wildcards.domain),
        prepared=(
            [LAYOUT.domain("{domain}")]
            if CONFIGURATION.complexity.start == "chance"
            else []
        ),
    output:
        LAYOUT.complexity("{domain}"),
    log:
        LAYOUT.log("complexity", "{domain}"),
    benchmark:
        LAYOUT.benchmark("complexity", "{domain}")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(REDUCED.mem_mb),
        runtime=minutes(REDUCED.minutes),
    params:
        fingerprint=lambda wildcards: PLAN.complexity(wildcards.domain),
    script:
        "../../scripts/reduce_complexity.py"


if not CONFIGURATION.control:

    rule measure_entropy:
        input:
            LAYOUT.domain("{domain}"),
        output:
            LAYOUT.entropy("{domain}"),
        log:
            LAYOUT.log("entropy", "{domain}"),
        benchmark:
            LAYOUT.benchmark("entropy", "{domain}")
        conda:
            "../../envs/aiq.yaml"
        resources:
            mem_mb=megabytes(lambda wildcards: domain_work(wildcards).mem_mb),
            runtime=minutes(lambda wildcards: domain_work(wildcards).minutes),
        params:
            fingerprint=lambda wildcards: PLAN.entropy(wildcards.domain),
        script:
            "../../scripts/measure_entropy.py"
