"""Domains: from their source to one file each."""


rule prepare_domain:
    input:
        domain_files,
    output:
        LAYOUT.domain("{domain}"),
    log:
        LAYOUT.log("domains", "{domain}"),
    benchmark:
        LAYOUT.benchmark("domains", "{domain}")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(3000),
        runtime=minutes(20),
    params:
        fingerprint=lambda wildcards: PLAN.domain(wildcards.domain),
    script:
        "../../scripts/prepare_domain.py"
