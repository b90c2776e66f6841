"""Score the agents by the volume of their hulls."""

from aiq.run.job import job
from aiq.run.reducing.space import score_agents

with job(snakemake.config, snakemake.log[0], "aiq") as run:
    given = snakemake.input
    score_agents(run, given.space, given.agents, given.table, snakemake.output[0], given.outside)
