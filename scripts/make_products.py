"""Draw the figures and write the tables of one job."""

from aiq.tasks.products import make_products
from aiq.tasks.shell.job import job

with job(snakemake.config, snakemake.log[0]) as run:
    make_products(run, snakemake.rule)
