"""Whether the packages that a source needs are there, and that modules of the working folder are found."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from aiq.errors import DomainError


def find_own_modules() -> None:
    """Let modules of the working folder be imported, after those that are installed."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)


def check_installed(source: str, modules: Iterable[str]) -> None:
    """Refuse a source whose packages are missing.

    Raises:
        DomainError: a module that the source imports is not installed.
    """
    for module in modules:
        if find_spec(module) is None:
            raise DomainError(
                f"source {source!r} needs the Python package that provides {module!r}, which is not installed: "
                "it comes with the extra train: pip install 'aiq[train]'"
            )
