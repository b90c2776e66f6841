"""The anytime intelligence test: administered tests, their reduction, figures and tables."""

from aiq.plans.cost import descendants
from aiq.plans.cost.requests import FIXED


wildcard_constraints:
    environments=r"[A-Za-z0-9][A-Za-z0-9_.-]*",
    agent=r"[A-Za-z0-9][A-Za-z0-9_.-]*",
    first=r"\d+",
    last=r"\d+",


def class_shards(wildcards):
    """Shards of all tests in a class."""
    return [LAYOUT.job(job) for job in PLAN.of_class(wildcards.environments)]


def tests_work(wildcards):
    """What a shard of tests costs, by the cost model."""
    environments = CONFIGURATION.classes[wildcards.environments]
    count = int(wildcards.last) - int(wildcards.first) + 1
    return descendants.tests(CONFIGURATION, environments, count)


rule administer_anytime:
    input:
        lambda wildcards: code_from_here(
            list(CONFIGURATION.agents[wildcards.agent].files)
        ),
    output:
        LAYOUT.tests("{environments}", "{agent}", "{first}", "{last}"),
    log:
        LAYOUT.log("tests", "{environments}", "{agent}", "tests-{first}-{last}"),
    benchmark:
        LAYOUT.benchmark("tests", "{environments}", "{agent}", "tests-{first}-{last}")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(lambda wildcards: tests_work(wildcards).mem_mb),
        runtime=minutes(lambda wildcards: tests_work(wildcards).minutes),
    params:
        fingerprint=lambda wildcards: PLAN.test(wildcards.environments, wildcards.agent),
    script:
        "../../scripts/administer_anytime.py"


rule reduce_anytime:
    input:
        class_shards,
    output:
        LAYOUT.result("{environments}"),
    log:
        LAYOUT.log("anytime", "{environments}"),
    benchmark:
        LAYOUT.benchmark("anytime", "{environments}")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(FIXED["reduce_anytime"][0]),
        runtime=minutes(FIXED["reduce_anytime"][1]),
    params:
        fingerprint=lambda wildcards: PLAN.result(wildcards.environments),
    script:
        "../../scripts/reduce_anytime.py"
