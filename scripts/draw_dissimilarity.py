"""Draw the figures of mixtures and dissimilarities."""

from aiq.tasks.figures import draw_dissimilarity
from aiq.tasks.job import job

with job(snakemake.config, snakemake.log[0]) as run:
    draw_dissimilarity(run, snakemake.input[0])
