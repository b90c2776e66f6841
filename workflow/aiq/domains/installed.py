"""Whether the packages that a source needs are there."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec

from aiq.errors import DomainError


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
