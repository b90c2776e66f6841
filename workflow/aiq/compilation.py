"""Compilation with numba and a disk cache that never serves stale code and never stands in the way.

Numba's own cache of a function notices changes of the file that holds the function, not of the files
whose compiled functions it calls. Here the folder of the cache carries a digest of every source of the package
that is compiled, so that any change compiles afresh. It lies under ``NUMBA_CACHE_DIR`` where that is set, else
in the package's ``__pycache__``, else in the user's cache folder: the first of them in which a file can be made.
Where there is none (a read-only installation without a home), functions are compiled anew in every process.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import tempfile
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

numba: Any = importlib.import_module("numba")  # typed only in its latest releases

Function = TypeVar("Function", bound=Callable[..., Any])


def _can_hold_files(folder: Path) -> bool:
    """Make ``folder`` and a file in it, and return whether that worked; only the folder stays."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _home_cache() -> list[Path]:
    """Return the user's cache folder, if the user has a home."""
    chosen = os.environ.get("XDG_CACHE_HOME")
    try:
        return [Path(chosen) if chosen else Path.home() / ".cache"]
    except RuntimeError:  # no home is known
        return []


class Compiler:
    """Compiles the functions of one package.

    Args:
        sources: folder of the package; all its Python files count for the digest, and none below it.
    """

    def __init__(self, sources: Path) -> None:
        self._sources = sources

    @property
    def digest(self) -> str:
        """Hexadecimal digest of what determines the compiled code: sources, this file and numba's version."""
        found = hashlib.sha256(numba.__version__.encode())
        for source in [Path(__file__), *sorted(self._sources.glob("*.py"))]:
            found.update(source.name.encode() + b"\0" + source.read_bytes())
        return found.hexdigest()[:16]

    @cached_property
    def folder(self) -> Path | None:
        """The folder of compiled code for exactly these sources, or None where no file can be made."""
        chosen = os.environ.get("NUMBA_CACHE_DIR")
        bases = [Path(chosen)] if chosen else []
        bases += [self._sources / "__pycache__", *(base / "aiq" for base in _home_cache())]
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
        return dispatcher
