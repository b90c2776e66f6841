"""Sample some blocks of programs."""

from aiq.tasks.algorithmic import AlgorithmicRun, sample_blocks
from aiq.tasks.job import job

w = snakemake.wildcards
with job(snakemake.config, snakemake.log[0], AlgorithmicRun.of) as run:
    sample_blocks(run, int(w.first), int(w.last), snakemake.output[0])
