"""The family cartpole3d: its settings, and how a domain is made of them."""

from __future__ import annotations

from aiq.domains.cartpole3d.settings import CartPole3D as CartPole3D
from aiq.domains.control.base import ControlDomain
from aiq.domains.family import ControlFamily


def _make(name: str, settings: CartPole3D) -> ControlDomain:
    """Make the domain; what it computes with is imported here."""
    from aiq.domains.cartpole3d.worlds import CartPole3DDomain

    return CartPole3DDomain(name, settings)


FAMILY = ControlFamily(
    CartPole3D,
    _make,
    "a pole on a cart in a box of bouncing balls, with sixteen levels of novelty",
    "observations (10,) without balls, (150,) with 20 slots for balls; 5 actions",
    ("torch", "gymnasium", "pybullet"),
    {"source": "cartpole3d", "novelty": 14, "difficulty": "easy"},
)
