"""Draw the figures of the intelligence space and of the agents' scores."""

from aiq.tasks.shell.job import job
from aiq.tasks.suite.figures import draw_space

with job(snakemake.config, snakemake.log[0]) as run:
    draw_space(run, snakemake.input.space, snakemake.input.scores)
