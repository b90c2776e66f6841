"""AIQ: the agents' performances scale the points; the hull's volume is the score."""


rule score_agents:
    input:
        space=LAYOUT.space,
        agents=agent_shards(),
        table=agents_table(),
    output:
        LAYOUT.scores,
    log:
        LAYOUT.log("scores"),
    benchmark:
        LAYOUT.benchmark("scores")
    params:
        fingerprint=PLAN.scores(),
    resources:
        mem_mb=megabytes(1000),
        runtime=minutes(20),
    script:
        "../../scripts/score_agents.py"
