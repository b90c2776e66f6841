"""Draw the figures of the collectives."""

from aiq.tasks.collectives import CollectivesSetup
from aiq.tasks.collectives_products import draw_collectives
from aiq.tasks.job import job

with job(snakemake.config, snakemake.log[0], CollectivesSetup.of) as run:
    draw_collectives(run, snakemake.input[0])
