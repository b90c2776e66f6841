"""Cups and buttons of the anytime test, played."""

from __future__ import annotations

from typing import Any

from aiq.environments.env import KernelEnv
from aiq.environments.kernel import Kernel
from aiq.environments.worlds import KernelDomain
from aiq.settings import validate
from aiq.wings.anytime.domains.cups import AnytimeCups
from aiq.wings.anytime.equations.lanes import CupsLanes
from aiq.wings.anytime.equations.supplied import cups_of


def kernel(settings: AnytimeCups) -> Kernel:
    """Return the cups that the settings choose as a kernel."""
    first = None if settings.environment is None else cups_of(settings.environment).first
    shown = "another first colouring in every episode" if first is None else f"first colouring {settings.environment}"
    return Kernel(
        make=lambda generators: CupsLanes(settings.cups, first, generators),
        numbers=settings.cups,
        values=(0.0, 1.0),
        actions=tuple(f"button {button}" for button in range(settings.cups)),
        rewards=(-1.0, 1.0),
        about="Cups on a circle, black or white; a button flips its cup, and the one beside it is flipped too",
        paper="section 6.1 of Hernández-Orallo and Dowe, Measuring Universal Intelligence (2010)",
        notes=(
            f"{settings.cups} cups, {shown} or its opposite",
            "1 where white cups are the majority, -1 where black ones are, 0 on a tie; a random agent has mean 0",
        ),
    )


class CupsDomain(KernelDomain):
    """Cups as a control domain."""

    def __init__(self, name: str, settings: AnytimeCups) -> None:
        super().__init__(name, settings, kernel(settings))


class CupsEnv(KernelEnv):
    r"""Cups and buttons of the anytime intelligence test (Hernández-Orallo and Dowe 2010, 6.1; `equations.cups`).

    ## Description

    There are n cups on a circle, black or white. Button i flips cup i, and the environment flips cup (i + 1) mod n.

    ## Action Space

    `Discrete(cups)`: the buttons.

    ## Observation Space

    `native`: `MultiBinary(cups)`, 1 for white; `one-hot`: the same as a `Box` of 0 and 1.

    ## Rewards

    1 where white cups are the majority, -1 where black ones are, 0 on a tie. A random agent's expected reward is 0 at
    every step.

    ## Starting State

    The colouring `environment` or its opposite, each with probability 1/2; without it, any colouring.

    ## Episode End

    Truncation: after `steps` steps.

    ## Arguments

    | Parameter | Type | Default | Description |
    |-----------|------|---------|-------------|
    | `cups` | int | `5` | cups, 3 ... 200 |
    | `environment` | str, None | `None` | first colouring, such as `"01101"` |
    | `steps` | int | `100` | steps of an episode |
    | `observation` | str | `"native"` | `native` or `one-hot` |

    ## Version History

    * v0: first version.
    """

    def __init__(self, render_mode: str | None = None, **arguments: Any) -> None:
        """Choose the cups.

        Raises:
            InputError: an argument that does not exist or is out of range, in one sentence.
        """
        given = {"source": "anytime_cups", "observation": "native", **arguments}
        told = validate(AnytimeCups, given, "aiq/AnytimeCups-v0")
        super().__init__(told, kernel(told), render_mode)
