"""Trials: the pool, and the agents to be scored, on every domain."""


rule train_trials:
    input:
        LAYOUT.domain("{domain}"),
    output:
        LAYOUT.trials("{domain}"),
    log:
        LAYOUT.log("trials", "{domain}", "chunks-{first}-{last}"),
    benchmark:
        LAYOUT.benchmark("trials", "{domain}", "chunks-{first}-{last}")
    params:
        fingerprint=lambda wildcards: PLAN.trials(wildcards.domain),
    threads: CONFIGURATION.threads
    resources:
        mem_mb=megabytes(3000),
        runtime=minutes(60),
        gpu=gpus(),
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
    params:
        fingerprint=lambda wildcards: PLAN.of_agent_job(agent_job(wildcards)),
    threads: CONFIGURATION.threads
    resources:
        mem_mb=megabytes(3000),
        runtime=minutes(60),
        gpu=gpus(),
    script:
        "../../scripts/train_agents.py"
