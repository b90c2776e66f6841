"""Draw the figures of mixtures and dissimilarities."""

from aiq.tasks.shell.job import job
from aiq.tasks.suite.figures import draw_dissimilarity

with job(snakemake.config, snakemake.log[0]) as run:
    draw_dissimilarity(run, snakemake.input[0])
