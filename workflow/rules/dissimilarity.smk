"""Dissimilarities: train on mixtures of two domains and on domains alone, reduce to a matrix."""

if PLAN.ends.measured:

    rule measure_interface:
        input:
            each_domain(LAYOUT.domain),
        output:
            LAYOUT.interface,
        log:
            LAYOUT.log("interface"),
        benchmark:
            LAYOUT.benchmark("interface")
        conda:
            "../../envs/aiq.yaml"
        resources:
            mem_mb=megabytes(lambda wildcards: PLAN.sizing.met().mem_mb),
            runtime=minutes(lambda wildcards: PLAN.sizing.met().minutes),
        params:
            fingerprint=lambda wildcards: PLAN.ends.common,
        script:
            "../../scripts/measure_interface.py"


rule train_mixtures:
    input:
        domains=lambda wildcards: [
            LAYOUT.domain(name) for name in mixture_job(wildcards).domains
        ],
        interface=interface_file(),
    output:
        LAYOUT.mixtures("{group}", "{block}"),
    log:
        LAYOUT.log("mixtures", "{group}", "{block}"),
    benchmark:
        LAYOUT.benchmark("mixtures", "{group}", "{block}")
    conda:
        "../../envs/aiq.yaml"
    threads: CONFIGURATION.threads
    resources:
        mem_mb=megabytes(lambda wildcards: mixtures_work(wildcards).mem_mb),
        runtime=minutes(lambda wildcards: mixtures_work(wildcards).minutes),
        gpu=gpus(),
    params:
        fingerprint=lambda wildcards: PLAN.of_mixture_job(mixture_job(wildcards)),
    script:
        "../../scripts/train_mixtures.py"


rule train_alone:
    input:
        domain=LAYOUT.domain("{domain}"),
        interface=interface_file(),
    output:
        LAYOUT.alone("{domain}", "{block}"),
    log:
        LAYOUT.log("alone", "{domain}", "{block}"),
    benchmark:
        LAYOUT.benchmark("alone", "{domain}", "{block}")
    conda:
        "../../envs/aiq.yaml"
    threads: CONFIGURATION.threads
    resources:
        mem_mb=megabytes(lambda wildcards: alone_work(wildcards).mem_mb),
        runtime=minutes(lambda wildcards: alone_work(wildcards).minutes),
        gpu=gpus(),
    params:
        fingerprint=lambda wildcards: PLAN.ends.of_job(alone_job(wildcards)),
    script:
        "../../scripts/train_alone.py"


rule reduce_dissimilarity:
    input:
        mixtures=lambda wildcards: mixture_shards(),
        alone=lambda wildcards: alone_shards(),
    output:
        LAYOUT.dissimilarity,
    log:
        LAYOUT.log("dissimilarity"),
    benchmark:
        LAYOUT.benchmark("dissimilarity")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(lambda wildcards: compared_work().mem_mb),
        runtime=minutes(lambda wildcards: compared_work().minutes),
    params:
        fingerprint=lambda wildcards: PLAN.dissimilarity(),
    script:
        "../../scripts/reduce_dissimilarity.py"
