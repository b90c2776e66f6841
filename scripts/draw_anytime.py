"""Draw the figures of the anytime test."""

from aiq.tasks.anytime.products import draw_tests
from aiq.tasks.shell.job import job

with job(snakemake.config, snakemake.log[0]) as run:
    draw_tests(run, snakemake.input.results)
