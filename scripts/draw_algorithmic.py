"""Draw the figures of the algorithmic quotient."""

from aiq.tasks.algorithmic import AlgorithmicRun
from aiq.tasks.algorithmic_products import draw
from aiq.tasks.job import job

with job(snakemake.config, snakemake.log[0], AlgorithmicRun.of) as run:
    draw(run, snakemake.input[0])
