"""Everything that all rules share: the checked configuration, the environment of jobs, resources, captions."""

import hashlib
import os
import shlex
import sys
from itertools import takewhile
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.settings.types import SharedFSUsage

LIBRARY = Path(str(workflow.current_basedir.get_path_or_uri(secret_free=True))).parent
if (
    LIBRARY / "aiq" / "__init__.py"
).is_file():  # a checkout; elsewhere aiq is installed
    sys.path.insert(0, str(LIBRARY))
    _paths = dict(os.environ).get("PYTHONPATH", "").split(os.pathsep)
    if str(LIBRARY) not in _paths:  # scripts run the code that planned their job
        _paths = [str(LIBRARY), *filter(None, _paths)]
        os.environ.update(PYTHONPATH=os.pathsep.join(_paths))

from aiq.errors import AiqError
from aiq.plans.run import Run
from aiq.plans.workflow import LOOKING, beyond, carried
from aiq.plans.workflow import caption as caption_file


def rules_of_job():
    """Rules of the job that this process was started for; none in the process that plans the whole run.

    A job parses the workflow anew. It needs its own rules only, whatever the size of the suite.
    """
    if not {"--mode", "--allowed-rules"} <= set(sys.argv):
        return frozenset()
    words = sys.argv[sys.argv.index("--allowed-rules") + 1 :]
    return frozenset(takewhile(lambda word: not word.startswith("-"), words))


def without_shared_files():
    """Whether jobs see no file of this machine but those that they declare."""
    return SharedFSUsage.INPUT_OUTPUT not in workflow.storage_settings.shared_fs_usage


def sent_through_storage():
    """Whether code goes to jobs as one archive in a storage, since they see no file of this machine."""
    settings = workflow.storage_settings
    missing = SharedFSUsage.SOURCES not in settings.shared_fs_usage
    return missing and settings.default_storage_provider is not None


OWN_RULES = rules_of_job()

_words = {word.split("=")[0] for word in sys.argv}
STARTS = workflow.is_main_process and not LOOKING & _words  # a run or a dry run, no job

try:
    RUN = Run.of(config)
    RESULTS = {} if OWN_RULES else RUN.plan.results()
    if STARTS:

        from aiq.execution import start_once
        from aiq.run.checks import check_named

        check_named(RUN)
        start_once()

except AiqError as error:
    raise WorkflowError(str(error)) from None

CONFIGURATION, PLAN, LAYOUT = RUN.configuration, RUN.plan, RUN.layout
_rules = {named.rule for named in PLAN.steps} | {made.name for made in PLAN.products()}
if not OWN_RULES & (_rules | {"write_page"}):
    OWN_RULES = frozenset()  # this is a module, whose rules have other names
MEASURE = CONFIGURATION.measure
_configfiles = [str(path) for path in workflow.configfiles]
if STARTS and sent_through_storage():  # Snakemake sends them with the workflow's code
    workflow.configfiles += carried(CONFIGURATION)
_named = _configfiles[0] if _configfiles else "CONFIG"
os.environ.setdefault("AIQ_REDO", shlex.join(["aiq", "run", _named, "--resume"]))
os.environ.setdefault("OMP_NUM_THREADS", str(getattr(CONFIGURATION, "threads", 1)))
os.environ.setdefault("MPLBACKEND", "agg")


def growing(base):
    """A resource that grows with the attempt: a number, or a function of the wildcards that gives one."""

    def asked(wildcards, attempt):
        return (base(wildcards) if callable(base) else base) * attempt

    return asked


megabytes = growing


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


def from_here(files):
    """Files of a person's own: they lie on this machine and in no storage; a job that reads one then runs here."""
    return [local(file) for file in files]


def code_from_here(files):
    """Code of a person's own, so that a change in it is noticed; where no file is shared it travels with the workflow.

    Raises:
        WorkflowError: it cannot travel, since it lies outside the working folder.
    """
    if not without_shared_files():
        return files
    if lost := beyond(files):
        raise WorkflowError(
            f"{lost[0]} lies outside the working folder, and jobs share no files with this machine; move it here"
        )
    return []


def with_code(fingerprint, files):
    """A fingerprint; with the content of code that is no input of the job, since no file is shared."""
    if not (files and without_shared_files()):
        return fingerprint
    digests = [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files]
    return [fingerprint, *digests]


def caption(name):
    """The file of a caption: of the measure's own, or of those that all share."""
    return str(caption_file(MEASURE, name))
