"""Do one job of a rule that the plan of a measure declares."""

from aiq.run.job import job
from aiq.run.keeping import do

with job(snakemake.config, snakemake.log[0]) as run:
    do(run, list(snakemake.output), snakemake.params.fingerprint)
