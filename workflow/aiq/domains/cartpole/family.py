"""The family cartpole: its settings, and how a domain is made of them."""

from __future__ import annotations

from aiq.domains.cartpole.settings import CartPole as CartPole
from aiq.domains.control.base import ControlDomain
from aiq.domains.family import ControlFamily


def _make(name: str, settings: CartPole) -> ControlDomain:
    """Make the domain; what it computes with is imported here."""
    from aiq.domains.cartpole.worlds import CartPoleDomain

    return CartPoleDomain(name, settings)


FAMILY = ControlFamily(
    CartPole,
    _make,
    "a pole on a cart, Gymnasium's CartPole with force, gravity, length and masses to vary",
    "observations (4,), 2 actions",
    ("torch",),
    {"source": "cartpole", "gravity": 180},
)
