"""Environments of the anytime test as families of domains: cups, automata, grids; their settings."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from aiq.domains.control.settings import Drawn, Measured, Range
from aiq.domains.family import ControlFamily, Sizes, maker

_PLAYED = "aiq.wings.anytime.environments"


class AnytimeCups(Measured):
    """Cups on a circle, black or white, flipped in pairs by buttons; white ones should be the majority."""

    source: Literal["anytime_cups"] = Field(description="the source: anytime_cups")
    cups: int = Field(5, ge=3, le=200, description="number of cups, and of buttons")
    environment: str | None = Field(
        None,
        description="first colouring, one 0 (black) or 1 (white) a cup; an episode begins with it or its opposite; "
        "null draws another one for every episode",
    )

    @model_validator(mode="after")
    def _check_environment(self) -> AnytimeCups:
        if self.environment is not None and (len(self.environment) != self.cups or set(self.environment) - set("01")):
            raise ValueError(f"environment is {self.environment!r}; write one 0 or 1 for each of {self.cups} cups")
        return self

    @property
    def holds(self) -> Sizes:
        """A colour a cup."""
        return Sizes(0, 0, self.cups, (self.cups,))


class AnytimeAutomaton(Drawn):
    """Finite automata whose states pay; a given one, or drawn ones of a range of complexities."""

    source: Literal["anytime_automaton"] = Field(description="the source: anytime_automaton")
    environment: str | None = Field(
        None,
        description="one automaton: 'next,next,next:reward:symbol' a state, a space between states; null draws some",
    )
    complexity: Range = Field((15.0, 80.0), description="range of H in bits of those drawn; two states have 15.6")

    @model_validator(mode="after")
    def _check_complexity(self) -> AnytimeAutomaton:
        if not 0 < self.complexity[0] <= self.complexity[1] <= 5000:
            raise ValueError(f"complexity is {list(self.complexity)}; write the smallest and the largest H, 0 to 5000")
        return self


class AnytimeGrid(Drawn):
    """Good and Evil on a 9 x 9 torus; a given environment, or drawn ones of a range of complexities."""

    source: Literal["anytime_grid"] = Field(description="the source: anytime_grid")
    environment: str | None = Field(
        None, description="one environment: paths of Good and Evil, their first cells, as 'RRD/S@0044'; null draws some"
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


CUPS = ControlFamily(
    AnytimeCups,
    maker(_PLAYED, "cups_domain"),
    "cups and buttons of the anytime test",
    "observations (cups,), as many actions as cups",
    ("torch", "numba"),
    {"source": "anytime_cups", "cups": 5},
)
AUTOMATON = ControlFamily(
    AnytimeAutomaton,
    maker(_PLAYED, "automaton_domain"),
    "finite automata of the anytime test: one, or some drawn by complexity",
    "observations one-hot, as many as symbols; 3 actions",
    ("torch", "numba"),
    {"source": "anytime_automaton", "environments": 1},
)
GRID = ControlFamily(
    AnytimeGrid,
    maker(_PLAYED, "grid_domain"),
    "Good and Evil on the torus of the anytime test: one environment, or some drawn by complexity",
    "observations (12,), 5 actions",
    ("torch", "numba"),
    {"source": "anytime_grid", "environments": 1},
)
