"""Everything that all rules share: the checked configuration, the environment of jobs, resources, captions."""

import os
import shlex
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

sys.path.insert(0, str(Path(workflow.basedir) / "workflow"))

from aiq.errors import AiqError
from aiq.plans.run import Run

try:
    RUN = Run.of(config)
    RESULTS = RUN.plan.results()
except AiqError as error:
    raise WorkflowError(str(error)) from None

CONFIGURATION, PLAN, LAYOUT = RUN.configuration, RUN.plan, RUN.layout
MEASURE = CONFIGURATION.measure
_configfiles = [str(path) for path in workflow.configfiles]
os.environ.update(
    AIQ_SNAKEMAKE=shlex.join(
        [
            "snakemake",
            "--cores",
            "1",
            *(["--configfile", *_configfiles] if _configfiles else []),
        ]
    )
)
os.environ.setdefault("OMP_NUM_THREADS", str(getattr(CONFIGURATION, "threads", 1)))
os.environ.setdefault("MPLBACKEND", "agg")


def growing(base):
    """A resource that grows with the attempt: a number, or a function of the wildcards that gives one."""

    def asked(wildcards, attempt):
        return (base(wildcards) if callable(base) else base) * attempt

    return asked


def minutes(base):
    """Run time that grows with the attempt."""
    return growing(base)


def megabytes(base):
    """Memory that grows with the attempt."""
    return growing(base)


CAPTIONS = Path(workflow.basedir) / "workflow" / "report"
