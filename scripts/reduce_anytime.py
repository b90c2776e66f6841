"""Reduce the anytime tests in one class."""

from aiq.tasks.anytime import AnytimeSetup, reduce_tests
from aiq.tasks.job import job

with job(snakemake.config, snakemake.log[0], AnytimeSetup.of) as run:
    reduce_tests(run, snakemake.wildcards.environments, snakemake.input, snakemake.output[0])
