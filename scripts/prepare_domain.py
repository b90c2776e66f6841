"""Read one domain from its source and write it with its data sheet."""

from aiq.tasks.domains import prepare_domain
from aiq.tasks.job import job

with job(snakemake.config, snakemake.log[0]) as run:
    prepare_domain(run, snakemake.wildcards.domain, snakemake.output[0])
