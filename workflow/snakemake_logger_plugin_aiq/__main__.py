"""Snakemake as ``aiq run`` calls it: by hand it says at every start which profiles it reads, here it does not."""

from __future__ import annotations

import builtins
import sys
from typing import Any

from snakemake import cli

PROFILES = "for setting default command line arguments."


def say(*words: Any, **how: Any) -> None:
    """Print, but for the sentence on profiles."""
    if not (words and str(words[0]).endswith(PROFILES)):
        builtins.print(*words, **how)


if __name__ == "__main__":
    cli.print = say
    sys.exit(cli.main())
