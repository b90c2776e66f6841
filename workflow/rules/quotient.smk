"""AIQ: the agents' performances scale the points; the hull's volume is the score."""


rule score_agents:
    input:
        space=LAYOUT.space,
        agents=lambda wildcards: agent_shards(),
        outside=lambda wildcards: outside_shards(),
        table=agents_table(),
    output:
        LAYOUT.scores,
    log:
        LAYOUT.log("scores"),
    benchmark:
        LAYOUT.benchmark("scores")
    conda:
        "../../envs/aiq.yaml"
    resources:
        mem_mb=megabytes(lambda wildcards: PLAN.sizing.scored().mem_mb),
        runtime=minutes(lambda wildcards: PLAN.sizing.scored().minutes),
    params:
        fingerprint=lambda wildcards: PLAN.scores(),
    script:
        "../../scripts/score_agents.py"
