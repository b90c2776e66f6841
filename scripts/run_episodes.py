"""Score some kinds of collectives in one block of episodes."""

from aiq.tasks.collectives import CollectivesSetup, run_episodes
from aiq.tasks.job import job

w = snakemake.wildcards
with job(snakemake.config, snakemake.log[0], CollectivesSetup.of) as run:
    run_episodes(run, w.test, w.block, snakemake.output[0])
