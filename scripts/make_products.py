"""Draw the figures and write the tables of one job."""

from pathlib import Path

from aiq.run.job import job
from aiq.run.products import make_products

with job(snakemake.config, snakemake.log[0]) as run:
    make_products(run, Path(snakemake.log[0]).stem)  # in a module the rule has another name
