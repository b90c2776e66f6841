"""Domains: from their source to one file each."""


rule prepare_domain:
    input:
        data_files,
    output:
        LAYOUT.domain("{domain}"),
    log:
        LAYOUT.log("domains", "{domain}"),
    benchmark:
        LAYOUT.benchmark("domains", "{domain}")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(lambda wildcards: domain_work(wildcards).mem_mb),
        runtime=minutes(lambda wildcards: domain_work(wildcards).minutes),
    params:
        fingerprint=lambda wildcards: PLAN.domain(wildcards.domain),
    script:
        "../../scripts/prepare_domain.py"
