"""Draw the figures of the collectives."""

from aiq.tasks.collectives.products import draw_collectives
from aiq.tasks.shell.job import job

with job(snakemake.config, snakemake.log[0]) as run:
    draw_collectives(run, snakemake.input[0])
