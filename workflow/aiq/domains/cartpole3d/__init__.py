"""CartPole3D: a pole on a cart in a box of bouncing balls, with sixteen levels of novelty.

Importing this package makes ``gymnasium.make("aiq/CartPole3D-v0")`` work; neither Gymnasium nor PyBullet is
imported before it is needed.
"""

from aiq.domains import registration
from aiq.domains.cartpole3d.levels import DIFFICULTIES as DIFFICULTIES
from aiq.domains.cartpole3d.levels import LEVELS as LEVELS
from aiq.domains.cartpole3d.levels import PRESETS as PRESETS
from aiq.domains.cartpole3d.levels import resolve as resolve

ENVIRONMENT_ID = "aiq/CartPole3D-v0"
_ENVIRONMENT = registration.Environment(ENVIRONMENT_ID, "aiq.domains.cartpole3d.environment:CartPole3DEnv", 200)


def register() -> None:
    """Register the environment with Gymnasium, which this imports; a second call does nothing.

    Raises:
        ModuleNotFoundError: Gymnasium is not installed.
    """
    registration.register(_ENVIRONMENT)


registration.register_lazily(_ENVIRONMENT)
