"""The 2020 similarity: tests, trainings on them alone and merged, their reduction, figures and tables."""

from aiq.plans.cost import descendants
from aiq.plans.cost.requests import FIXED


wildcard_constraints:
    domain=r"[A-Za-z0-9][A-Za-z0-9_.-]*",
    block=r"merged-[0-9a-f]{8}",


def merged_work(wildcards):
    """What the trainings of a block cost, by the cost model."""
    return descendants.merged(CONFIGURATION, PLAN.job(wildcards.block).units)


rule prepare_test:
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
        mem_mb=megabytes(FIXED["prepare_test"][0]),
        runtime=minutes(FIXED["prepare_test"][1]),
    params:
        fingerprint=lambda wildcards: PLAN.domain(wildcards.domain),
    script:
        "../../scripts/prepare_test.py"


rule train_merged:
    input:
        lambda wildcards: [LAYOUT.domain(d) for d in PLAN.job(wildcards.block).domains],
    output:
        LAYOUT.merged("{block}"),
    log:
        LAYOUT.log("merged", "{block}"),
    benchmark:
        LAYOUT.benchmark("merged", "{block}")
    conda:
        "../../envs/aiq.yaml"
    threads: CONFIGURATION.threads
    resources:
        mem_mb=megabytes(lambda wildcards: merged_work(wildcards).mem_mb),
        runtime=minutes(lambda wildcards: merged_work(wildcards).minutes),
        gpu=None if CONFIGURATION.device == "cpu" else 1,
    params:
        fingerprint=lambda wildcards: PLAN.of_job(PLAN.job(wildcards.block)),
    script:
        "../../scripts/train_merged.py"


rule reduce_similarity:
    input:
        [LAYOUT.merged(job.block) for job in PLAN.jobs],
    output:
        LAYOUT.result,
    log:
        LAYOUT.log("reduce_similarity"),
    benchmark:
        LAYOUT.benchmark("reduce_similarity")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(FIXED["reduce_similarity"][0]),
        runtime=minutes(FIXED["reduce_similarity"][1]),
    params:
        fingerprint=PLAN.result(),
    script:
        "../../scripts/reduce_similarity.py"
