"""Everything that all rules share: the checked configuration, the environment of jobs, resources, captions."""

import os
import shlex
import sys
from itertools import takewhile
from pathlib import Path

from snakemake.exceptions import WorkflowError

LIBRARY = Path(workflow.basedir) / "workflow"
if (LIBRARY / "aiq").is_dir():  # a checkout; elsewhere aiq is installed
    sys.path.insert(0, str(LIBRARY))

from aiq.errors import AiqError
from aiq.plans.run import Run


def rules_of_job():
    """Rules of the job that this process was started for; none in the process that plans the whole run.

    A job parses the workflow anew. It needs its own rules only, whatever the size of the suite.
    """
    if not {"--mode", "--allowed-rules"} <= set(sys.argv):
        return frozenset()
    words = sys.argv[sys.argv.index("--allowed-rules") + 1 :]
    return frozenset(takewhile(lambda word: not word.startswith("-"), words))


OWN_RULES = rules_of_job()

LOOKING = {"--unlock", "--report", "--lint", "--list-rules", "--summary"}
_words = {word.split("=")[0] for word in sys.argv}
STARTS = workflow.is_main_process and not LOOKING & _words  # a run or a dry run, no job

try:
    RUN = Run.of(config)
    RESULTS = {} if OWN_RULES else RUN.plan.results()
    if STARTS:

        from aiq.tasks.running.checks import check_named

        check_named(RUN)

except AiqError as error:
    raise WorkflowError(str(error)) from None

CONFIGURATION, PLAN, LAYOUT = RUN.configuration, RUN.plan, RUN.layout
MEASURE = CONFIGURATION.measure
_configfiles = [str(path) for path in workflow.configfiles]
_command = ["snakemake", "--cores", "1"]
if Path("Snakefile").resolve() != Path(workflow.main_snakefile).resolve():
    _command += ["--snakefile", str(workflow.main_snakefile)]
if _configfiles:
    _command += ["--configfile", *_configfiles]
os.environ.update(AIQ_SNAKEMAKE=shlex.join(_command))
os.environ.setdefault("OMP_NUM_THREADS", str(getattr(CONFIGURATION, "threads", 1)))
os.environ.setdefault("MPLBACKEND", "agg")


def growing(base):
    """A resource that grows with the attempt: a number, or a function of the wildcards that gives one."""

    def asked(wildcards, attempt):
        return (base(wildcards) if callable(base) else base) * attempt

    return asked


def minutes(base):
    """Run time that grows with the attempt, up to the longest that the profile allows."""
    longest = partition_minutes()

    def asked(wildcards, attempt):
        return capped(growing(base)(wildcards, attempt), longest)

    return asked


def partition_minutes():
    """The resource partition_minutes of the profile, or none."""
    defaults = workflow.resource_settings.default_resources or {}
    found = defaults["partition_minutes"] if "partition_minutes" in defaults else None
    return getattr(found, "value", found)


def capped(wanted, longest):
    """What is asked for, never more than the longest that is allowed."""
    return wanted if longest is None else min(wanted, longest)


def megabytes(base):
    """Memory that grows with the attempt."""
    return growing(base)


CAPTIONS = Path(workflow.basedir) / "workflow" / "report"
