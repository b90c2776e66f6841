"""Configurations with some keys changed, and files with a bit flipped, for tests that start from good ones."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MISSING = object()
"""As a value: the key is removed."""


def changed(raw: Mapping[str, Any], /, **changes: Any) -> dict[str, Any]:
    """Return a copy with some keys changed; ``pool__size=12`` reaches into a section, made where it is missing."""
    made = copy.deepcopy(dict(raw))
    for key, value in changes.items():
        *sections, last = key.split("__")
        target = made
        for section in sections:
            target = target.setdefault(section, {})
        if value is MISSING:
            del target[last]
        else:
            target[last] = value
    return made


def changed_at(raw: Mapping[str, Any], place: str, value: object) -> dict[str, Any]:
    """Return a copy with the value at one place, such as ``pool/size``, changed."""
    return changed(raw, **{place.replace("/", "__"): value})


def flip(path: Path, place: int | None = None) -> None:
    """Flip a bit of a file, in its middle if no place is said."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2 if place is None else place] ^= 1
    path.write_bytes(data)
