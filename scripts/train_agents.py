"""Train one block of agents on one domain."""

from aiq.run.job import job
from aiq.run.keeping import keeping
from aiq.run.training.trials import train_agents

w = snakemake.wildcards
with (
    job(snakemake.config, snakemake.log[0], "aiq") as run,
    keeping(run, "agents", snakemake.output[0], snakemake.params.fingerprint) as kept,
):
    train_agents(run, w.domain, w.block, snakemake.input[0], snakemake.output[0], kept)
