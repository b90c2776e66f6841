"""Compare the agents with the baseline, and score them by APTI."""

from aiq.run.job import job
from aiq.run.reducing.comparison import score_apti

given = snakemake.input
with job(snakemake.config, snakemake.log[0], "aiq") as run:
    score_apti(run, given.space, given.scores, given.plays, snakemake.output[0])
