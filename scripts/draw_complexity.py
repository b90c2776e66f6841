"""Draw the figures of complexity and entropy."""

from aiq.tasks.figures import draw_complexity
from aiq.tasks.job import job

with job(snakemake.config, snakemake.log[0]) as run:
    draw_complexity(run, snakemake.input.complexity, snakemake.input.entropy)
