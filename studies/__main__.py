"""Run studies: ``python -m studies [NAME ...] [--quick] [--out FOLDER]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from studies.cells import KEPT
from studies.frame import RESULTS, conduct, names


def main(arguments: list[str] | None = None) -> int:
    """Run the studies that were asked for and write their tables."""
    parser = argparse.ArgumentParser(prog="python -m studies", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names())}; by default all")
    parser.add_argument("--quick", action="store_true", help="a small part of each, to see that it works")
    parser.add_argument("--out", type=Path, help="folder of the tables (default: studies/results; none when quick)")
    parser.add_argument("--kept", type=Path, default=KEPT, help="folder of the cells that are done, for resumption")
    asked = parser.parse_args(arguments)
    unknown = sorted(set(asked.names) - set(names()))
    if unknown:
        parser.error(f"there is no study {unknown[0]!r}; there are {', '.join(names())}")
    out = asked.out if asked.out is not None or asked.quick else RESULTS
    for name in asked.names or names():
        conduct(name, quick=asked.quick, kept=asked.kept, out=out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
