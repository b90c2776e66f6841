"""Train one block of agents on one domain."""

from aiq.tasks.job import job
from aiq.tasks.trials import train_agents

w = snakemake.wildcards
with job(snakemake.config, snakemake.log[0]) as run:
    train_agents(run, w.domain, w.block, snakemake.input[0], snakemake.output[0])
