"""Reduce all mixtures to the matrix of dissimilarities."""

from aiq.run.job import job
from aiq.run.reducing.dissimilarity import reduce_dissimilarity

with job(snakemake.config, snakemake.log[0], "aiq") as run:
    reduce_dissimilarity(run, snakemake.input.mixtures, snakemake.output[0], snakemake.input.alone)
