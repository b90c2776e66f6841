"""Let the trained baseline play one control domain: its performance, and the domain's entropy."""

from aiq.run.job import job
from aiq.run.training.players import play_baseline

given, made = snakemake.input, snakemake.output
with job(snakemake.config, snakemake.log[0], "aiq") as run:
    play_baseline(run, snakemake.wildcards.domain, given.domain, given.baseline, made.play, made.entropy)
