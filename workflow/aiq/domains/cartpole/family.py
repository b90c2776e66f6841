"""The family cartpole: the cart-pole in two dimensions."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import Field

from aiq.domains.control.settings import Control
from aiq.domains.family import ControlFamily, maker
from aiq.domains.sizes import PLAYED, Sizes
from aiq.settings import fixed


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


FAMILY = ControlFamily(
    CartPole,
    maker("aiq.domains.cartpole.worlds", "CartPoleDomain"),
    "a pole on a cart, Gymnasium's CartPole with force and gravity to vary",
    "observations (4,), 2 actions",
    ("torch",),
    {"source": "cartpole", "gravity": 180},
)
