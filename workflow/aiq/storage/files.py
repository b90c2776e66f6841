"""Put files in place whole or not at all, and tell what made them."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from aiq import __version__
from aiq.errors import StorageError

TEMPORARY = ".part"  # how names of unfinished files end


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; rename it over ``path`` once the block has succeeded.

    The temporary name is unique, so that two jobs that write the same file never mix. The file and its
    folder are synced before and after the rename. If the block fails, the temporary file is removed
    and ``path`` stays as it was. A link stays, and the file that it leads to is replaced. A pipe or a character device
    stays, too: what the block wrote is then written into it.

    Raises:
        StorageError: the path names no file, or something that holds none; the folder cannot be written; the disk is
            full.
    """
    try:
        with _into(Path(path)) if check_writable(path) else _beside(_followed(path)) as temporary:
            yield temporary
    except OSError as error:
        reason = " ".join((error.strerror or str(error)).split())
        raise StorageError(f"{path} cannot be written: {reason}; free space or choose another folder") from error


def check_writable(path: str | Path) -> bool:
    """Return whether a path is a pipe or a character device, which is written into and never replaced.

    StorageError where it is empty or a folder, a block device or a socket, or where no file can be made.
    """
    if not Path(path).name or str(path).endswith("/") or Path(path).is_dir():
        why = "it is a folder" if Path(path).name and Path(path).is_dir() else "it names no file"
        raise StorageError(f"{str(path)!r} cannot be written: {why}; give the name of a file")
    mode = stat.S_IFREG
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        pass
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}; choose another name") from error
    if stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
        kind = "block device" if stat.S_ISBLK(mode) else "socket"
        raise StorageError(f"{path} cannot be written: it is a {kind}; give a file, a pipe or a character device")
    if not stat.S_ISREG(mode):
        return True
    folder = _followed(path).parent
    while not os.path.lexists(folder) and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir():
        raise StorageError(f"{path} cannot be written: {folder} is not a folder; choose another folder")
    if not os.access(folder, os.W_OK | os.X_OK, effective_ids=True):
        raise StorageError(f"{path} cannot be written: Permission denied in {folder}; choose another folder")
    return False


def _followed(path: str | Path) -> Path:
    """Return the file that a link leads to, or the path itself."""
    return Path(os.path.realpath(path)) if os.path.islink(path) else Path(path)


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """Yield a temporary path in the folder of a file; rename it over the file once the block has succeeded."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}-{uuid.uuid4().hex[:12]}{TEMPORARY}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        _sync(temporary)
        os.replace(temporary, target)
        _sync(target.parent)
    finally:
        with suppress(OSError):  # where the folder itself is none, the reason that is raised is the one to tell
            temporary.unlink(missing_ok=True)


@contextmanager
def _into(stream: Path) -> Iterator[Path]:
    """Yield a temporary path; write its content into a pipe or a device once the block has succeeded."""
    with tempfile.TemporaryDirectory(prefix="aiq-") as folder:
        temporary = Path(folder) / "whole"
        yield temporary
        with stream.open("wb", buffering=0) as file, temporary.open("rb") as whole:
            shutil.copyfileobj(whole, file)


def clock(folder: str | Path) -> float:
    """Return the time by the file system of a folder, which on a cluster may differ from this machine's."""
    handle, name = tempfile.mkstemp(dir=folder, prefix=".aiq-clock-")
    try:
        os.close(handle)
        return Path(name).stat().st_mtime
    finally:
        Path(name).unlink()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# ---- What made a file ----------------------------------------------------------------------------

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
    if versions := getattr(fingerprint, "versions", None):
        facts["stages"] = ", ".join(f"{name} {version}" for name, version in sorted(versions.items()))
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
