"""The anytime intelligence test: administered tests, their reduction, figures and tables."""

from aiq.plans.cost import descendants
from aiq.plans.anytime import files_of

FIGURES = ["anytime-budget", "anytime-trace", "anytime-complexity"]
TABLES = ["anytime", "endings"]

try:
    FINGERPRINTS = [fingerprint for _, fingerprint in PLAN.results().values()]
except AiqError as error:
    raise WorkflowError(str(error)) from None


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


def every_result():
    """What every class reduces to."""
    return [LAYOUT.result(name) for name in PLAN.classes]


def run_targets():
    """What a run is for."""
    figures = [LAYOUT.figure(name, "png") for name in FIGURES]
    return figures + [LAYOUT.table(name) for name in TABLES]


rule administer_anytime:
    input:
        lambda wildcards: list(files_of(CONFIGURATION.agents[wildcards.agent])),
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
        mem_mb=megabytes(1000),
        runtime=minutes(20),
    params:
        fingerprint=lambda wildcards: PLAN.result(wildcards.environments),
    script:
        "../../scripts/reduce_anytime.py"


rule draw_anytime:
    input:
        results=every_result(),
        tests=[LAYOUT.job(job) for job in PLAN.jobs],
    output:
        [in_report(name, "1 Anytime test", name) for name in FIGURES],
        beside(FIGURES),
    log:
        LAYOUT.log("draw_anytime"),
    benchmark:
        LAYOUT.benchmark("draw_anytime")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(1500),
        runtime=minutes(10),
    params:
        fingerprint=FINGERPRINTS,
    script:
        "../../scripts/draw_anytime.py"


rule tabulate_anytime:
    input:
        every_result(),
    output:
        [
            report(
                LAYOUT.table(name),
                caption=str(CAPTIONS / "anytime-tables.rst"),
                category="2 Tables",
                labels={"table": name},
            )
            for name in TABLES
        ],
    log:
        LAYOUT.log("tabulate_anytime"),
    benchmark:
        LAYOUT.benchmark("tabulate_anytime")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(1000),
        runtime=minutes(10),
    params:
        fingerprint=FINGERPRINTS,
    script:
        "../../scripts/tabulate_anytime.py"
