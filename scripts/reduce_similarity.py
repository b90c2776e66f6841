"""Reduce all trainings on merged tests to their similarities."""

from aiq.tasks.shell.job import job
from aiq.tasks.similarity.reduction import reduce_similarity

with job(snakemake.config, snakemake.log[0], "similarity") as run:
    reduce_similarity(run, snakemake.input, snakemake.output[0])
