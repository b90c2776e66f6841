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
        mem_mb=megabytes(lambda wildcards: mixtures_work(wildcards).mem_mb),
        runtime=minutes(lambda wildcards: mixtures_work(wildcards).minutes),
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
        mem_mb=megabytes(COMPARED.mem_mb),
        runtime=minutes(COMPARED.minutes),
    params:
        fingerprint=PLAN.dissimilarity(),
    script:
        "../../scripts/reduce_dissimilarity.py"
