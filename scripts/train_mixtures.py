"""Train on the mixtures of some pairs of domains."""

from aiq.tasks.job import job
from aiq.tasks.mixtures import train_mixture_block

w = snakemake.wildcards
with job(snakemake.config, snakemake.log[0]) as run:
    train_mixture_block(run, w.group, w.block, snakemake.input, snakemake.output[0])
