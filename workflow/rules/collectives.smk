"""Collectives of agents in Lambda*: episodes, their reduction, figures and tables."""

from aiq.plans.cost import descendants
from aiq.plans.cost.requests import FIXED


wildcard_constraints:
    test=r"side-\d+|complexity-(segment|walk)",
    block=r"episodes-[0-9a-f]{8}",


def episodes_work(wildcards):
    """What a shard of episodes costs, by the cost model."""
    job = PLAN.job(wildcards.test, wildcards.block)
    blocks = job.last - job.first + 1
    size = CONFIGURATION.jobs.episodes_per_block
    return descendants.episodes(CONFIGURATION, len(job.kinds), blocks * size)


rule run_episodes:
    input:
        [],
    output:
        LAYOUT.episodes("{test}", "{block}"),
    log:
        LAYOUT.log("episodes", "{test}", "{block}"),
    benchmark:
        LAYOUT.benchmark("episodes", "{test}", "{block}")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(lambda wildcards: episodes_work(wildcards).mem_mb),
        runtime=minutes(lambda wildcards: episodes_work(wildcards).minutes),
    params:
        fingerprint=lambda wildcards: PLAN.of_job(
            PLAN.job(wildcards.test, wildcards.block)
        ),
    script:
        "../../scripts/run_episodes.py"


rule reduce_episodes:
    input:
        [LAYOUT.job(job) for job in PLAN.jobs],
    output:
        LAYOUT.result,
    log:
        LAYOUT.log("reduce_episodes"),
    benchmark:
        LAYOUT.benchmark("reduce_episodes")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(FIXED["reduce_episodes"][0]),
        runtime=minutes(FIXED["reduce_episodes"][1]),
    params:
        fingerprint=PLAN.result(),
    script:
        "../../scripts/reduce_episodes.py"
