"""Compilation with numba and a disk cache that never serves stale code and never stands in the way.

Numba's own cache of a function notices changes of the file that holds the function, not of the files
whose compiled functions it calls. Here the folder of the cache carries a digest of every source of the package
that is compiled, so that any change compiles afresh. It lies under ``NUMBA_CACHE_DIR`` where that is set, else
in the package's ``__pycache__``, else in the user's cache folder: the first of them in which a file can be made.
Where there is none (a read-only installation without a home), functions are compiled anew in every process.

Many jobs may compile the same function at once, on a file system that they share. Numba picks the name of a new file
from an index that it has read before, with no lock, so that two of them could leave one's index entry on the other's
code. Here each processor type has a folder of its own, and one process writes at a time. What cannot be written (a
full disk) is compiled again next time.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

numba: Any = importlib.import_module("numba")  # typed only in its latest releases
llvm: Any = importlib.import_module("llvmlite.binding")

Function = TypeVar("Function", bound=Callable[..., Any])


def _can_hold_files(folder: Path) -> bool:
    """Make ``folder`` and a file in it, and return whether that worked; only the folder stays."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


@cache
def _processor() -> bytes:
    """Return name and instructions of this processor, for which numba compiles."""
    return f"{llvm.get_host_cpu_name()} {sorted(llvm.get_host_cpu_features().items())}".encode()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other process is in here with the same folder; at once where the system has no such locks."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    with (folder / "lock").open("ab") as file:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _guard(stored: Any, folder: Path) -> None:
    """Let one process at a time add to a function's stored code, and no failure to write stop who has compiled."""
    save = stored.save_overload

    def save_overload(signature: Any, code: Any) -> None:
        with suppress(OSError), _alone(folder):
            save(signature, code)

    stored.save_overload = save_overload


class Compiler:
    """Compiles the functions of one package, of which all Python files count for the digest, and none below it."""

    def __init__(self, sources: Path) -> None:
        self._sources = sources

    @property
    def digest(self) -> str:
        """Hexadecimal digest of what determines the code: sources, this file, numba's version and the processor."""
        digest = hashlib.sha256(numba.__version__.encode() + b"\0" + _processor())
        for source in [Path(__file__), *sorted(self._sources.glob("*.py"))]:
            digest.update(source.name.encode() + b"\0" + source.read_bytes())
        return digest.hexdigest()[:16]

    @cached_property
    def folder(self) -> Path | None:
        """The folder of compiled code for exactly these sources, or None where no file can be made."""
        chosen, users = os.environ.get("NUMBA_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME")
        bases = [Path(chosen)] if chosen else []
        bases.append(self._sources / "__pycache__")
        with suppress(RuntimeError):  # no home is known
            bases.append((Path(users) if users else Path.home() / ".cache") / "aiq")
        name = f"compiled-{self.digest}"
        return next((base / name for base in bases if _can_hold_files(base / name)), None)

    def __call__(self, function: Function, **options: Any) -> Function:
        """Return the dispatcher of ``function``: divisions as numpy makes them, no fast-math unless it is an option."""
        before = numba.config.CACHE_DIR
        try:
            if self.folder is not None:
                numba.config.CACHE_DIR = str(self.folder)
            dispatcher: Function = numba.njit(cache=self.folder is not None, error_model="numpy", **options)(function)
        finally:
            numba.config.CACHE_DIR = before
        stored = getattr(dispatcher, "_cache", None)  # none where numba is told not to compile
        if self.folder is not None and stored is not None:
            _guard(stored, self.folder)
        return dispatcher
