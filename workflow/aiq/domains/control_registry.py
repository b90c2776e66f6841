"""Which families of control domains there are, and how one is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from aiq.config.control import CartPole, CartPole3D, Control, Gymnasium
from aiq.domains.base import naming
from aiq.domains.family import Described, chosen

if TYPE_CHECKING:
    from aiq.domains.control import ControlDomain


def _cartpole(name: str, settings: Any) -> ControlDomain:
    from aiq.domains.cartpole import CartPoleDomain

    return CartPoleDomain(name, settings)


def _cartpole3d(name: str, settings: Any) -> ControlDomain:
    from aiq.domains.cartpole3d.worlds import CartPole3DDomain

    return CartPole3DDomain(name, settings)


def _gymnasium(name: str, settings: Any) -> ControlDomain:
    from aiq.domains.gymnasium_worlds import GymnasiumDomain

    return GymnasiumDomain(name, settings)


@dataclass(frozen=True)
class ControlFamily(Described):
    """A family of control domains.

    Attributes:
        source: the word that chooses it in a configuration.
        settings: class of its settings.
        make: from a name and settings to the domain.
        description: one line.
        samples: observations and actions.
        needs: modules that making one imports.
        example: parameters that work.
        kind: ``control``: worlds to act in, performance is the mean return put on [0, 1].
        bounds: smallest and largest performance.
    """

    source: str
    settings: type[Control]
    make: Callable[[str, Any], ControlDomain]
    description: str
    samples: str
    needs: tuple[str, ...]
    example: Mapping[str, Any]
    kind: str = "control"
    bounds: tuple[float, float] = (0.0, 1.0)


_ALL = (
    ControlFamily(
        "cartpole",
        CartPole,
        _cartpole,
        "a pole on a cart, Gymnasium's CartPole with force, gravity, length and masses to vary",
        "observations (4,), 2 actions",
        ("torch",),
        {"source": "cartpole", "gravity": 180},
    ),
    ControlFamily(
        "cartpole3d",
        CartPole3D,
        _cartpole3d,
        "a pole on a cart in a box of bouncing balls, with sixteen levels of novelty",
        "observations (10,) without balls, (150,) with 20 slots for balls; 5 actions",
        ("torch", "gymnasium", "pybullet"),
        {"source": "cartpole3d", "novelty": 14, "difficulty": "easy"},
    ),
    ControlFamily(
        "gymnasium",
        Gymnasium,
        _gymnasium,
        "any Gymnasium environment with discrete actions and declared bounds of its return",
        "observations flattened, discrete ones one-hot; as many actions as the environment has",
        ("torch", "gymnasium"),
        {"source": "gymnasium", "id": "Acrobot-v1", "bounds": [-500, 0]},
    ),
)
CONTROL_FAMILIES: Mapping[str, ControlFamily] = MappingProxyType({family.source: family for family in _ALL})


def control_domain(name: str, settings: Control) -> ControlDomain:
    """Make the control domain that the settings describe. Nothing in it is random before its worlds get seeds.

    Args:
        name: name of the domain in the suite.
        settings: source and parameters.

    Raises:
        DomainError: no family has this source, a package is missing, or the environment does not exist or cannot
            be used as it is.
    """
    family = chosen(CONTROL_FAMILIES, settings)
    with naming(name):
        return family.make(name, settings)
