"""Train one block of agents on one domain."""

from aiq.tasks.shell.job import job
from aiq.tasks.shell.keeping import keeping
from aiq.tasks.suite.training.trials import train_agents

w = snakemake.wildcards
with (
    job(snakemake.config, snakemake.log[0], "aiq") as run,
    keeping(run, "agents", snakemake.output[0], snakemake.params.fingerprint) as kept,
):
    train_agents(run, w.domain, w.block, snakemake.input[0], snakemake.output[0], kept)
