"""Draw the figures of complexity and entropy."""

from aiq.tasks.shell.job import job
from aiq.tasks.suite.figures import draw_complexity

with job(snakemake.config, snakemake.log[0]) as run:
    draw_complexity(run, snakemake.input.complexity, snakemake.input.entropy)
