"""Check everything that a configuration names before anything runs: paths, data, columns, code of agents.

The data of domains can be brought to this machine, before jobs run where there is no network.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from aiq.config.agents import load_factory
from aiq.config.base import STORE_VARIABLE
from aiq.domains.base import Request, naming
from aiq.domains.family import chosen
from aiq.domains.labelled.library_sets import Torchvision, fetch
from aiq.domains.registry import FAMILIES, check_presence
from aiq.errors import DomainError, InputError
from aiq.plans.cost import sizes
from aiq.plans.run import AnyRun, Run, SuiteRun, measure_of
from aiq.plans.workflow import named_by, stored_for
from aiq.settings import Settings

RECORDS = ".snakemake"
"""The folder of Snakemake's own records, below the working folder."""

Look = tuple[str, Callable[[], object]]
"""What is looked at, and what raises an ``AiqError`` where it is not well."""


def check_named(run: AnyRun) -> None:
    """Refuse a run that names what is not there or cannot be used.

    Raises:
        AiqError: one sentence about the first thing that is wrong.
    """
    for _, look in looks(run):
        look()


def looks(run: AnyRun) -> Iterator[Look]:
    """Yield what is looked at before a run starts: its name, and what raises an ``AiqError`` where it is not well.

    Every measure may have ``checks`` of its own.
    """
    yield "working folder", check_working_folder
    yield "results", partial(check_results, run.configuration.results)
    named, folder = "store", getattr(run.configuration, "store", None)
    if not folder:
        named, folder = STORE_VARIABLE, os.environ.get(STORE_VARIABLE)
    if folder:
        yield "store", partial(check_store, folder, named)
    its = measure_of(run.configuration.measure)
    if its.checks:
        yield from its.part("checks")(run)


def check_results(folder: str | Path) -> None:
    """Refuse a results folder that is a file, or that cannot be written."""
    why = unwritable(Path(folder))
    if why is not None:
        raise InputError(f"results is {folder}, but {why}; name a folder that can be written")


def check_store(folder: str | Path, named: str = "store") -> None:
    """Refuse a store that is a file, or is not there and cannot be made; one that may be read only serves as it is.

    ``named``: the key or the variable that names it.
    """
    wanted = Path(folder).expanduser()
    if wanted.is_dir():
        return
    why = unwritable(wanted)
    if why is not None:
        raise InputError(
            f"{named} is {folder}, but {why}; name a folder that is there or can be made, or leave {named} out"
        )


def check_working_folder() -> None:
    """Refuse a working folder in which Snakemake cannot keep its records."""
    why = unwritable(Path(RECORDS))
    if why is not None:
        raise InputError(
            f"Snakemake keeps its records in {RECORDS} of the working folder, but {why}; work in another folder"
        )


def existing(path: Path) -> Path:
    """Return a path, or the nearest folder above it that is there."""
    path = path.absolute()
    return next(place for place in (path, *path.parents) if place.exists())


def unwritable(folder: Path) -> str | None:
    """Return why nothing can be written into a folder that is there or is to be made; None where it can be."""
    place = existing(folder)
    if not place.is_dir():
        return f"{place} is a file"
    try:
        tempfile.TemporaryFile(dir=place).close()
    except OSError as error:
        return f"{place} cannot be written ({error.strerror})"
    return None


def suite_looks(run: SuiteRun) -> Iterator[Look]:
    """Yield domains, agents, learners and tables, each with what refuses it where it is not there or cannot be used."""
    c = run.configuration
    for name, settings in c.domains.items():
        yield f"domain {name}", partial(check_presence, name, settings, data_root=c.data_root, download=c.download)
    for agent in c.agents.outside:
        yield f"agent {agent.name}", partial(load_factory, agent.factory)
    if c.pool.learners is not None:
        yield "learners", partial(_check_learners, run)
    if c.agents.table is not None:
        yield "agents.table", partial(_check_table, run, c.agents.table)
    if not c.control and c.dissimilarity.twins_of == "tests" and c.dissimilarity.places:
        yield "dissimilarity.twins_of", partial(_check_one_space, run)


def _check_one_space(run: SuiteRun) -> None:
    """Refuse twins of tests whose inputs are known to lie in different places; the training sees what is not known."""
    shapes: dict[tuple[int, ...], str] = {}
    for name, settings in run.configuration.domains.items():
        held = sizes(settings)
        if held.certain:
            shapes.setdefault(held.shape, name)
    if len(shapes) > 1:
        (shape, first), (other, second) = [("×".join(map(str, sides)), name) for sides, name in shapes.items()][:2]
        raise InputError(
            f"dissimilarity.twins_of is tests, which is for inputs of one space, but {first} has {shape} inputs and "
            f"{second} {other}; set it to pairs"
        )


def remarks(run: AnyRun) -> Iterator[str]:
    """Yield what a person should know before a run, where nothing is refused: vectors that no label space joins.

    Kinship is measured by twins on inputs in places of their declared space; own archives declare none by themselves.
    """
    if run.configuration.measure != "aiq" or run.configuration.control or not run.configuration.dissimilarity.places:
        return
    from aiq.run.expected import looked_up

    spaces: dict[int, dict[str, str]] = {}
    for name, held in looked_up(run).items():
        if len(held.shape) == 1:
            spaces.setdefault(held.shape[0], {}).setdefault(run.configuration.domains[name].label_space, name)
    for length, first in spaces.items():
        if len(first) > 1:
            yield (
                f"{', '.join(first.values())} hold vectors of {length} numbers and share no labels: each has inputs in "
                "places of its own, so that one test under two names reads as two strangers; where columns and classes "
                "mean the same, give them the same labels: NAME"
            )


def _check_learners(run: SuiteRun) -> None:
    from aiq.policies.learners import members

    members(run.configuration.pool, run.configuration.seed)


def _check_table(run: SuiteRun, path: str) -> None:
    from aiq.tables.scores import performances_from_table

    agents = run.configuration.agents
    trained = {agent.name for agent in (*agents.networks, *agents.outside)}
    for name in performances_from_table(path, list(run.configuration.domains)).samples:
        if name in trained:
            raise InputError(f"{path}: agent {name} is also trained by this configuration; rename one of them")


# ---- data that are brought here ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fetched:
    """What one data set needed, by the domains that are read from it, its files and their bytes.

    ``data``: a data set of torchvision, a file or folder, or what its source makes itself. ``done``: ``downloaded``,
    ``there`` (it was), or ``nothing to fetch`` (its source makes it, or a package has it).
    """

    data: str
    domains: tuple[str, ...]
    done: str
    files: int
    size: int

    def as_dict(self) -> dict[str, object]:
        """Return a JSON-ready mapping."""
        source = {"data": self.data, "domains": list(self.domains), "done": self.done}
        return {**source, "files": self.files, "bytes": self.size}


def prefetch(config: Mapping[str, Any], report: Callable[[str], None] = lambda what: None) -> list[Fetched]:
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
        return f"torchvision {settings.name}{' balanced' if settings.name == 'EMNIST' else ''}"
    named = getattr(settings, "files", ())
    if named:
        return ", ".join(named_by(settings, root) or named)
    return f"source {getattr(settings, 'source', '')}"


def _fetched(
    data: str, names: tuple[str, ...], settings: Settings, root: str | None, report: Callable[[str], None]
) -> Fetched:
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
