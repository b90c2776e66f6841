"""Cut units of work into blocks, name a block by what it holds, and name the twins of domains."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def blocks(count: int, size: int) -> list[tuple[int, int]]:
    """Cut ``count`` items into blocks of at most ``size``: (first, last), inclusive."""
    return [(first, min(first + size, count) - 1) for first in range(0, count, size)]


def digest(names: Sequence[str]) -> str:
    """Return eight hexadecimal digits that name a block by what it holds."""
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:8]


def twin(domain: str, number: int) -> str:
    """Return the name of a domain's twin; '~' occurs in no domain's name."""
    return f"{domain}~{number}"


def parted(name: str) -> tuple[str, int]:
    """Return the domain behind a name and the number of its twin, 0 for the domain itself."""
    domain, _, number = name.partition("~")
    return domain, int(number or 0)
