"""What the plans of all measures have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from aiq.config.base import RunSettings
from aiq.domains.family import Sizes
from aiq.plans.cost.sizing import Asked
from aiq.plans.layout import Files
from aiq.plans.products import Products
from aiq.plans.stages import Fingerprint, Stage, joined

NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]*"
"""Pattern of a name that a person gives: of a domain, an agent, a class."""


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
        """Return the plan of a checked configuration; each pipeline's plan knows its own layout.

        Raises:
            TypeError: the configuration is of another measure.
        """
        if not isinstance(configuration, cls.settings):
            raise TypeError(f"{cls.__name__} plans {cls.settings.__name__}, not {type(configuration).__name__}")
        make: Callable[[RunSettings], Plan[S, L]] = cls
        return make(configuration)

    @abstractmethod
    def shards(self) -> Shards:
        """Return every shard that the jobs write, in the order in which they are made.

        Raises:
            ConfigurationError: a file that the configuration names cannot be read.
        """

    @abstractmethod
    def results(self) -> Shards:
        """Return every result that the shards are reduced to, in the order in which they are made.

        Raises:
            ConfigurationError: a file that the configuration names cannot be read.
        """

    def products(self) -> list[Products]:
        """Return the jobs that draw and tabulate which this configuration has."""
        return [job for made in self.declared if made.when(self) for job in made.jobs(self)]

    def asked(self, sizes: Mapping[str, Sizes] | None = None) -> Iterator[Asked]:
        """Yield what every job asks for that neither draws nor tabulates; ``sizes``: sizes of domains from a sheet."""
        yield from ()

    def requests(self, sizes: Mapping[str, Sizes] | None = None) -> Iterator[Asked]:
        """Yield what every job asks for at its first attempt; ``sizes``: sizes of domains from a sheet."""
        yield from self.asked(sizes)
        yield from self.asked_by_products()
        yield "write_page", *self.page_request()

    def asked_by_products(self) -> Iterator[Asked]:
        """Yield what the jobs ask for that draw and tabulate."""
        return ((made.name, made.megabytes(self), made.minutes(self)) for made in self.products())

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
