"""Draw the figures of the intelligence space and of the agents' scores."""

from aiq.tasks.figures import draw_space
from aiq.tasks.job import job

with job(snakemake.config, snakemake.log[0]) as run:
    draw_space(run, snakemake.input.space, snakemake.input.scores)
