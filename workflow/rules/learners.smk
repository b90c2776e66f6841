"""Labelled domains: agents made elsewhere that learn them."""


rule learn_outside:
    input:
        domain=LAYOUT.domain("{domain}"),
        factory=factory_file,
    output:
        LAYOUT.outside("{domain}", "{agent}"),
    log:
        LAYOUT.log("outside", "{domain}", "{agent}"),
    benchmark:
        LAYOUT.benchmark("outside", "{domain}", "{agent}")
    conda:
        "../../envs/aiq.yaml"
    threads: CONFIGURATION.threads
    resources:
        mem_mb=megabytes(lambda wildcards: outside_work(wildcards).mem_mb),
        runtime=minutes(lambda wildcards: outside_work(wildcards).minutes),
        gpu=gpus(),
    params:
        fingerprint=outside_fingerprint,
    script:
        "../../scripts/learn_outside.py"
