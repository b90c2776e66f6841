"""What a measure beside the quotient is to the rest: one object; and where all such objects are found.

Ours stand in the folder ``aiq/wings``, one package each, whose ``__init__`` holds a ``Measure`` under the name
``MEASURE``. Somebody else's package names its own by the entry point group ``aiq.measures``. Nothing else of the
library names a measure, and none is imported further than its ``__init__`` before it is asked for: a part of a measure
is named as ``module:name``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any

from aiq.errors import AiqError, ConfigurationError

FOLDER = Path(__file__).resolve().parent / "wings"
GROUP = "aiq.measures"


@dataclass(frozen=True, slots=True)
class Headline:
    """Where the main numbers of a measure stand: columns of names, value, ends of its interval and observations."""

    table: str
    names: tuple[str, ...]
    value: str
    low: str
    high: str
    n: str
    figure: str

    @property
    def columns(self) -> tuple[str, ...]:
        """All of its columns."""
        return (*self.names, self.value, self.low, self.high, self.n)


@dataclass(frozen=True, slots=True)
class Environment:
    """What Gymnasium is to know: id, ``module:Class``, longest episode (None: the environment ends its episodes)."""

    id: str
    entry_point: str
    steps: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One measure, whole. Every part but the name may be left out; parts are named as ``module:name``.

    A measure that a configuration can ask for has ``settings`` and either ``units``, ``run`` and ``reduce``, or a
    ``plan`` with steps of its own, ``show``, ``main_table`` and ``samples``. The library runs, stores, resumes and
    audits the work of both.

    Attributes:
        name: the word of the key ``measure`` of a configuration.
        title: heading of its page.
        package: the package that it stands in; captions of its figures lie in its folder ``captions``.
        settings: class of its configuration, a ``RunSettings``.
        units: from the checked configuration to its pieces of work, a sequence of ``aiq.plans.units.Unit``.
        run: from the configuration and a unit's name to what the unit gives, a mapping of names to arrays or numbers.
        reduce: from the configuration and what all units gave, by name, to tables by name
            (``aiq.records.table.Table``), the main one first.
        products: the figures and tables of a measure of units, a tuple of ``aiq.plans.products.Figure`` and ``Table``;
            they are made by ``figures`` and from the tables that ``reduce`` gives. A plan declares its own.
        figures: name of a figure -> function from the tables to a ``Drawing``.
        plan: class of its plan, where it has one of its own.
        show: from the run to what its figures and tables are made by, a ``Made``.
        main_table: from the run to the table that sums it up; ``heading`` says what that holds.
        opening: from the run to what its page opens with.
        checks: from the run to what is looked at before it starts.
        samples: from the run to the parts of its work that an estimate times (``aiq.run.costing.Sample``).
        estimate: in the place of samples, from the run and what reports progress to its cost.
        verbs: commands of the command line, a tuple.
        families: modules that hold a ``ControlFamily`` under the name ``FAMILY``, or ``module:NAME`` of one.
        environments: what Gymnasium is to know.
        agents: what it adds to the table of agents, a function from the table's catalogue to an ``Addition``.
        headline: where its main numbers stand.
        version: of the numbers of ``run`` and ``reduce``; raised when the same settings give others.
        expected: the cost of a configuration by the cost model alone, where that needs no timing.
    """

    name: str
    title: str = ""
    package: str = ""
    settings: str = ""
    units: str = ""
    run: str = ""
    reduce: str = ""
    products: str = ""
    figures: str = ""
    plan: str = ""
    show: str = "aiq.run.products:show"
    main_table: str = "aiq.run.products:main_table"
    heading: str = ""
    opening: str = ""
    checks: str = ""
    samples: str = "aiq.run.products:samples"
    estimate: str = "aiq.run.costing:by_samples"
    verbs: str = ""
    families: tuple[str, ...] = ()
    environments: tuple[Environment, ...] = ()
    agents: str = ""
    headline: Headline | None = None
    version: int = 1
    expected: str = ""

    def part(self, name: str) -> Any:
        """Return a part, imported now.

        Raises:
            AiqError: the measure has no such part, or it cannot be imported.
        """
        named: str = getattr(self, name)
        module, colon, attribute = named.partition(":")
        if not colon:
            raise AiqError(f"the measure {self.name!r} has no {name}; give it as module:name in its Measure")
        try:
            return getattr(import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            if isinstance(error, ModuleNotFoundError) and error.name and not module.startswith(error.name):
                raise  # a package that is not installed: told with the extra that brings it
            raise AiqError(f"the {name} of the measure {self.name!r}, {named}, cannot be imported: {error}") from error

    @property
    def captions(self) -> Path:
        """The folder of its captions."""
        module = import_module(self.package)
        return Path(str(module.__file__)).resolve().parent / "captions"


@dataclass(frozen=True, slots=True)
class Discovered:
    """All measures by name, and in a sentence each what could not be loaded."""

    measures: Mapping[str, Measure]
    broken: tuple[str, ...]


@cache
def discovered() -> Discovered:
    """Find every measure: ours by their folders in the order of their names, then those of other packages."""
    measures: dict[str, Measure] = {}
    for file in sorted(iter_modules([str(FOLDER)]), key=lambda file: file.name):
        measure: Measure = import_module(f"aiq.wings.{file.name}").MEASURE
        measures[measure.name] = measure
    broken = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        whose = f"the measure {entry.name!r} of the package {entry.dist.name if entry.dist else 'unknown'}"
        try:
            loaded = entry.load()
        except Exception as error:  # whatever somebody else's code raises is told, and the rest goes on
            why = " ".join(f"{type(error).__name__}: {error}".split())
            broken.append(f"{whose} cannot be loaded ({why}); mend it, or uninstall the package")
            continue
        if not isinstance(loaded, Measure):
            broken.append(f"{whose} is no aiq.wing.Measure but {type(loaded).__name__}; mend it")
        elif loaded.name in measures or loaded.name == "aiq":
            broken.append(f"{whose} has the name {loaded.name!r}, which is taken; give it another")
        else:
            measures[loaded.name] = loaded
    return Discovered(MappingProxyType(measures), tuple(broken))


def broken() -> tuple[str, ...]:
    """Return a sentence about each measure of other packages that could not be loaded; ours are not imported for it."""
    return discovered().broken if entry_points(group=GROUP) else ()


def measures() -> Mapping[str, Measure]:
    """Return every measure by its name."""
    return discovered().measures


def configured() -> Mapping[str, Measure]:
    """Return the measures that a configuration can ask for, by the word of its key ``measure``."""
    return {name: measure for name, measure in measures().items() if measure.settings}


def check_broken(measure: str) -> None:
    """Refuse a measure that nobody knows with what could not be loaded, if anything.

    Raises:
        ConfigurationError: something could not be loaded, so that the measure may be that.
    """
    if measure not in measures() and discovered().broken:
        raise ConfigurationError(f"the measure {measure!r} is not known, and {'; '.join(discovered().broken)}")
