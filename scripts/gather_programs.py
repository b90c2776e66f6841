"""Join the sample of programs."""

from aiq.tasks.algorithmic import AlgorithmicRun, gather_programs
from aiq.tasks.job import job

with job(snakemake.config, snakemake.log[0], AlgorithmicRun.of) as run:
    gather_programs(run, snakemake.input.shards, snakemake.output.sample, snakemake.output.text)
