"""What made a file: version and commit of the code, packages, Python, host, and how long the job had run."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from aiq import __version__
from aiq.plans.stages import behind
from aiq.storage.files import replacing

PACKAGES = ("numpy", "scipy", "torch", "torchvision", "scikit-learn", "gymnasium", "pybullet", "h5py", "numba")
JOB_NUMBERS = ("SLURM_JOB_ID", "LSB_JOBID", "PBS_JOBID")  # where a scheduler tells a job its number
_STARTED: ContextVar[float | None] = ContextVar("started", default=None)


@contextmanager
def job_time() -> Iterator[None]:
    """Count the seconds of a job: files written inside tell how long it had run."""
    token = _STARTED.set(time.monotonic())
    try:
        yield
    finally:
        _STARTED.reset(token)


def provenance(fingerprint: str = "") -> dict[str, str]:
    """Return versions of code and packages, Python, machine, the code's commit, and the job's wall seconds so far.

    The machine is told by ``host``, ``processor`` and ``device`` (``cpu`` as long as the process has used no GPU),
    on a GPU also by its ``driver``, on a cluster by ``node`` and ``job``, the number of the job.
    ``stages`` are the stages behind a fingerprint with their versions, where a plan made it; ``commit`` is there
    where the code runs from a checkout (``-dirty`` where that has changes), ``seconds`` inside of ``job_time``.
    """
    facts = {"aiq": __version__, "python": platform.python_version(), **machine()}
    for package in PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            facts[package] = metadata.version(package)
    revision, started = commit(), _STARTED.get()
    if revision is not None:
        facts["commit"] = revision
    if started is not None:
        facts["seconds"] = f"{time.monotonic() - started:.3f}"
    if versions := behind([fingerprint]):
        facts["stages"] = ", ".join(f"{name} {version}" for name, version in versions.items())
    return facts


def machine() -> dict[str, str]:
    """Return host, processor and device of this process, with driver, node and job number where there are any."""
    facts = {"host": socket.gethostname(), "processor": _processor(), "device": "cpu"}
    cuda = getattr(sys.modules.get("torch"), "cuda", None)  # where torch is not loaded, nothing ran on a GPU
    if cuda is not None and cuda.is_initialized():
        facts["device"] = f"cuda ({cuda.get_device_name()})"
        facts["driver"] = _line("/proc/driver/nvidia/version", "NVRM version:") or "unknown"
    number = next((os.environ[name] for name in JOB_NUMBERS if os.environ.get(name)), None)
    if number is not None:
        facts["node"] = os.environ.get("SLURMD_NODENAME") or socket.gethostname()
        facts["job"] = number
    return facts


@cache
def _processor() -> str:
    """Return the name of the processor, or its architecture where the system does not tell more."""
    return _line("/proc/cpuinfo", "model name") or platform.processor() or platform.machine()


def _line(path: str, start: str) -> str:
    """Return what stands after the colon of the first line of a file that begins so; empty where there is none."""
    try:
        lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((" ".join(line.partition(":")[2].split()) for line in lines if line.startswith(start)), "")


@cache
def commit() -> str | None:
    """Return the commit of the checkout that the code runs from, or None where it is installed or git is missing."""
    root = Path(__file__).resolve().parents[3]
    if not (root / ".git").exists():
        return None
    describe = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        done = subprocess.run(describe, capture_output=True, text=True, check=False, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None


def write_beside(
    path: str | Path,
    of: str | Path,
    configuration_hash: str,
    seed: int,
    stages: Mapping[str, int] | None = None,
    settings: Mapping[str, Any] | None = None,
) -> None:
    """Write what made a file that cannot tell itself (a table), with its SHA-256, as one JSON object.

    ``stages``: versions of the stages behind it. ``settings``: the whole configuration, every default written out; its
    order is kept, as that of tests can matter.
    """
    record = {
        "file": Path(of).name,
        "sha256": hashlib.sha256(Path(of).read_bytes()).hexdigest(),
        "configuration_hash": configuration_hash,
        "seed": seed,
        "stages": dict(stages or {}),
        "settings": dict(settings or {}),
        "software": provenance(),
    }
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
