"""Print the JSON schema of a configuration, or with ``--readme`` the page that explains every key."""

from __future__ import annotations

import argparse
import json

from aiq.config.load import schema
from aiq.config.readme import readme


def main() -> None:
    """Print one of the two generated texts to standard output."""
    parser = argparse.ArgumentParser(prog="python -m aiq.config", description=__doc__)
    parser.add_argument("--readme", action="store_true", help="print config/README.md instead of the JSON schema")
    text = readme() if parser.parse_args().readme else json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
    print(text, end="")


if __name__ == "__main__":
    main()
