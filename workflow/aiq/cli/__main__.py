"""``python -m aiq.cli``."""

import sys

from aiq.cli.main import main

sys.exit(main())
