"""Measure the entropy of one domain."""

from aiq.tasks.complexity import measure_entropy
from aiq.tasks.job import job

with job(snakemake.config, snakemake.log[0]) as run:
    measure_entropy(run, snakemake.wildcards.domain, snakemake.input[0], snakemake.output[0])
