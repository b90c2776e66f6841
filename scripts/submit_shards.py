"""Submit the missing shards of a configuration as long jobs outside the workflow's controller."""

import sys

from aiq.cli.submit import main

if __name__ == "__main__":
    sys.exit(main())
