"""Read one test from its source and write it with its data sheet."""

from aiq.tasks.shell.job import job
from aiq.tasks.suite.training.domains import prepare_domain

with job(snakemake.config, snakemake.log[0], "similarity") as run:
    prepare_domain(run, snakemake.wildcards.domain, snakemake.output[0])
