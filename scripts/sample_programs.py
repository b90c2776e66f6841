"""Sample some blocks of programs."""

from aiq.tasks.algorithmic.work import sample_blocks
from aiq.tasks.shell.job import job

w = snakemake.wildcards
with job(snakemake.config, snakemake.log[0], "algorithmic") as run:
    sample_blocks(run, int(w.first), int(w.last), snakemake.output[0])
