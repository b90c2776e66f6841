"""Draw the figures of the algorithmic quotient."""

from aiq.tasks.algorithmic.products import draw
from aiq.tasks.shell.job import job

with job(snakemake.config, snakemake.log[0]) as run:
    draw(run, snakemake.input[0])
