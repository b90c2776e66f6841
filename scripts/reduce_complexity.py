"""Reduce the trials on one domain to its complexity."""

from aiq.tasks.complexity import reduce_complexity
from aiq.tasks.job import job

with job(snakemake.config, snakemake.log[0]) as run:
    reduce_complexity(run, snakemake.wildcards.domain, snakemake.input.trials, snakemake.output[0])
