"""The family cartpole3d: a pole on a cart in a box of bouncing balls."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from aiq.domains.control.settings import Control
from aiq.domains.family import ControlFamily, maker
from aiq.domains.sizes import Sizes
from aiq.settings import fixed

PYBULLET_WORLD = 52.0
"""Megabytes of a world of CartPole3D, measured with PyBullet 3.2.7."""


class CartPole3D(Control):
    """A pole on a cart in a box of bouncing balls, with sixteen levels of novelty; five actions."""

    source: Literal["cartpole3d"] = Field(description="the source: cartpole3d")
    novelty: int = Field(0, ge=0, le=16, description="level of novelty, 0 (no change) to 16")
    difficulty: Literal["easy", "medium", "hard"] = Field("easy", description="difficulty of the level")
    preset: Literal["paper", "wsu"] = Field("paper", description="paper, or wsu for the authors' code where it differs")
    view: Literal["full", "cart", "baseline", "scaled"] = Field(
        "full",
        description="what is seen: everything, no balls, the ten inputs of the paper's baseline, or everything with "
        "balls in units of 20 m and 40 m/s, with which networks learn sooner",
    )
    most_balls: int = Field(
        20, ge=4, le=200, description="slots for balls in the views full and scaled; no more are spawned"
    )
    decimals: ClassVar = fixed("preset")  # of the observation

    @property
    def idle(self) -> int | None:
        """Action 0 does nothing, unless another one is named."""
        return (self.noop or 0) if self.foreign_actions == "noop" else None

    @property
    def holds(self) -> Sizes:
        """Position, pole and velocities, and where balls are seen seven numbers a ball."""
        without_balls = 11 if self.preset == "wsu" and self.view != "baseline" else 10
        balls = 7 * self.most_balls if self.view in ("full", "scaled") else 0
        return Sizes(0, 0, 5, (without_balls + balls,), world=PYBULLET_WORLD)


FAMILY = ControlFamily(
    CartPole3D,
    maker("aiq.domains.cartpole3d.worlds", "CartPole3DDomain"),
    "a pole on a cart in a box of bouncing balls, with sixteen levels of novelty",
    "observations (10,) without balls, (150,) with 20 slots for balls; 5 actions",
    ("torch", "gymnasium", "pybullet"),
    {"source": "cartpole3d", "novelty": 14, "difficulty": "easy"},
)
