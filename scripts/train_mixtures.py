"""Train on the mixtures of some pairs of domains."""

from aiq.tasks.shell.job import job
from aiq.tasks.shell.keeping import keeping
from aiq.tasks.suite.training.mixtures import train_mixture_block

w = snakemake.wildcards
with (
    job(snakemake.config, snakemake.log[0], "aiq") as run,
    keeping(run, "mixtures", snakemake.output[0], snakemake.params.fingerprint) as kept,
):
    train_mixture_block(run, w.group, w.block, snakemake.input.domains, snakemake.output[0], kept)
