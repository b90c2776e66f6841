"""Train on the tests of one block of pairs, alone and merged."""

from aiq.tasks.shell.job import job
from aiq.tasks.shell.keeping import keeping
from aiq.tasks.similarity.work import train_merged

with (
    job(snakemake.config, snakemake.log[0], "similarity") as run,
    keeping(run, "merged", snakemake.output[0], snakemake.params.fingerprint) as kept,
):
    train_merged(run, snakemake.wildcards.block, snakemake.input, snakemake.output[0], kept)
