"""Administer one block of anytime tests of one agent in one class."""

from aiq.tasks.anytime.work import administer_tests
from aiq.tasks.shell.job import job

w = snakemake.wildcards
with job(snakemake.config, snakemake.log[0], "anytime") as run:
    administer_tests(run, w.environments, w.agent, int(w.first), int(w.last), snakemake.output[0])
