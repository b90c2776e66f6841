"""Run one job's share of a stage of an agent's trials."""

from aiq.tasks.algorithmic.work import run_part
from aiq.tasks.shell.job import job

w = snakemake.wildcards
part = int(w.part.split("-")[0])
with job(snakemake.config, snakemake.log[0], "algorithmic") as run:
    run_part(run, w.agent, int(w.length), int(w.round), part, snakemake.input.sample, snakemake.output[0])
