"""Reduce the episodes of all collectives."""

from aiq.tasks.collectives import CollectivesSetup, reduce_episodes
from aiq.tasks.job import job

with job(snakemake.config, snakemake.log[0], CollectivesSetup.of) as run:
    reduce_episodes(run, snakemake.input, snakemake.output[0])
