"""The command ``aiq``: the measures without Snakemake, on numbers that a person already has."""

import sys

try:
    from aiq.cli.main import main as main
except KeyboardInterrupt:  # while modules load nobody else can tell it
    sys.stderr.write("aiq: interrupted\n")
    raise SystemExit(130) from None
