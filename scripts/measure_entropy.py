"""Measure the entropy of one domain."""

from aiq.run.job import job
from aiq.run.reducing.complexity import measure_entropy

with job(snakemake.config, snakemake.log[0], "aiq") as run:
    measure_entropy(run, snakemake.wildcards.domain, snakemake.input[0], snakemake.output[0])
