"""The family gymnasium: any Gymnasium environment with discrete actions."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import Field, JsonValue, field_validator, model_validator

from aiq.domains.control.settings import Control
from aiq.domains.family import ControlFamily, maker

Range = tuple[float, float]


class Gymnasium(Control):
    """Any Gymnasium environment with discrete actions; its returns are put on [0, 1] by the bounds."""

    source: Literal["gymnasium"] = Field(description="the source: gymnasium")
    id: str = Field(min_length=1, description="id of the environment, as gymnasium.make takes it (module:Name-v0)")
    bounds: Range = Field(description="smallest and largest return of an episode: performance 0 and 1")
    options: dict[str, JsonValue] = Field(default_factory=dict, description="arguments of gymnasium.make")
    horizon: int | None = Field(
        None, ge=1, le=1_000_000, description="longest episode in steps; null takes the environment's own limit"
    )
    scale: list[Range] | Literal["auto"] | None = Field(
        None,
        description="a list low, high of every number of the observation, mapped to -1 and 1; auto takes them from a "
        "Box with finite bounds; null changes nothing",
    )

    @field_validator("options")
    @classmethod
    def _check_options(cls, value: dict[str, Any]) -> dict[str, Any]:
        """Only what can be written down, and not what is set elsewhere."""
        for key in ("id", "max_episode_steps", "render_mode"):
            if key in value:
                instead = "use horizon" if key == "max_episode_steps" else "leave it out"
                raise ValueError(f"options must not hold {key!r}: {instead}")
        try:
            json.dumps(value, allow_nan=False)
        except ValueError:
            raise ValueError("options hold a number that is not finite") from None
        return value

    @field_validator("bounds", mode="before")
    @classmethod
    def _check_bounds(cls, value: Any) -> Any:
        if not isinstance(value, list | tuple) or len(value) != 2:
            raise ValueError(f"bounds is {value!r}, it must be [smallest return, largest return]")
        return value

    @model_validator(mode="after")
    def _check_ranges(self) -> Gymnasium:
        if not self.bounds[0] < self.bounds[1]:
            raise ValueError(
                f"bounds {list(self.bounds)} must be the smallest and the largest return, the smaller first"
            )
        for number, (low, high) in enumerate(self.scale if isinstance(self.scale, list) else []):
            if not low < high:
                raise ValueError(f"scale {[low, high]} of entry {number} must be low and high, the smaller first")
        return self


FAMILY = ControlFamily(
    Gymnasium,
    maker("aiq.domains.control.gymnasium_worlds", "GymnasiumDomain"),
    "any Gymnasium environment with discrete actions and declared bounds of its return",
    "observations flattened, discrete ones one-hot; as many actions as the environment has",
    ("torch", "gymnasium"),
    {"source": "gymnasium", "id": "Acrobot-v1", "bounds": [-500, 0]},
)
