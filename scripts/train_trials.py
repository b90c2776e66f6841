"""Train one block of the pool's chunks on one domain."""

from aiq.tasks.shell.job import job
from aiq.tasks.shell.keeping import keeping
from aiq.tasks.suite.training.trials import train_trials

w = snakemake.wildcards
with (
    job(snakemake.config, snakemake.log[0], "aiq") as run,
    keeping(run, "trials", snakemake.output[0], snakemake.params.fingerprint) as kept,
):
    train_trials(run, w.domain, int(w.first), int(w.last), snakemake.input.domain, snakemake.output[0], kept)
