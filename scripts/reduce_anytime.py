"""Reduce the anytime tests in one class."""

from aiq.tasks.anytime.work import reduce_tests
from aiq.tasks.shell.job import job

with job(snakemake.config, snakemake.log[0], "anytime") as run:
    reduce_tests(run, snakemake.wildcards.environments, snakemake.input, snakemake.output[0])
