"""What the plans of all measures have in common: jobs, and stages whose versions stand in fingerprints.

A stage is one kind of work. Its version stands in the fingerprints of what it makes and, through them, of all that
follows: a raised version redoes that stage and what follows, nothing before. See docs/reference/stage-versions.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar

from aiq.config.base import RunSettings, fingerprint
from aiq.domains.family import Sizes
from aiq.plans.layout import Files
from aiq.plans.products import Products

NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]*"
"""Pattern of a name that a person gives: of a domain, an agent, a class."""

Asked = tuple[str, int, int]
"""A rule, and the megabytes and the minutes that a job of it asks for."""


class Fingerprint(str):
    """A fingerprint with the versions of all stages behind it; pickled and copied it becomes a plain string."""

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
    """One kind of work: the first word of its fingerprints, and a version that rises when its numbers change."""

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


@dataclass(frozen=True, slots=True)
class Job:
    """One job of a rule: the files that it reads, by word, and writes; ``keeper`` keeps finished units, if it does."""

    needs: Mapping[str, Sequence[str]]
    makes: Sequence[str]
    keeper: Any = None

    def of(self, word: str) -> str:
        """Return the only file of a word."""
        (path,) = self.needs[word]
        return path

    @property
    def target(self) -> str:
        """The file that it writes, the first of two."""
        return self.makes[0]


def always(megabytes: int, minutes: int) -> Callable[[Any, Any], tuple[int, int]]:
    """Return what asks for the same whatever the job."""
    return lambda plan, job: (megabytes, minutes)


Shards = dict[str, tuple[str, Fingerprint]]
"""Path -> (kind, fingerprint)."""

S = TypeVar("S", bound=RunSettings)
L = TypeVar("L", bound=Files)


class Plan(ABC, Generic[S, L]):
    """The jobs of a configuration, where their files lie, and the fingerprints of everything that is stored."""

    settings: ClassVar[type[RunSettings]]
    """The configuration of the measure; its key ``measure`` names the pipeline."""

    stages: ClassVar[tuple[Stage, ...]]
    """Every stage of the measure, in the order in which they work."""

    declared: ClassVar[tuple[Products, ...]]
    """The jobs that draw and tabulate, in the order of the report."""

    def __init__(self, configuration: S, layout: L) -> None:
        self.configuration, self.layout = configuration, layout

    @classmethod
    def of(cls, configuration: RunSettings) -> Plan[S, L]:
        """Return the plan of a checked configuration; each pipeline's plan knows its own layout."""
        if not isinstance(configuration, cls.settings):
            raise TypeError(f"{cls.__name__} plans {cls.settings.__name__}, not {type(configuration).__name__}")
        make: Callable[[RunSettings], Plan[S, L]] = cls
        return make(configuration)

    @abstractmethod
    def shards(self) -> Shards:
        """Return every shard that the jobs write, in the order in which they are made."""

    @abstractmethod
    def results(self) -> Shards:
        """Return every result that the shards are reduced to, in the order in which they are made."""

    def products(self) -> list[Products]:
        """Return the jobs that draw and tabulate which this configuration has."""
        return [job for made in self.declared if made.when(self) for job in made.jobs(self)]

    def asked(self, sizes: Mapping[str, Sizes] | None = None) -> Iterator[Asked]:
        """Yield what every job asks for that neither draws nor tabulates; ``sizes``: sizes of domains from a sheet."""
        yield from ()

    def requests(self, sizes: Mapping[str, Sizes] | None = None) -> Iterator[Asked]:
        """Yield what every job asks for at its first attempt; ``sizes``: sizes of domains from a sheet."""
        yield from self.asked(sizes)
        yield from ((made.name, made.megabytes(self), made.minutes(self)) for made in self.products())
        yield "write_page", *self.page_request()

    def shared_units(self) -> Iterator[tuple[str, str, str]]:
        """Yield kind, name and fingerprint of every unit that runs may share through a store."""
        yield from ()

    def page(self) -> Fingerprint:
        """Return the fingerprint of the page: of all that it shows and of its settings."""
        settings = getattr(self.configuration, "page", None)
        products = [[made.name, made.follows(self), made.figure_names(self)] for made in self.products()]
        return joined("page", products, settings)

    def page_request(self) -> tuple[int, int]:
        """Return the megabytes and the minutes that the job of the page asks for at its first attempt."""
        return 1500, 10

    def versions(self) -> dict[str, int]:
        """Return stage -> version of all stages that this configuration goes through."""
        prints = [fingerprint for _, fingerprint in {**self.shards(), **self.results()}.values()]
        versions = {name: version for fingerprint in prints for name, version in fingerprint.versions.items()}
        return {stage.name: stage.version for stage in self.stages if stage.name in versions}
