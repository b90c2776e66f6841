"""Compilation of the inner loops with numba, with a disk cache that never serves stale code.

Numba's own cache of a function notices changes of the file that holds the function, not of the files
whose compiled functions it calls. Here the cache folder carries a digest of every source of this
package, so that any change compiles afresh. The folder lies under ``NUMBA_CACHE_DIR`` where that is
set, else in this package's ``__pycache__``, else in the user's cache folder; where none of them can be
written, functions are compiled anew in every process.
"""

from __future__ import annotations

import hashlib
import importlib
import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numpy.typing as npt

numba: Any = importlib.import_module("numba")  # typed only in its latest releases

Array = npt.NDArray[Any]
Function = TypeVar("Function", bound=Callable[..., Any])

_SOURCES = Path(__file__).parent


def _writable(folder: Path) -> bool:
    """Return whether files can be made in ``folder``, judged at its closest existing ancestor."""
    for candidate in (folder, *folder.parents):
        if candidate.exists():
            return candidate.is_dir() and os.access(candidate, os.W_OK | os.X_OK)
    return False


@lru_cache(maxsize=1)
def cache_folder() -> Path | None:
    """Return the folder of compiled code for exactly these sources, or None where nothing can be written."""
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(_SOURCES.glob("*.py")):
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    bases = ([Path(chosen)] if chosen else []) + [_SOURCES / "__pycache__", user / "aiq"]
    for base in bases:
        if _writable(base):
            return base / f"compiled-{digest.hexdigest()[:16]}"
    return None


def compiled(function: Function) -> Function:
    """Compile ``function`` without fast-math, so that it computes what the same Python code computes."""
    return _compile(function, {})


def compiled_leaf(function: Function) -> Function:
    """Compile a function of the inner loop, one that makes no array and no view of one.

    Numba counts references to every array that a function touches, with atomic operations that cost more
    than a cycle of the machine. A function that makes no array needs no counting (option ``_nrt``).
    """
    return _compile(function, {"_nrt": False})


def _compile(function: Function, options: dict[str, bool]) -> Function:
    """Return the dispatcher of ``function``, with the cache folder of these sources."""
    folder = cache_folder()
    before = numba.config.CACHE_DIR
    try:
        if folder is not None:
            numba.config.CACHE_DIR = str(folder)
        dispatcher: Function = numba.njit(cache=folder is not None, error_model="numpy", **options)(function)
    finally:
        numba.config.CACHE_DIR = before
    return dispatcher
