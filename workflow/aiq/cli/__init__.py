"""The command ``aiq``: the measures without Snakemake, on numbers that a person already has."""

from aiq.cli.main import main as main
