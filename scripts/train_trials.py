"""Train one block of the pool's chunks on one domain."""

from aiq.run.job import job
from aiq.run.keeping import keeping
from aiq.run.training.trials import train_trials

w = snakemake.wildcards
with (
    job(snakemake.config, snakemake.log[0], "aiq") as run,
    keeping(run, "trials", snakemake.output[0], snakemake.params.fingerprint) as kept,
):
    train_trials(run, w.domain, int(w.first), int(w.last), snakemake.input.domain, snakemake.output[0], kept)
