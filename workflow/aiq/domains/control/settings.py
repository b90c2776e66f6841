"""Settings of families that are played: what all have, those of environments of other measures, and two families."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from aiq.domains.family import PLAYED, ControlFamily, Sizes, Twinned, maker
from aiq.settings import fixed


class Control(Twinned):
    """Parameters that every control source understands.

    ``on_gpu`` says whether the family's worlds are computed wherever the networks are; else they are simulated on the
    processor.
    """

    on_gpu: ClassVar[bool] = False

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
    def space(self) -> tuple[str, ...]:
        """Words that name the space of its observations: domains of one space have them in the same places."""
        return tuple(str(getattr(self, word)) for word in ("source", "id", "name") if hasattr(self, word))

    @property
    def holds(self) -> Sizes:
        """Observations and actions; an assumption where only making the environment would tell."""
        return PLAYED


# ---- Environments of other measures --------------------------------------------------------------


Range = tuple[float, float]


class Measured(Control):
    """An environment of another measure, played for a fixed number of steps."""

    steps: int = Field(100, ge=1, le=1_000_000, description="steps of an episode")
    observation: ClassVar = fixed("one-hot")  # every number as one of its values, those of two values as 0 or 1
    scale: Range | None = Field(
        None,
        description="mean rewards a step that are performance 0 and 1; null takes the smallest and the largest reward, "
        "between which a random agent of a balanced environment is at 1/2",
    )

    @model_validator(mode="after")
    def _check_scale(self) -> Measured:
        if self.scale is not None and not self.scale[0] < self.scale[1]:
            raise ValueError(f"scale {list(self.scale)} must be two mean rewards, the smaller first")
        return self


class Drawn(Measured):
    """An environment that is given, or some that are drawn from a class once, one of them for every episode."""

    environments: int = Field(
        100, ge=1, le=100_000, description="environments drawn; every episode takes one of them at random"
    )
    root: int = Field(0, ge=0, description="root seed of the draw: the same one gives the same environments")


# ---- The families cartpole and cartpole3d --------------------------------------------------------


class CartPole(Control):
    """The cart-pole in two dimensions with Gymnasium's equations, many side by side; two actions."""

    on_gpu: ClassVar[bool] = True
    source: Literal["cartpole"] = Field(description="the source: cartpole")
    force: float = Field(10.0, gt=0, le=1000, description="size of a push in N (the paper: 1 to 20)")
    gravity: float = Field(9.8, ge=0, le=1000, description="gravity in m/s² (the paper: 0 to 360)")
    half_length: ClassVar = fixed(0.5)  # of the pole in m (Gymnasium's attribute length)
    cart_mass: ClassVar = fixed(1.0)  # kg
    pole_mass: ClassVar = fixed(0.1)  # kg
    steps: int = Field(200, ge=1, le=100_000, description="longest episode; the performance is the return / steps")

    @property
    def holds(self) -> Sizes:
        """As any control family, but its worlds step quicker (benchmarks/results/estimates.md)."""
        return replace(PLAYED, pace=0.15)


CARTPOLE = ControlFamily(
    CartPole,
    maker("aiq.domains.control.cartpole", "CartPoleDomain"),
    "a pole on a cart, Gymnasium's CartPole with force and gravity to vary",
    "observations (4,), 2 actions",
    ("torch",),
    {"source": "cartpole", "gravity": 180},
)


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


CARTPOLE3D = ControlFamily(
    CartPole3D,
    maker("aiq.domains.cartpole3d.worlds", "CartPole3DDomain"),
    "a pole on a cart in a box of bouncing balls, with sixteen levels of novelty",
    "observations (10,) without balls, (150,) with 20 slots for balls; 5 actions",
    ("torch", "gymnasium", "pybullet"),
    {"source": "cartpole3d", "novelty": 14, "difficulty": "easy"},
)
