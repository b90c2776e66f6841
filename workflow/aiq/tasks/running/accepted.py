"""Whether Snakemake would take a call: cores, profile, further words, and the working folder."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from aiq.errors import InputError
from aiq.plans import workflow
from aiq.tasks.running.call import Snakemake
from aiq.tasks.running.checks import check_working_folder

CORES = re.compile(r"all|0*[1-9][0-9]*")
PARSER = """
import sys
from snakemake.cli import parse_args, parse_cores
_, found = parse_args(sys.argv[1:])
if found.cores is not None and parse_cores(found.cores) < 1:
    sys.exit("error: the number of cores must be at least 1")
"""


def check_call(snakemake: Snakemake) -> None:
    """Refuse a number of cores, a profile and arguments that Snakemake would refuse, and a folder that it cannot use.

    Raises:
        InputError: one sentence.
    """
    if snakemake.cores is not None and CORES.fullmatch(snakemake.cores) is None:
        raise InputError(f"--cores is {snakemake.cores!r}; allowed are whole numbers from 1, and all")
    check_working_folder()
    own = Path(workflow.profile(snakemake.profile)).is_dir()
    if snakemake.arguments or not own:
        _check_parsed(snakemake, own)


def _check_parsed(snakemake: Snakemake, own: bool) -> None:
    """Refuse what Snakemake's own parser refuses; ``own`` says that the profile is found by this workflow."""
    command = [sys.executable, "-c", PARSER, *snakemake.words()[3:]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return
    said = (done.stderr.split("rror: ")[-1].split("Exception: ")[-1].strip().splitlines() or ["it does not say why"])[0]
    if not own and "profile" in said:
        known = sorted(path.name for path in (workflow.root() / "profiles").iterdir() if path.name != "default")
        raise InputError(
            f"--profile is {snakemake.profile!r}, which is found nowhere; allowed are {', '.join(known)}, and a folder "
            "with a config.yaml"
        )
    raise InputError(f"Snakemake refuses what follows --: {said.rstrip('.')}; see snakemake --help")
