"""Good and Evil on the torus of the anytime test, played."""

from __future__ import annotations

from typing import Any

from aiq.environments.env import KernelEnv
from aiq.environments.kernel import Kernel
from aiq.environments.worlds import KernelDomain
from aiq.settings import validate
from aiq.wings.anytime.domains.grid import AnytimeGrid
from aiq.wings.anytime.environments.drawn import all_of
from aiq.wings.anytime.equations.grid import Grid, GridClass
from aiq.wings.anytime.equations.grid_lanes import GridLanes
from aiq.wings.anytime.equations.supplied import grid_of

_ACTIONS = ("left", "right", "up", "down", "stay")


def kernel(settings: AnytimeGrid) -> Kernel:
    """Return the grids that the settings choose as a kernel.

    Raises:
        InputError: the grid given is none, or there are not so many as are asked for.
    """
    if settings.environment is not None:
        grids: tuple[Grid, ...] = (grid_of(settings.environment),)
        shown = f"the environment {settings.environment}"
    else:
        grids = all_of(GridClass, Grid, settings.root, settings.environments, settings.complexity)
        low, high = settings.complexity
        shown = f"{len(grids)} environments of H from {low} to {high} symbols, root seed {settings.root}"
    return Kernel(
        make=lambda generators: GridLanes(grids, generators),
        numbers=12,
        values=(0.0, 1.0),
        actions=_ACTIONS,
        rewards=(-1.0, 1.0),
        about="A 9 x 9 torus on which Good and Evil repeat their paths; the agent does well near Good, far from Evil",
        paper="section 6.3 of Hernández-Orallo and Dowe, Measuring Universal Intelligence (2010)",
        notes=(
            shown,
            "1/(d_Good + 1) - 1/(d_Evil + 1), d the Euclidean distance on the torus; at most 0.85; a random agent has "
            "mean 0",
        ),
    )


class GridDomain(KernelDomain):
    """Grids as a control domain."""

    def __init__(self, name: str, settings: AnytimeGrid) -> None:
        super().__init__(name, settings, kernel(settings))


class GridEnv(KernelEnv):
    r"""Good and Evil on a torus, of the anytime test (Hernández-Orallo and Dowe 2010, 6.3; `equations.grid`).

    ## Description

    Agent and objects move on a 9 x 9 torus, all at once. Good and Evil each repeat a path for ever and never share a
    cell: one of them, at random, keeps its cell. An episode takes one of the environments at random.

    ## Action Space

    `Discrete(5)`: left, right, up, down, stay.

    ## Observation Space

    `native`: `MultiBinary(12)`, for the left, right, upper and lower neighbour: Good is there, Evil is there, the
    neighbour lies beyond a limit of the grid; `one-hot`: the same as a `Box` of 0 and 1.

    ## Rewards

    1/(d_Good + 1) - 1/(d_Evil + 1) on the new cells, d the Euclidean distance on the torus, in (-1, 1). A random
    agent's expected reward is 0 at every step.

    ## Starting State

    The objects in their first cells, the agent anywhere.

    ## Episode End

    Truncation: after `steps` steps.

    ## Arguments

    | Parameter | Type | Default | Description |
    |-----------|------|---------|-------------|
    | `environment` | str, None | `None` | paths and first cells, such as `"RRD/S@0044"`; `None` draws some |
    | `environments` | int | `100` | environments drawn |
    | `complexity` | (int, int) | `(2, 20)` | range of H, symbols of both paths together |
    | `root` | int | `0` | root seed of the draw |
    | `steps` | int | `100` | steps of an episode |
    | `observation` | str | `"native"` | `native` or `one-hot` |

    ## Version History

    * v0: first version.
    """

    def __init__(self, render_mode: str | None = None, **arguments: Any) -> None:
        """Choose the environments.

        Raises:
            InputError: an argument that does not exist or is out of range, in one sentence.
        """
        given = {"source": "anytime_grid", "observation": "native", **arguments}
        told = validate(AnytimeGrid, given, "aiq/AnytimeGrid-v0")
        super().__init__(told, kernel(told), render_mode)
