"""Train the baseline on one control domain."""

from aiq.tasks.baseline import train_baseline
from aiq.tasks.job import job

with job(snakemake.config, snakemake.log[0]) as run:
    train_baseline(run, snakemake.wildcards.domain, snakemake.input[0], snakemake.output[0])
