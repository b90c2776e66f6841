"""What made a file: version and commit of the code, packages, Python, host, and how long the job had run."""

from __future__ import annotations

import hashlib
import json
import platform
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from aiq import __version__
from aiq.plans.stages import behind
from aiq.storage.files import replacing

PACKAGES = ("numpy", "scipy", "torch", "torchvision", "scikit-learn", "gymnasium", "pybullet", "h5py", "numba")
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
    """Return versions of code and packages, Python, host, the code's commit, and the job's wall seconds so far.

    ``stages`` are the stages behind a fingerprint with their versions, where a plan made it; ``commit`` is there
    where the code runs from a checkout (``-dirty`` where that has changes), ``seconds`` inside of ``job_time``.
    """
    found = {"aiq": __version__, "python": platform.python_version(), "host": socket.gethostname()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    revision, started = commit(), _STARTED.get()
    if revision is not None:
        found["commit"] = revision
    if started is not None:
        found["seconds"] = f"{time.monotonic() - started:.3f}"
    if versions := behind([fingerprint]):
        found["stages"] = ", ".join(f"{name} {version}" for name, version in versions.items())
    return found


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

    Args:
        path: the JSON file.
        of: the file that it is about.
        configuration_hash: fingerprint of the whole configuration.
        seed: the root seed.
        stages: versions of the stages behind it.
        settings: the whole configuration, every default written out.
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
        temporary.write_text(json.dumps(record, indent=2, sort_keys=True) + "\n", encoding="utf-8")
