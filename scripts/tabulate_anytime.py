"""Write the tables of the anytime test."""

from aiq.tasks.anytime.products import write_tables
from aiq.tasks.shell.job import job

with job(snakemake.config, snakemake.log[0]) as run:
    write_tables(run, snakemake.input)
