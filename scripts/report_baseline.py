"""Draw and tabulate the baseline's performances and the agents' APTI."""

from aiq.tasks.shell.job import job
from aiq.tasks.suite.baseline_report import report_baseline

with job(snakemake.config, snakemake.log[0]) as run:
    report_baseline(run, snakemake.input.plays, snakemake.input.apti)
