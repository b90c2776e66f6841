"""Write the tables of a run."""

from aiq.tasks.shell.job import job
from aiq.tasks.suite.tabulate import write_tables

with job(snakemake.config, snakemake.log[0]) as run:
    write_tables(run, snakemake.input.complexity, snakemake.input.entropy)
