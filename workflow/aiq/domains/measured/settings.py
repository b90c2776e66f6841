"""What the families of this package have in common."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Literal

from pydantic import Field, model_validator

from aiq.domains.control.base import ControlDomain
from aiq.domains.control.settings import Control

Range = tuple[float, float]


class Measured(Control):
    """An environment of another measure, played for a fixed number of steps."""

    steps: int = Field(100, ge=1, le=1_000_000, description="steps of an episode")
    observation: Literal["one-hot", "native"] = Field(
        "one-hot",
        description="one-hot: every number that is seen as one of its values, those of two values as 0 or 1; native: "
        "the numbers themselves",
    )
    scale: Range | None = Field(
        None,
        description="mean rewards a step that are performance 0 and 1; null takes the smallest and the largest reward, "
        "between which a random agent of a balanced environment is at 1/2",
    )

    @model_validator(mode="after")
    def _check_scale(self) -> Measured:
        """A range that rises."""
        if self.scale is not None and not self.scale[0] < self.scale[1]:
            raise ValueError(f"scale {list(self.scale)} must be two mean rewards, the smaller first")
        return self


class Drawn(Measured):
    """An environment that is given, or some that are drawn from a class once, one of them for every episode."""

    environments: int = Field(
        100, ge=1, le=100_000, description="environments drawn; every episode takes one of them at random"
    )
    root: int = Field(0, ge=0, description="root seed of the draw: the same one gives the same environments")


def maker(module: str, name: str) -> Callable[[str, Any], ControlDomain]:
    """Return what makes a domain with a class of a module that lies above; it is imported when one is made."""

    def make(domain: str, settings: Any) -> ControlDomain:
        made: ControlDomain = getattr(import_module(module), name)(domain, settings)
        return made

    return make
