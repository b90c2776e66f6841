"""Compare the agents with the baseline, and score them by APTI."""

from aiq.tasks.comparison import score_apti
from aiq.tasks.job import job

given = snakemake.input
with job(snakemake.config, snakemake.log[0]) as run:
    score_apti(run, given.space, given.scores, given.plays, snakemake.output[0])
