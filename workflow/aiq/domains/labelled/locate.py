"""Find the files that a configuration names."""

from __future__ import annotations

from pathlib import Path

from aiq.domains.base import Request
from aiq.errors import DomainError


def locate(path: str, request: Request, what: str) -> Path:
    """Return the path from here if it exists, else the path from the folder of data sets.

    Raises:
        DomainError: it is in neither place.
    """
    here = Path(path).expanduser()
    there = request.data_root / here
    for place in (here, there):
        if place.exists():
            return place
    looked = f"{here.absolute()}" if here.is_absolute() else f"{here.absolute()} and {there.absolute()}"
    raise DomainError(f"there is no {what} at {looked}: correct path or set data_root")
