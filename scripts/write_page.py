"""Write the page of the run."""

from aiq.report.page import write_page
from aiq.run.job import job

with job(snakemake.config, snakemake.log[0]) as run:
    write_page(run)
