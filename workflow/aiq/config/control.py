"""Where a control domain comes from (its source) and its parameters."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue, field_validator, model_validator

from aiq.config.base import Settings
from aiq.config.sizes import PLAYED, Sizes

Range = tuple[float, float]


class Control(Settings):
    """Parameters that every control source understands."""

    foreign_actions: Literal["modulo", "noop", "clamp", "random"] = Field(
        "modulo",
        description="what an action beyond the domain's own does in a mixture: its number modulo the number of "
        "actions, the action noop, the domain's last action (clamp, as in the 2020 similarity), or a random one of "
        "its own (random)",
    )
    noop: int | None = Field(None, ge=0, description="action that stands for doing nothing, with foreign_actions: noop")
    training_reward: Literal["own", "tick"] = Field(
        "own", description="what a learner is paid: the domain's own reward, or 1 for every step"
    )

    @model_validator(mode="after")
    def _check_noop(self) -> Control:
        """An action for noop exactly where one is needed."""
        if self.foreign_actions == "noop" and self.idle is None:
            raise ValueError("foreign_actions is noop, but noop, the action that does nothing, is not named")
        if self.foreign_actions != "noop" and self.noop is not None:
            raise ValueError(
                f"noop is {self.noop}, but foreign_actions is {self.foreign_actions}: set foreign_actions to noop"
            )
        return self

    @property
    def idle(self) -> int | None:
        """The action that foreign actions become, or None where they become others."""
        return self.noop if self.foreign_actions == "noop" else None

    @property
    def holds(self) -> Sizes:
        """Observations and actions; an assumption where only making the environment would tell."""
        return PLAYED


class CartPole(Control):
    """The cart-pole in two dimensions with Gymnasium's equations, many side by side; two actions."""

    source: Literal["cartpole"] = Field(description="the source: cartpole")
    force: float = Field(10.0, gt=0, le=1000, description="size of a push in N (the paper: 1 to 20)")
    gravity: float = Field(9.8, ge=0, le=1000, description="gravity in m/s² (the paper: 0 to 360)")
    half_length: float = Field(
        0.5, gt=0, le=100, description="half the pole's length in m (Gymnasium's attribute length)"
    )
    cart_mass: float = Field(1.0, gt=0, le=1000, description="mass of the cart in kg")
    pole_mass: float = Field(0.1, gt=0, le=1000, description="mass of the pole in kg")
    steps: int = Field(200, ge=1, le=100_000, description="longest episode; the performance is the return / steps")


PYBULLET_WORLD = 52.0
"""Megabytes of a world of CartPole3D, measured with PyBullet 3.2.7."""


class CartPole3D(Control):
    """A pole on a cart in a box of bouncing balls, with sixteen levels of novelty; five actions."""

    source: Literal["cartpole3d"] = Field(description="the source: cartpole3d")
    novelty: int = Field(0, ge=0, le=16, description="level of novelty, 0 (no change) to 16")
    difficulty: Literal["easy", "medium", "hard"] = Field("easy", description="difficulty of the level")
    preset: Literal["paper", "wsu"] = Field("paper", description="paper, or wsu for the authors' code where it differs")
    view: Literal["full", "cart", "baseline"] = Field(
        "full", description="what is seen: everything, no balls, or the ten inputs of the paper's baseline"
    )
    most_balls: int = Field(20, ge=4, le=200, description="slots for balls in the view full; no more are spawned")
    decimals: Annotated[int, Field(ge=0, le=15)] | Literal["preset"] | None = Field(
        "preset", description="decimals of the observation; null rounds nothing, preset takes the preset's own"
    )

    @property
    def idle(self) -> int | None:
        """Action 0 does nothing, unless another one is named."""
        return (self.noop or 0) if self.foreign_actions == "noop" else None

    @property
    def holds(self) -> Sizes:
        """Position, pole and velocities, and in the view full seven numbers a ball."""
        without_balls = 11 if self.preset == "wsu" and self.view != "baseline" else 10
        balls = 7 * self.most_balls if self.view == "full" else 0
        return Sizes(0, 0, 5, (without_balls + balls,), world=PYBULLET_WORLD)


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
        """Two numbers."""
        if not isinstance(value, list | tuple) or len(value) != 2:
            raise ValueError(f"bounds is {value!r}, it must be [smallest return, largest return]")
        return value

    @model_validator(mode="after")
    def _check_ranges(self) -> Gymnasium:
        """Bounds and scales rise."""
        if not self.bounds[0] < self.bounds[1]:
            raise ValueError(
                f"bounds {list(self.bounds)} must be the smallest and the largest return, the smaller first"
            )
        for number, (low, high) in enumerate(self.scale if isinstance(self.scale, list) else []):
            if not low < high:
                raise ValueError(f"scale {[low, high]} of entry {number} must be low and high, the smaller first")
        return self
