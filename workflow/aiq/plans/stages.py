"""Stages with versions, and fingerprints that know the stages behind them.

A stage is one kind of work. Its version stands in the fingerprints of what it makes and, through them, of all that
follows: a raised version redoes that stage and what follows, nothing before. See docs/reference/stage-versions.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from aiq.config.base import fingerprint


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


class Fingerprint(str):
    """A fingerprint with the versions of all stages behind it.

    Pickled and copied it becomes a plain string: the versions are for those who make it.
    """

    versions: Mapping[str, int]

    def __new__(cls, text: str, versions: Mapping[str, int]) -> Fingerprint:
        """Join the text with the versions by stage."""
        made = super().__new__(cls, text)
        made.versions = MappingProxyType(dict(versions))
        return made

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Leave the versions behind."""
        return str, (str(self),)


@dataclass(frozen=True, slots=True)
class Stage:
    """One kind of work.

    Attributes:
        name: the first word of its fingerprints.
        version: raised when what the stage computes from the same settings changes.
    """

    name: str
    version: int

    def fingerprint(self, *parts: Any) -> Fingerprint:
        """Return what identifies work of this stage: its name, its version, and everything that it depends on."""
        return Fingerprint(fingerprint(self.name, self.version, *parts), {**behind(parts), self.name: self.version})


def joined(*parts: Any) -> Fingerprint:
    """Return the fingerprint of what puts other work together without a stage of its own (a shard of units)."""
    return Fingerprint(fingerprint(*parts), behind(parts))


def behind(parts: Iterable[Any]) -> dict[str, int]:
    """Return stage -> version of all stages behind the fingerprints in some parts, however deep in lists."""
    versions: dict[str, int] = {}
    for part in parts:
        if isinstance(part, Fingerprint):
            versions.update(part.versions)
        elif isinstance(part, list | tuple):
            versions.update(behind(part))
    return dict(sorted(versions.items()))
