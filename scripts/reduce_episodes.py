"""Reduce the episodes of all collectives."""

from aiq.tasks.collectives.work import reduce_episodes
from aiq.tasks.shell.job import job

with job(snakemake.config, snakemake.log[0], "collectives") as run:
    reduce_episodes(run, snakemake.input, snakemake.output[0])
