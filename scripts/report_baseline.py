"""Draw and tabulate the baseline's performances and the agents' APTI."""

from aiq.tasks.baseline_products import report_baseline
from aiq.tasks.job import job

with job(snakemake.config, snakemake.log[0]) as run:
    report_baseline(run, snakemake.input.plays, snakemake.input.apti)
