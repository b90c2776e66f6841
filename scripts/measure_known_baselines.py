"""Compute the baselines that people know."""

from aiq.run.job import job
from aiq.run.reducing.known_baselines import measure_known_baselines

with job(snakemake.config, snakemake.log[0], "aiq") as run:
    measure_known_baselines(run, snakemake.input, snakemake.output[0])
