"""Settings, units and estimate of the mean of dice."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from aiq.config.base import RunSettings
from aiq.plans.products import Figure, Table
from aiq.plans.units import Unit
from aiq.records.table import Table as Numbers
from aiq.seeding import generator


class Dice(RunSettings):
    """Dice, each thrown some times."""

    measure: Literal["dice"] = Field(description="what the run measures: dice")
    sides: list[int] = Field(min_length=1, description="sides of each die")
    throws: int = Field(100, ge=2, description="throws of each die")


PRODUCTS = (Figure("dice-means", "1 Dice", title="Means"), Table("means", "2 Tables"))


def units(configuration: Dice) -> list[Unit]:
    """Return one unit per die."""
    return [Unit(f"die-{sides}", (sides, configuration.throws)) for sides in configuration.sides]


def run(configuration: Dice, unit: str) -> dict[str, Any]:
    """Throw a die: its throws, (throws,)."""
    sides = int(unit.removeprefix("die-"))
    return {"throws": generator(configuration.seed, "dice", unit).integers(1, sides + 1, configuration.throws)}


def reduce(configuration: Dice, gave: Mapping[str, Mapping[str, Any]]) -> dict[str, Numbers]:
    """Return mean, normal interval and number of throws of every die."""
    rows = []
    for unit, tree in gave.items():
        throws = tree["throws"]
        mean, half = float(throws.mean()), 1.96 * float(throws.std(ddof=1)) / math.sqrt(len(throws))
        rows.append((unit, mean, mean - half, mean + half, len(throws)))
    return {"means": Numbers.of(("die", "mean", "low", "high", "throws"), rows)}
