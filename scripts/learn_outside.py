"""Let one agent made elsewhere learn one labelled domain."""

from aiq.run.job import job
from aiq.run.training.learners import learn_outside

w = snakemake.wildcards
with job(snakemake.config, snakemake.log[0], "aiq") as run:
    learn_outside(run, w.domain, w.agent, snakemake.input.domain, snakemake.output[0])
