"""Place the domains in the intelligence space."""

from aiq.run.job import job
from aiq.run.reducing.space import build_space

with job(snakemake.config, snakemake.log[0], "aiq") as run:
    build_space(run, snakemake.input.complexity, snakemake.input.dissimilarity, snakemake.output[0])
