"""Reduce all mixtures to the matrix of dissimilarities."""

from aiq.tasks.dissimilarity import reduce_dissimilarity
from aiq.tasks.job import job

with job(snakemake.config, snakemake.log[0]) as run:
    reduce_dissimilarity(run, snakemake.input, snakemake.output[0])
