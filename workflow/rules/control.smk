"""Control domains: the baseline and its entropies, agents from outside, APTI."""

from aiq.plans.cost.sizing import APTI


def baseline_work(wildcards):
    """What training the baseline on a domain costs."""
    return PLAN.sizing.baseline(wildcards.domain)


def baseline_play_work(wildcards):
    """What the episodes of the baseline on a domain cost."""
    return PLAN.sizing.baseline_play(wildcards.domain)


rule train_baseline:
    input:
        LAYOUT.domain("{domain}"),
    output:
        LAYOUT.baseline("{domain}"),
    log:
        LAYOUT.log("baseline", "{domain}"),
    benchmark:
        LAYOUT.benchmark("baseline", "{domain}")
    conda:
        "../../envs/aiq.yaml"
    threads: CONFIGURATION.threads
    resources:
        mem_mb=megabytes(lambda wildcards: baseline_work(wildcards).mem_mb),
        runtime=minutes(lambda wildcards: baseline_work(wildcards).minutes),
        gpu=gpus(),
    params:
        fingerprint=lambda wildcards: PLAN.of_baseline(wildcards.domain),
    script:
        "../../scripts/train_baseline.py"


rule play_outside:
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
    resources:
        mem_mb=megabytes(lambda wildcards: outside_work(wildcards).mem_mb),
        runtime=minutes(lambda wildcards: outside_work(wildcards).minutes),
    params:
        fingerprint=outside_fingerprint,
    script:
        "../../scripts/play_outside.py"


if CONFIGURATION.baseline:

    rule play_baseline:
        input:
            domain=LAYOUT.domain("{domain}"),
            baseline=lambda wildcards: LAYOUT.baseline(
                PLAN.trained_on(wildcards.domain)
            ),
        output:
            play=LAYOUT.play("{domain}"),
            entropy=LAYOUT.entropy("{domain}"),
        log:
            LAYOUT.log("plays", "{domain}"),
        benchmark:
            LAYOUT.benchmark("plays", "{domain}")
        conda:
            "../../envs/aiq.yaml"
        resources:
            mem_mb=megabytes(lambda wildcards: baseline_play_work(wildcards).mem_mb),
            runtime=minutes(lambda wildcards: baseline_play_work(wildcards).minutes),
        params:
            fingerprint=lambda wildcards: PLAN.entropy(wildcards.domain),
        script:
            "../../scripts/play_baseline.py"

    rule score_apti:
        input:
            space=LAYOUT.space,
            scores=LAYOUT.scores,
            plays=each_domain(LAYOUT.play),
        output:
            LAYOUT.apti,
        log:
            LAYOUT.log("apti"),
        benchmark:
            LAYOUT.benchmark("apti")
        conda:
            "../../envs/aiq.yaml"
        resources:
            mem_mb=megabytes(APTI[0]),
            runtime=minutes(APTI[1]),
        params:
            fingerprint=lambda wildcards: PLAN.apti(),
        script:
            "../../scripts/score_apti.py"
