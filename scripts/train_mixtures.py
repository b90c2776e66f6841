"""Train on the mixtures of some pairs of domains."""

from aiq.run.job import job
from aiq.run.keeping import keeping
from aiq.run.training.trials import train_mixture_block

w = snakemake.wildcards
with (
    job(snakemake.config, snakemake.log[0], "aiq") as run,
    keeping(run, "mixtures", snakemake.output[0], snakemake.params.fingerprint) as kept,
):
    train_mixture_block(run, w.group, w.block, snakemake.input.domains, snakemake.output[0], kept)
