"""What the plans of all measures have in common, and what Snakemake is told of their jobs: one rule per stage."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from aiq.config.base import RunSettings
from aiq.domains.sizes import Sizes
from aiq.plans.cost.sizing import Asked
from aiq.plans.layout import Files
from aiq.plans.products import Products
from aiq.plans.stages import Fingerprint, Stage, joined

Words = Mapping[str, str]
"""The wildcards of a job."""

NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]*"
"""Pattern of a name that a person gives: of a domain, an agent, a class."""


@dataclass(frozen=True, slots=True)
class Job:
    """One job of a rule, as what does it is told.

    Attributes:
        words: its wildcards.
        needs: the files that it reads, by word.
        makes: the files that it writes.
        keeper: keeps finished units, where the rule's jobs can be interrupted.
    """

    words: Words
    needs: Mapping[str, list[str]]
    makes: Sequence[str]
    keeper: Any = None


def no_files(plan: Any, words: Words) -> Mapping[str, list[str]]:
    """Return no file by word."""
    return {}


def nothing(plan: Any, words: Words, apart: bool) -> list[str]:
    """Return no file."""
    return []


def no_code(plan: Any, words: Words) -> list[str]:
    """Return no file of code."""
    return []


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; every function takes the plan first.

    Attributes:
        name: of the rule.
        does: ``module:function`` that does a job; called with the run and ``arguments`` of the job.
        arguments: from a job to what the function takes after the run.
        makes: the files that a job writes, with wildcards in braces.
        log: the words of its log's path below the folder of logs, with wildcards.
        follows: the fingerprint of what a job makes.
        asks: the megabytes and the minutes that a job asks for at its first attempt.
        needs: the files that a job reads, by word.
        after: further files that have to be there; ``apart``: whether jobs share no files with this machine.
        given: a person's own files, which lie on this machine; ``apart`` as above.
        code: a person's own code.
        words: wildcard -> its pattern.
        keeps: kind of the units that an interruption must not undo; empty where a job is short.
        trains: whether a job uses the threads and the GPU that the configuration names.
    """

    name: str
    does: str
    arguments: Callable[[Job], tuple[Any, ...]]
    makes: Callable[[Any], Sequence[str]]
    log: tuple[str, ...]
    follows: Callable[[Any, Words], Any]
    asks: Callable[[Any, Words], tuple[int, int]]
    needs: Callable[[Any, Words], Mapping[str, list[str]]] = no_files
    after: Callable[[Any, Words, bool], list[str]] = nothing
    given: Callable[[Any, Words, bool], list[str]] = nothing
    code: Callable[[Any, Words], list[str]] = no_code
    words: Mapping[str, str] = field(default_factory=dict)
    keeps: str = ""
    trains: bool = False


def always(megabytes: int, minutes: int) -> Callable[[Any, Words], tuple[int, int]]:
    """Return what asks for the same whatever the job."""
    return lambda plan, words: (megabytes, minutes)


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

    rules: ClassVar[tuple[Rule, ...]] = ()
    """What Snakemake is told of the jobs that neither draw nor tabulate."""

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
        for made in self.products():
            yield made.name, made.megabytes(self), made.minutes(self)
        yield "write_page", *self.page_request()

    def shared_units(self) -> Iterator[tuple[str, str, str]]:
        """Yield kind, name and fingerprint of every unit that runs may share through a store."""
        yield from ()

    def page(self) -> Fingerprint:
        """Return the fingerprint of the page: of all that it shows and of its settings."""
        settings = getattr(self.configuration, "page", None)
        shown = [[made.name, made.follows(self), made.figure_names(self)] for made in self.products()]
        return joined("page", shown, settings)

    def page_request(self) -> tuple[int, int]:
        """Return the megabytes and the minutes that the job of the page asks for at its first attempt."""
        return 1500, 10

    def versions(self) -> dict[str, int]:
        """Return stage -> version of all stages that this configuration goes through."""
        prints = [fingerprint for _, fingerprint in {**self.shards(), **self.results()}.values()]
        found = {name: version for one in prints for name, version in one.versions.items()}
        return {stage.name: stage.version for stage in self.stages if stage.name in found}
