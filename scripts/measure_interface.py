"""Find what all mixtures of the suite have in common."""

from aiq.run.job import job
from aiq.run.training.interface import measure_interface

with job(snakemake.config, snakemake.log[0], "aiq") as run:
    measure_interface(run, snakemake.input, snakemake.output[0])
