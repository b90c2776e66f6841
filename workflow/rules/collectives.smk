"""Collectives of agents in Lambda*: episodes, their reduction, figures and tables."""

from aiq.plans.cost import descendants

FIGURES = ["collectives-uncertainty", "collectives-episode"]
CURVES = [
    f"collectives-complexity-{pattern}"
    for pattern in (
        CONFIGURATION.by_complexity.patterns if CONFIGURATION.by_complexity else []
    )
]
TABLES = ["intelligence", "orderings"]


wildcard_constraints:
    test=r"side-\d+|complexity-(segment|walk)",
    block=r"episodes-[0-9a-f]{8}",


def episodes_work(wildcards):
    """What a shard of episodes costs, by the cost model."""
    job = PLAN.job(wildcards.test, wildcards.block)
    blocks = job.last - job.first + 1
    size = CONFIGURATION.jobs.episodes_per_block
    return descendants.episodes(CONFIGURATION, len(job.kinds), blocks * size)


def run_targets():
    """What a run is for."""
    figures = [LAYOUT.figure(name, "png") for name in FIGURES + CURVES]
    return figures + [LAYOUT.table(name) for name in TABLES]


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
        mem_mb=megabytes(2000),
        runtime=minutes(10),
    params:
        fingerprint=PLAN.result(),
    script:
        "../../scripts/reduce_episodes.py"


rule draw_collectives:
    input:
        LAYOUT.result,
    output:
        [in_report(name, "1 Collectives", name) for name in FIGURES],
        [in_report(name, "1 Collectives", "collectives-complexity") for name in CURVES],
        beside(FIGURES + CURVES),
    log:
        LAYOUT.log("draw_collectives"),
    benchmark:
        LAYOUT.benchmark("draw_collectives")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(1500),
        runtime=minutes(10),
    params:
        fingerprint=PLAN.result(),
    script:
        "../../scripts/draw_collectives.py"


rule tabulate_collectives:
    input:
        LAYOUT.result,
    output:
        [
            report(
                LAYOUT.table(name),
                caption=str(CAPTIONS / "collectives-tables.rst"),
                category="2 Tables",
                labels={"table": name},
            )
            for name in TABLES
        ],
    log:
        LAYOUT.log("tabulate_collectives"),
    benchmark:
        LAYOUT.benchmark("tabulate_collectives")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(1000),
        runtime=minutes(10),
    params:
        fingerprint=PLAN.result(),
    script:
        "../../scripts/tabulate_collectives.py"
