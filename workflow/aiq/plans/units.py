"""The plan of a measure that gives its work as units: each is run, stored and resumed, all of them are reduced.

Further units leave finished ones as they are: a unit is identified by the measure, its version, the root seed and what
the unit itself hangs on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from aiq.config.base import RunSettings
from aiq.domains.sizes import Sizes
from aiq.errors import ConfigurationError
from aiq.plans.base import Plan, Shards
from aiq.plans.cost.asked import Asked
from aiq.plans.cost.suite import Work
from aiq.plans.layout import Files
from aiq.plans.products import Figure, Products, Table
from aiq.plans.rules import NAME, Rule, always
from aiq.plans.stages import Fingerprint, Stage
from aiq.wing import Measure

KIND = "unit"
REDUCED = (1000, 10)
JOBS = "aiq.tasks.units.jobs"


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece of work of a measure.

    Attributes:
        name: letters, digits, ``_``, ``.`` and ``-``; no two units of a configuration have one.
        hangs_on: everything besides the root seed that its numbers hang on: words, numbers, settings, lists of these.
        seconds: that it takes, roughly, on one core.
        megabytes: that it needs.
    """

    name: str
    hangs_on: tuple[Any, ...]
    seconds: float = 1.0
    megabytes: float = 200.0

    @property
    def asks(self) -> tuple[int, int]:
        """The megabytes and the minutes that its job asks for."""
        work = Work(self.seconds, self.megabytes)
        return work.mem_mb, work.minutes


class UnitsLayout(Files):
    """Paths of a run of units."""

    def unit(self, unit: str) -> str:
        """What a unit gave."""
        return self.path("units", f"{unit}.h5")

    @property
    def result(self) -> str:
        """The tables that all units reduce to."""
        return self.path("result.h5")


RULES = (
    Rule(
        "run_unit",
        f"{JOBS}:run_unit",
        lambda job: (job.words["unit"], job.makes[0]),
        makes=lambda plan: [plan.layout.unit("{unit}")],
        log=("units", "{unit}"),
        follows=lambda plan, words: plan.unit(words["unit"]),
        asks=lambda plan, words: plan.units[words["unit"]].asks,
        words={"unit": NAME},
    ),
    Rule(
        "reduce_units",
        f"{JOBS}:reduce_units",
        lambda job: (job.needs["units"], job.makes[0]),
        makes=lambda plan: [plan.layout.result],
        log=("reduce_units",),
        follows=lambda plan, words: plan.result(),
        asks=always(*REDUCED),
        needs=lambda plan, words: {"units": [plan.layout.unit(name) for name in plan.units]},
    ),
)


class UnitsPlan(Plan[RunSettings, UnitsLayout]):
    """The jobs of a configuration of one measure of units; ``plan_of`` makes the class of each."""

    measure: ClassVar[Measure]
    tasks = "aiq.tasks.units"
    rules = RULES

    def __init__(self, configuration: RunSettings) -> None:
        super().__init__(configuration, UnitsLayout(configuration.results))

    @cached_property
    def units(self) -> Mapping[str, Unit]:
        """The units by name, in the measure's order.

        Raises:
            ConfigurationError: there is none, two have one name, or a name cannot be that of a file.
        """
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

    def asked(self, known: Mapping[str, Sizes] | None = None) -> Iterator[Asked]:
        """Yield what running every unit and reducing all of them asks for."""
        for unit in self.units.values():
            yield ("run_unit", *unit.asks)
        yield ("reduce_units", *REDUCED)

    def shards(self) -> Shards:
        """Return what every unit gave."""
        return {self.layout.unit(name): (KIND, self.unit(name)) for name in self.units}

    def results(self) -> Shards:
        """Return the tables that all units reduce to."""
        return {self.layout.result: ("reduced units", self.result())}


def plan_of(measure: Measure) -> type[UnitsPlan]:
    """Return the plan of a measure that gives units, ``run`` and ``reduce``."""
    shown = measure.part("products") if measure.products else ()
    made = Products(
        f"show_{measure.name.replace('-', '_')}",
        needs=lambda plan: {"result": [plan.layout.result]},
        follows=lambda plan: plan.result(),
        figures=tuple(product for product in shown if isinstance(product, Figure)),
        tables=tuple(product for product in shown if isinstance(product, Table)),
        shares="show_units",
    )
    members = {
        "__doc__": f"The jobs of a configuration of the measure {measure.name}.",
        "__module__": __name__,
        "measure": measure,
        "settings": measure.part("settings"),
        "stages": (
            Stage(f"{measure.name} unit", measure.version),
            Stage(f"{measure.name} result", measure.version),
        ),
        "declared": (made,) if shown else (),
    }
    return type(f"{measure.name.title()}Plan", (UnitsPlan,), members)
