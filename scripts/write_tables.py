"""Write the tables of a run."""

from aiq.tasks.job import job
from aiq.tasks.tabulate import write_tables

with job(snakemake.config, snakemake.log[0]) as run:
    write_tables(run, snakemake.input.complexity, snakemake.input.entropy)
