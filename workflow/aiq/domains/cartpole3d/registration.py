"""CartPole3D's entry in Gymnasium's registry."""

from __future__ import annotations

from aiq.domains import registration

ENVIRONMENT_ID = "aiq/CartPole3D-v0"
_ENVIRONMENT = registration.Environment(ENVIRONMENT_ID, "aiq.domains.cartpole3d.environment:CartPole3DEnv", 200)


def register() -> None:
    """Register the environment with Gymnasium, which this imports; a second call does nothing.

    Raises:
        ModuleNotFoundError: Gymnasium is not installed.
    """
    registration.register(_ENVIRONMENT)


def register_lazily() -> None:
    """Register now if Gymnasium has been imported, otherwise as soon as it is."""
    registration.register_lazily(_ENVIRONMENT)
