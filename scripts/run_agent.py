"""Run an agent at one episode length to the end."""

from aiq.tasks.algorithmic.work import run_agent
from aiq.tasks.shell.job import job

w = snakemake.wildcards
with job(snakemake.config, snakemake.log[0], "algorithmic") as run:
    run_agent(run, w.agent, int(w.length), snakemake.input.sample, snakemake.output[0])
