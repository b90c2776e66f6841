"""Write the tables of the algorithmic quotient."""

from aiq.tasks.algorithmic import AlgorithmicRun
from aiq.tasks.algorithmic_products import write_tables
from aiq.tasks.job import job

with job(snakemake.config, snakemake.log[0], AlgorithmicRun.of) as run:
    write_tables(run, snakemake.input[0])
