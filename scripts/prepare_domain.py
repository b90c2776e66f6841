"""Read one domain from its source and write it with its data sheet."""

from aiq.run.job import job
from aiq.run.training.domains import prepare_domain

with job(snakemake.config, snakemake.log[0], "aiq") as run:
    prepare_domain(run, snakemake.wildcards.domain, snakemake.output[0])
