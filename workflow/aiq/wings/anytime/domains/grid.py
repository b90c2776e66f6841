"""The family anytime_grid: Good and Evil on the torus of the anytime test."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from aiq.domains.family import ControlFamily
from aiq.domains.measured.settings import Drawn, maker
from aiq.domains.sizes import Sizes


class AnytimeGrid(Drawn):
    """Good and Evil on a 9 x 9 torus; a given environment, or drawn ones of a range of complexities."""

    source: Literal["anytime_grid"] = Field(description="the source: anytime_grid")
    environment: str | None = Field(
        None,
        description="one environment: paths of Good and Evil, their first cells, as 'RRD/S@0044'; null draws some",
    )
    complexity: tuple[int, int] = Field(
        (2, 20), description="range of H of the environments drawn: symbols of both paths together, at least 2"
    )

    @model_validator(mode="after")
    def _check_complexity(self) -> AnytimeGrid:
        if not 2 <= self.complexity[0] <= self.complexity[1] <= 1000:
            raise ValueError(f"complexity is {list(self.complexity)}; write the smallest and the largest H, 2 to 1000")
        return self

    @property
    def holds(self) -> Sizes:
        """Good, Evil and a limit for each of four neighbours."""
        return Sizes(0, 0, 5, (12,))


FAMILY = ControlFamily(
    AnytimeGrid,
    maker("aiq.wings.anytime.environments.grid", "GridDomain"),
    "Good and Evil on the torus of the anytime test: one environment, or some drawn by complexity",
    "observations (12,), 5 actions",
    ("torch", "numba"),
    {"source": "anytime_grid", "environments": 1},
)
