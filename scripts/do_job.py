"""Do one job of a rule that the plan of a measure declares."""

from aiq.tasks.jobs import do
from aiq.tasks.shell.job import job

with job(snakemake.config, snakemake.log[0]) as run:
    words = {name: str(value) for name, value in snakemake.wildcards.items()}
    do(run, snakemake.rule, words, list(snakemake.output), snakemake.params.fingerprint)
