"""Score the agents by the volume of their hulls."""

from aiq.tasks.space import score_agents

from aiq.tasks.job import job

with job(snakemake.config, snakemake.log[0]) as run:
    score_agents(run, snakemake.input.space, snakemake.input.agents, snakemake.output[0])
