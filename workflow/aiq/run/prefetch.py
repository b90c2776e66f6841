"""Bring the data that a configuration reads to this machine, before jobs run where there is no network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from aiq.domains.base import Request, naming
from aiq.domains.family import chosen
from aiq.domains.labelled.library_sets import Torchvision, fetch
from aiq.domains.registry import FAMILIES, check_presence
from aiq.errors import DomainError
from aiq.plans.named import named_by, stored_for
from aiq.plans.run import AnyRun, Run
from aiq.settings import Settings

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Fetched:
    """What one data set needed.

    Attributes:
        data: what it is: a data set of torchvision, a file or folder, or what its source makes itself.
        domains: domains that are read from it.
        done: ``downloaded``, ``there`` (it was), or ``nothing to fetch`` (its source makes it, or a package has it).
        files: files below it.
        size: bytes of them.
    """

    data: str
    domains: tuple[str, ...]
    done: str
    files: int
    size: int

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        return {
            "data": self.data,
            "domains": list(self.domains),
            "done": self.done,
            "files": self.files,
            "bytes": self.size,
        }


def prefetch(config: Mapping[str, Any], report: Report = lambda what: None) -> list[Fetched]:
    """Download what the domains' sources need and is not there yet, check all of it, and change nothing else.

    It downloads whether or not the configuration has ``download: true``, which is about jobs. Called again it only
    looks: every data set of torchvision is opened, every file or folder is looked for.

    Raises:
        ConfigurationError: the configuration is wrong.
        DomainError: data are missing or damaged and cannot be had, with what to do.
    """
    run: AnyRun = Run.of(config)
    given: Mapping[str, Settings] = getattr(run.configuration, "domains", None) or {}
    domains = {name: getattr(settings, "labelled", settings) for name, settings in given.items()}
    root: str | None = getattr(run.configuration, "data_root", None)
    read: dict[str, list[str]] = {}
    for name, settings in domains.items():
        if not isinstance(settings, Torchvision):
            check_presence(name, settings, data_root=root)
        read.setdefault(_data(settings, root), []).append(name)
    return [
        _fetched(data, tuple(names), domains[names[0]], root, report)
        for data, names in sorted(read.items(), key=lambda item: item[0])
    ]


def _data(settings: Settings, root: str | None) -> str:
    """Return in words what a domain is read from, the same for all that are read from the same."""
    if isinstance(settings, Torchvision):
        more = f" {settings.split}" if settings.name == "EMNIST" else ""
        return f"torchvision {settings.name}{more}"
    named = getattr(settings, "files", ())
    if named:
        return ", ".join(named_by(settings, root) or named)
    return f"source {getattr(settings, 'source', '')}"


def _fetched(data: str, names: tuple[str, ...], settings: Settings, root: str | None, report: Report) -> Fetched:
    done = "nothing to fetch"
    if isinstance(settings, Torchvision):
        chosen(FAMILIES, settings)
        done = _downloaded(names[0], settings, root, lambda: report(f"downloading {data} to {root or 'data'}"))
    paths = [*stored_for(settings, root), *named_by(settings, root)]
    files = [file for path in map(Path, paths) for file in (path.rglob("*") if path.is_dir() else [path])]
    sizes = [file.stat().st_size for file in files if file.is_file()]
    if sizes and done != "downloaded":
        done = "there"
    return Fetched(data, names, done, len(sizes), sum(sizes))


def _downloaded(name: str, settings: Torchvision, root: str | None, begin: Callable[[], None]) -> str:
    request = Request(name, 0, (), Path(root or "data").expanduser(), download=False)
    with naming(name):
        try:
            fetch(settings, request)
        except DomainError:
            begin()
        else:
            return "there"
        try:
            fetch(settings, replace(request, download=True))
        except DomainError as error:
            raise DomainError(f"{error}; a download needs a network, which compute nodes often lack") from error
    return "downloaded"
