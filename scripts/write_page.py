"""Write the page of the run."""

from aiq.tasks.page import write_page
from aiq.tasks.shell.job import job

with job(snakemake.config, snakemake.log[0]) as run:
    write_page(run)
