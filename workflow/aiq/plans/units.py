"""The plan of a measure: its work is cut into steps, every step into jobs, and most jobs into units.

A unit is run, stored and resumed by itself: it has a name and a fingerprint, so further units leave finished ones as
they are, whatever file they lie in. A measure of units and one reduction needs no plan of its own (``plan_of``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import PurePosixPath
from typing import Any, ClassVar, Generic, TypeVar

from aiq import wing
from aiq.config.base import RunSettings
from aiq.domains.family import Sizes
from aiq.errors import AiqError, ConfigurationError
from aiq.plans.base import NAME, Asked, Fingerprint, Plan, Shards, Stage, always
from aiq.plans.cost import Work
from aiq.plans.layout import Files
from aiq.plans.products import Figure, Products, Table
from aiq.wing import Measure

NAMED = "aiq.run.products"
REDUCED = (1000, 10)
S = TypeVar("S", bound=RunSettings)


@dataclass(frozen=True, slots=True)
class Step:
    """One rule of Snakemake. Functions take the plan first, then one of the step's jobs.

    Attributes:
        rule: its name.
        kind: of the files that its jobs write.
        path: of a job's file below the results; attributes of the job fill the braces, or the job itself, if a word.
        does: ``module:function``, called with the run, the job and the ``base.Job`` that says what it reads and
            writes; or with the run and ``arguments``. It returns what makes a unit of a name; without ``units`` the
            record or tree to be stored, or None where it has written all files itself.
        jobs: all jobs; a step without braces in its path has one.
        follows: the fingerprint of a file.
        asks: the megabytes and the minutes that a job asks for.
        units: unit -> fingerprint, where a file is a shard of units.
        reads: the files that a job reads, by word.
        result: whether the files are results, not shards.
        words: wildcard of the path -> its pattern.
        log: the words of its log's path, where they are not those of the file.
        text: a second file that a job writes.
        second: kind, path and fingerprint of a second file that is a result, too.
        after: further files that have to be there; ``apart``: whether jobs share no files with this machine.
        given: a person's own files, which lie on this machine; ``apart`` as above.
        code: a person's own code.
        keeps: kind of the units that an interruption must not undo; empty where a job is short.
        trains: whether a job uses the threads and the GPU that the configuration names.
        arguments: what the function is called with after the run.
    """

    rule: str
    kind: str
    path: str
    does: str
    follows: Callable[[Any, Any], Fingerprint]
    asks: Callable[[Any, Any], tuple[int, int]]
    jobs: Callable[[Any], Iterable[Any]] = lambda plan: (None,)
    units: Callable[[Any, Any], Mapping[str, Fingerprint]] | None = None
    reads: Callable[[Any, Any], Mapping[str, list[str]]] = lambda plan, job: {}
    result: bool = False
    words: Mapping[str, str] = field(default_factory=dict)
    log: tuple[str, ...] = ()
    text: str = ""
    second: tuple[str, str, Callable[[Any, Any], Fingerprint]] | None = None
    after: Callable[[Any, Any, bool], list[str]] = lambda plan, job, apart: []
    given: Callable[[Any, Any, bool], list[str]] = lambda plan, job, apart: []
    code: Callable[[Any, Any], list[str]] = lambda plan, job: []
    keeps: str = ""
    trains: bool = False
    arguments: Callable[[Any, Any], tuple[Any, ...]] = lambda job, at: (job, at)

    @property
    def pattern(self) -> str:
        """The path with wildcards as Snakemake writes them."""
        return re.sub(r"\{(\w+):[^}]*\}", r"{\1}", self.path)

    @property
    def makes(self) -> list[str]:
        """Where its files lie below the results, with wildcards."""
        return [path for path in (self.pattern, self.text, self.second[1] if self.second else "") if path]

    @property
    def logs(self) -> tuple[str, ...]:
        """The words of its log's path, with wildcards."""
        return self.log or tuple(self.pattern.removesuffix(".h5").split("/"))

    def place(self, job: Any) -> str:
        """Return where the file of a job lies below the results."""
        return self._filled(self.path, job)

    def places(self, job: Any) -> list[str]:
        """Return where all files of a job lie below the results."""
        second = self.second[1] if self.second else ""
        return [self._filled(path, job) for path in (self.path, self.text, second) if path]

    def _filled(self, path: str, job: Any) -> str:
        names = re.findall(r"\{(\w+)", path)
        return path.format(**{name: job if isinstance(job, str) else getattr(job, name) for name in names})


class UnitsPlan(Plan[S, Files], Generic[S]):
    """The jobs of a configuration of a measure, from its steps."""

    steps: ClassVar[tuple[Step, ...]] = ()

    def __init__(self, configuration: S) -> None:
        super().__init__(configuration, Files(configuration.results))

    @property
    def measure(self) -> Measure:
        """The measure beside the quotient that is planned; a suite has none."""
        return wing.measures()[self.configuration.measure]

    @cache
    def jobs_of(self, rule: str) -> dict[str, Any]:
        """Return the jobs of a rule by where their files lie below the results."""
        step = self.step(rule)
        return {step.place(job): job for job in step.jobs(self)}

    def step(self, rule: str) -> Step:
        """Return the step of a rule."""
        return next(step for step in self.steps if step.rule == rule)

    def job(self, rule: str, words: Mapping[str, str]) -> Any:
        """Return the job of a rule that has these wildcards."""
        return self.jobs_of(rule)[self.step(rule).pattern.format(**words)]

    def maker(self, path: str) -> tuple[Step, Any]:
        """Return the step and the job that make a file, given as ``files`` gives it."""
        place = str(PurePosixPath(path).relative_to(self.layout.root))
        return next((step, self.jobs_of(step.rule)[place]) for step in self.steps if place in self.jobs_of(step.rule))

    def files(self, rule: str, jobs: Iterable[Any] | None = None) -> list[str]:
        """Return the files of some jobs of a rule; None: of all."""
        step = self.step(rule)
        places = self.jobs_of(rule) if jobs is None else [step.place(job) for job in jobs]
        return [self.layout.path(place) for place in places]

    def made(self, step: Step, job: Any) -> list[str]:
        """Return all files that a job makes."""
        return [self.layout.path(place) for place in step.places(job)]

    def stored(self, result: bool) -> Shards:
        """Return path -> kind and fingerprint of every file that is a result, or of all others."""
        stored: Shards = {}
        for step in self.steps:
            for place, job in self.jobs_of(step.rule).items() if step.result == result else ():
                stored[self.layout.path(place)] = (step.kind, step.follows(self, job))
                if step.second is not None:
                    kind, _, follows = step.second
                    stored[self.made(step, job)[1]] = (kind, follows(self, job))
        return stored

    def shards(self) -> Shards:
        """Return every shard that the jobs write."""
        return self.stored(result=False)

    def results(self) -> Shards:
        """Return every result that they are reduced to."""
        return self.stored(result=True)

    def asked(self, sizes: Mapping[str, Sizes] | None = None) -> Iterator[Asked]:
        """Yield what every job asks for that neither draws nor tabulates."""
        for step in self.steps:
            for job in self.jobs_of(step.rule).values():
                yield (step.rule, *step.asks(self, job))


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece of work of a measure, with the megabytes and, roughly, the seconds of one core that it takes.

    ``name``: letters, digits, ``_``, ``.`` and ``-``; no two units of a configuration have one. ``hangs_on``: all that
    its numbers hang on besides the root seed: words, numbers, settings, lists of these.
    """

    name: str
    hangs_on: tuple[Any, ...]
    seconds: float = 1.0
    megabytes: float = 200.0

    @property
    def asks(self) -> tuple[int, int]:
        """The megabytes and the minutes that its job asks for."""
        return Work(self.seconds, self.megabytes).request


class NamedUnitsPlan(UnitsPlan[RunSettings]):
    """Units by name, each in a file of its own, and one file that all of them reduce to."""

    steps = (
        Step(
            "run_unit",
            "unit",
            "units/{name}.h5",
            f"{NAMED}:run_unit",
            jobs=lambda plan: plan.units.values(),
            units=lambda plan, unit: {unit.name: plan.unit(unit.name)},
            follows=lambda plan, unit: plan.unit(unit.name),
            asks=lambda plan, unit: unit.asks,
            words={"name": NAME},
        ),
        Step(
            "reduce_units",
            "reduced units",
            "result.h5",
            f"{NAMED}:reduce_units",
            follows=lambda plan, _: plan.result(),
            asks=always(*REDUCED),
            reads=lambda plan, _: {"units": plan.files("run_unit")},
            result=True,
            log=("reduce_units",),
        ),
    )

    @cached_property
    def units(self) -> Mapping[str, Unit]:
        """The units by name, in the measure's order."""
        units: Sequence[Unit] = self.measure.part("units")(self.configuration)
        names = [unit.name for unit in units]
        wrong = [name for name in names if re.fullmatch(NAME, name) is None or names.count(name) > 1]
        if wrong or not names:
            word = self.measure.name
            raise ConfigurationError(
                f"the measure {word!r} gives the unit {wrong[0]!r}, but names are plain and differ; mend its units"
                if wrong
                else f"the measure {word!r} has no units for this configuration; give it something to measure"
            )
        return {unit.name: unit for unit in units}

    def unit(self, name: str) -> Fingerprint:
        """Fingerprint of a unit."""
        return self.stages[0].fingerprint(self.configuration.seed, name, *self.units[name].hangs_on)

    def result(self) -> Fingerprint:
        """Fingerprint of what all units reduce to: of them, and of the settings but those that say where and how."""
        settings = self.configuration.model_dump(mode="json", exclude={"name", "results"})
        return self.stages[1].fingerprint([[name, self.unit(name)] for name in self.units], settings)


def plan_of(measure: Measure) -> type[NamedUnitsPlan]:
    """Return the plan of a measure that gives ``units``, ``run`` and ``reduce``.

    Raises:
        AiqError: among its products is something else than a figure or a table.
    """
    products = measure.part("products") if measure.products else ()
    for product in products:
        if not isinstance(product, (Figure, Table)):
            what = type(product).__name__
            raise AiqError(f"the products of the measure {measure.name!r} hold a {what}; give each as Figure or Table")
    made = Products(
        f"show_{measure.name.replace('-', '_')}",
        needs=lambda plan: {"result": plan.files("reduce_units")},
        follows=lambda plan: plan.result(),
        figures=tuple(product for product in products if isinstance(product, Figure)),
        tables=tuple(product for product in products if isinstance(product, Table)),
    )
    members = {
        "__doc__": f"The jobs of a configuration of the measure {measure.name}.",
        "__module__": __name__,
        "settings": measure.part("settings"),
        "stages": tuple(Stage(f"{measure.name} {word}", measure.version) for word in ("unit", "result")),
        "declared": (made,) if products else (),
    }
    return type(f"{measure.name.title()}Plan", (NamedUnitsPlan,), members)
