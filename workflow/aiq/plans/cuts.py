"""Cut units of work into blocks, and name a block by what it holds."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def blocks(count: int, size: int) -> list[tuple[int, int]]:
    """Cut ``count`` items into blocks of at most ``size``: (first, last), inclusive."""
    return [(first, min(first + size, count) - 1) for first in range(0, count, size)]


def digest(names: Sequence[str]) -> str:
    """Return eight hexadecimal digits that name a block by what it holds."""
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:8]
