"""Let one agent from outside play one control domain."""

from aiq.run.job import job
from aiq.run.keeping import keeping
from aiq.run.training.players import play_outside

w = snakemake.wildcards
with (
    job(snakemake.config, snakemake.log[0], "aiq") as run,
    keeping(run, "outside", snakemake.output[0], snakemake.params.fingerprint) as kept,
):
    play_outside(run, w.domain, w.agent, snakemake.input.domain, snakemake.output[0], kept)
