"""Train on one domain alone."""

from aiq.run.job import job
from aiq.run.keeping import keeping
from aiq.run.training.trials import train_alone_block

w = snakemake.wildcards
with (
    job(snakemake.config, snakemake.log[0], "aiq") as run,
    keeping(run, "alone", snakemake.output[0], snakemake.params.fingerprint) as kept,
):
    train_alone_block(run, w.domain, w.block, snakemake.input.domain, snakemake.output[0], kept)
