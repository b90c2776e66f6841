"""The family anytime_cups: cups and buttons of the anytime test."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from aiq.domains.family import ControlFamily
from aiq.domains.measured.settings import Measured, maker
from aiq.domains.sizes import Sizes


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


FAMILY = ControlFamily(
    AnytimeCups,
    maker("aiq.wings.anytime.environments.cups", "CupsDomain"),
    "cups and buttons of the anytime test",
    "observations (cups,), as many actions as cups",
    ("torch", "numba"),
    {"source": "anytime_cups", "cups": 5},
)
