"""Train the baseline on one control domain."""

from aiq.run.job import job
from aiq.run.keeping import keeping
from aiq.run.training.players import train_baseline

with (
    job(snakemake.config, snakemake.log[0], "aiq") as run,
    keeping(run, "baseline", snakemake.output[0], snakemake.params.fingerprint) as kept,
):
    train_baseline(run, snakemake.wildcards.domain, snakemake.input[0], snakemake.output[0], kept)
