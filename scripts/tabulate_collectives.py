"""Write the tables of the collectives."""

from aiq.tasks.collectives import CollectivesSetup
from aiq.tasks.collectives_products import write_tables
from aiq.tasks.job import job

with job(snakemake.config, snakemake.log[0], CollectivesSetup.of) as run:
    write_tables(run, snakemake.input[0])
