"""Join the sample of programs."""

from aiq.tasks.algorithmic.work import gather_programs
from aiq.tasks.shell.job import job

with job(snakemake.config, snakemake.log[0], "algorithmic") as run:
    gather_programs(run, snakemake.input.shards, snakemake.output.sample, snakemake.output.text)
