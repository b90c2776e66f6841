"""Write the tables of the algorithmic quotient."""

from aiq.tasks.algorithmic.products import write_tables
from aiq.tasks.shell.job import job

with job(snakemake.config, snakemake.log[0]) as run:
    write_tables(run, snakemake.input[0])
