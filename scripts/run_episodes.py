"""Score some kinds of collectives in one block of episodes."""

from aiq.tasks.collectives.work import run_episodes
from aiq.tasks.shell.job import job

w = snakemake.wildcards
with job(snakemake.config, snakemake.log[0], "collectives") as run:
    run_episodes(run, w.test, w.block, snakemake.output[0])
