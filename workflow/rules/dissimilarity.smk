"""Dissimilarities: train on mixtures of two domains, reduce to a matrix."""


rule train_mixtures:
    input:
        lambda wildcards: [
            LAYOUT.domain(name) for name in mixture_job(wildcards).domains
        ],
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
        mem_mb=megabytes(3000),
        runtime=minutes(60),
        gpu=gpus(),
    params:
        fingerprint=lambda wildcards: PLAN.of_mixture_job(mixture_job(wildcards)),
    script:
        "../../scripts/train_mixtures.py"


rule reduce_dissimilarity:
    input:
        mixture_shards(),
    output:
        LAYOUT.dissimilarity,
    log:
        LAYOUT.log("dissimilarity"),
    benchmark:
        LAYOUT.benchmark("dissimilarity")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(2000),
        runtime=minutes(10),
    params:
        fingerprint=PLAN.dissimilarity(),
    script:
        "../../scripts/reduce_dissimilarity.py"
