"""Trials: the pool, and the agents to be scored, on every domain."""


rule train_trials:
    input:
        domain=LAYOUT.domain("{domain}"),
        interface=pool_interface_file(),
        learners=lambda wildcards: code_from_here(learner_modules()),
    output:
        LAYOUT.trials("{domain}", cut=PLAN.ends.pool_cut),
    log:
        LAYOUT.log("trials", "{domain}", "chunks-{first}-{last}"),
    benchmark:
        LAYOUT.benchmark("trials", "{domain}", "chunks-{first}-{last}")
    conda:
        "../../envs/aiq.yaml"
    threads: CONFIGURATION.threads
    resources:
        mem_mb=megabytes(lambda wildcards: trials_work(wildcards).mem_mb),
        runtime=minutes(lambda wildcards: trials_work(wildcards).minutes),
        gpu=gpus(),
    params:
        fingerprint=trials_fingerprint,
    script:
        "../../scripts/train_trials.py"


rule train_agents:
    input:
        LAYOUT.domain("{domain}"),
    output:
        LAYOUT.agents("{domain}", "{block}"),
    log:
        LAYOUT.log("agents", "{domain}", "{block}"),
    benchmark:
        LAYOUT.benchmark("agents", "{domain}", "{block}")
    conda:
        "../../envs/aiq.yaml"
    threads: CONFIGURATION.threads
    resources:
        mem_mb=megabytes(lambda wildcards: agents_work(wildcards).mem_mb),
        runtime=minutes(lambda wildcards: agents_work(wildcards).minutes),
        gpu=gpus(),
    params:
        fingerprint=lambda wildcards: PLAN.of_agent_job(agent_job(wildcards)),
    script:
        "../../scripts/train_agents.py"
