"""The algorithmic quotient: sample programs, run agents on them, reduce, draw."""


include: "algorithmic_common.smk"


rule sample_programs:
    input:
        [],
    output:
        LAYOUT.blocks(),
    log:
        LAYOUT.log("programs", "blocks-{first}-{last}"),
    benchmark:
        LAYOUT.benchmark("programs", "blocks-{first}-{last}")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(lambda wildcards: blocks_work(wildcards).mem_mb),
        runtime=minutes(lambda wildcards: blocks_work(wildcards).minutes),
    params:
        fingerprint=PLAN.block(),
    script:
        "../../scripts/sample_programs.py"


rule gather_programs:
    input:
        shards=program_shards(),
        file=program_file(),
    output:
        sample=LAYOUT.sample,
        text=LAYOUT.sample_text,
    log:
        LAYOUT.log("gather_programs"),
    benchmark:
        LAYOUT.benchmark("gather_programs")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(FIXED["gather_programs"][0]),
        runtime=minutes(FIXED["gather_programs"][1]),
    params:
        fingerprint=PLAN.programs(),
    script:
        "../../scripts/gather_programs.py"


rule run_agent_part:
    input:
        round_before,
        sample=LAYOUT.sample,
    output:
        LAYOUT.part(),
    log:
        LAYOUT.log("trials", "{agent}-{length}-{runs}-{round}-{part}"),
    benchmark:
        LAYOUT.benchmark("trials", "{agent}-{length}-{runs}-{round}-{part}")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(lambda wildcards: run_work(wildcards).mem_mb),
        runtime=minutes(lambda wildcards: run_work(wildcards).minutes),
    params:
        fingerprint=part_fingerprint,
    script:
        "../../scripts/run_agent_part.py"


rule run_agent:
    input:
        last_round,
        sample=LAYOUT.sample,
    output:
        LAYOUT.trials(),
    log:
        LAYOUT.log("trials", "{agent}-{length}-{runs}"),
    benchmark:
        LAYOUT.benchmark("trials", "{agent}-{length}-{runs}")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(lambda wildcards: run_work(wildcards).mem_mb),
        runtime=minutes(lambda wildcards: run_work(wildcards).minutes),
    params:
        fingerprint=lambda wildcards: PLAN.run(wildcards.agent, int(wildcards.length)),
    script:
        "../../scripts/run_agent.py"


rule reduce_quotients:
    input:
        trials=trial_shards(),
        sample=LAYOUT.sample,
    output:
        LAYOUT.quotients,
    log:
        LAYOUT.log("quotients"),
    benchmark:
        LAYOUT.benchmark("quotients")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(FIXED["reduce_quotients"][0]),
        runtime=minutes(FIXED["reduce_quotients"][1]),
    params:
        fingerprint=PLAN.quotients(),
    script:
        "../../scripts/reduce_quotients.py"
