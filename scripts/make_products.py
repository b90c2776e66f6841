"""Draw the figures and write the tables of one job."""

from aiq.run.job import job
from aiq.run.products import make_products

with job(snakemake.config, snakemake.log[0]) as run:
    make_products(run, snakemake.rule)
