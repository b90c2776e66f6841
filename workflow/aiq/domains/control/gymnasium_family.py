"""The family gymnasium: its settings, and how a domain is made of them."""

from __future__ import annotations

from aiq.domains.control.base import ControlDomain
from aiq.domains.control.gymnasium_settings import Gymnasium as Gymnasium
from aiq.domains.family import ControlFamily


def _make(name: str, settings: Gymnasium) -> ControlDomain:
    """Make the domain; what it computes with is imported here."""
    from aiq.domains.control.gymnasium_worlds import GymnasiumDomain

    return GymnasiumDomain(name, settings)


FAMILY = ControlFamily(
    Gymnasium,
    _make,
    "any Gymnasium environment with discrete actions and declared bounds of its return",
    "observations flattened, discrete ones one-hot; as many actions as the environment has",
    ("torch", "gymnasium"),
    {"source": "gymnasium", "id": "Acrobot-v1", "bounds": [-500, 0]},
)
