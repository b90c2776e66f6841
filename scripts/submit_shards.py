"""Submit the missing shards of a configuration as long jobs outside the workflow's controller."""

import sys

from aiq.cli.main import run
from aiq.cli.run import submit_shards

if __name__ == "__main__":
    sys.exit(run(submit_shards, None, "submit_shards"))
