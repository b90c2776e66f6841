"""Reduce the trials on one domain to its complexity."""

from aiq.run.job import job
from aiq.run.reducing.complexity import reduce_complexity

with job(snakemake.config, snakemake.log[0], "aiq") as run:
    reduce_complexity(run, snakemake.wildcards.domain, snakemake.input.trials, snakemake.output[0])
