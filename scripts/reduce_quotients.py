"""Reduce all trials to quotients, differences, and values by stratum and program length."""

from aiq.tasks.algorithmic.work import reduce_quotients
from aiq.tasks.shell.job import job

with job(snakemake.config, snakemake.log[0], "algorithmic") as run:
    reduce_quotients(run, snakemake.input.sample, snakemake.input.trials, snakemake.output[0])
