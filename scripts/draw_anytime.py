"""Draw the figures of the anytime test."""

from aiq.tasks.anytime import AnytimeSetup
from aiq.tasks.anytime_products import draw_tests
from aiq.tasks.job import job

with job(snakemake.config, snakemake.log[0], AnytimeSetup.of) as run:
    draw_tests(run, snakemake.input.results)
