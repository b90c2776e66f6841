"""Write the tables of the anytime test."""

from aiq.tasks.anytime import AnytimeSetup
from aiq.tasks.anytime_products import write_tables
from aiq.tasks.job import job

with job(snakemake.config, snakemake.log[0], AnytimeSetup.of) as run:
    write_tables(run, snakemake.input)
