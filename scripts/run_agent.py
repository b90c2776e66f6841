"""Run an agent at one episode length to the end."""

from aiq.tasks.algorithmic import AlgorithmicRun, run_agent
from aiq.tasks.job import job

w = snakemake.wildcards
with job(snakemake.config, snakemake.log[0], AlgorithmicRun.of) as run:
    run_agent(run, w.agent, int(w.length), snakemake.input.sample, snakemake.output[0])
